(identifier) @value.name
((identifier) @own (#eq? @own "self"))
(dot_index_expression table: (_) @of field: (_) @member) @value.member
(method_index_expression table: (_) @of method: (_) @member) @value.member
(function_call name: (_) @callee arguments: (_) @arguments) @value.call
(parenthesized_expression (_) @inner) @through
(string) @literal.string
(number) @literal.number
(table_constructor) @literal.table

[(function_declaration) (function_definition)] @block.function
[(block) (for_statement) (do_statement)] @block
(function_declaration parameters: (_) @bind.name) @bind
(function_definition parameters: (_) @bind.name) @bind
[(parameters) (variable_list)] @pattern
(variable_declaration
  (assignment_statement
    (variable_list . name: (identifier) @bind.name .) (expression_list . value: (_) @bind.value .)) @bind)
(variable_declaration (variable_list) @bind.name) @bind
(for_generic_clause (variable_list) @bind.name) @bind
(for_numeric_clause name: (_) @bind.name) @bind
(field name: (identifier) @silent)

(function_declaration name: (_) @of parameters: (_) @takes) @given
(vararg_expression) @spread

(variable_declaration
  (assignment_statement
    (variable_list . name: (identifier) @known_as .)
    (expression_list .
      value: (function_call name: (identifier) @_require arguments: (arguments . (string content: (_) @module)))))
  (#eq? @_require "require")) @import
