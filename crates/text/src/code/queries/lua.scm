(chunk (variable_declaration
  (assignment_statement (variable_list . name: (identifier) @name .)) @definition.variable))
(chunk (variable_declaration
  (assignment_statement (variable_list . name: (identifier) @name .)) @definition.constant)
  (#match? @name "^[A-Z][A-Z0-9_]+$"))
(chunk
  (assignment_statement
    (variable_list . name: [(identifier) (dot_index_expression)] @name .)) @definition.variable)

(function_declaration name: (_) @name body: (_)? @body) @definition.function
(assignment_statement
  (variable_list . name: [(identifier) (dot_index_expression)] @name .)
  (expression_list . value: (function_definition body: (_)? @body) .)) @definition.function
(table_constructor
  (field name: (identifier) @name value: (function_definition body: (_)? @body)) @definition.function)

(variable_declaration (assignment_statement) @wrapped) @wrapper
(comment) @comment
