(function_definition name: (_) @name body: (_) @body) @definition.function
(class_definition name: (_) @name body: (_) @body) @definition.class
(type_alias_statement left: (type (identifier) @name)) @definition.type

(function_definition
  name: (_) @name
  body: (block . (expression_statement . (string) @doc .))) @definition.function
(class_definition
  name: (_) @name
  body: (block . (expression_statement . (string) @doc .))) @definition.class

; Under a condition, too; in a function it is the function's own, and left out.
(expression_statement (assignment left: (identifier) @name)) @part.variable
(expression_statement (assignment left: (pattern_list (identifier) @name))) @part.variable
(expression_statement
  (assignment left: (identifier) @name (#match? @name "^_*[A-Z][A-Z0-9_]+$"))) @part.constant
(expression_statement
  (assignment left: (pattern_list (identifier) @name (#match? @name "^_*[A-Z][A-Z0-9_]+$")))) @part.constant
(expression_statement (assignment left: (identifier) @name right: (lambda body: (_) @body))) @part.function
(module (expression_statement (assignment left: (identifier) @name)) @definition.variable)
(module
  (expression_statement
    (assignment left: (identifier) @name (#match? @name "^_*[A-Z][A-Z0-9_]+$"))) @definition.constant)
(class_definition
  body: (block (expression_statement (assignment left: (identifier) @name)) @definition.field))
(class_definition
  body: (block
    (expression_statement
      (assignment left: (identifier) @name (#match? @name "^_*[A-Z][A-Z0-9_]+$"))) @definition.constant))
(module
  (expression_statement
    (assignment left: (identifier) @name right: (lambda body: (_) @body))) @definition.function)

(class_definition
  body: (block
    (expression_statement
      (assignment left: (identifier) @name right: (lambda body: (_) @body))) @part.function))

; What a method gives its object.
((assignment left: (attribute object: (identifier) @_self attribute: (identifier) @name)) @part.field
  (#eq? @_self "self"))

(decorated_definition definition: (_) @wrapped) @wrapper
(decorator) @attribute
(comment) @comment
