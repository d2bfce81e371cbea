; What JavaScript and TypeScript share.
(function_declaration name: (_) @name body: (_) @body) @definition.function
(generator_function_declaration name: (_) @name body: (_) @body) @definition.function
(class_declaration name: (_) @name body: (_) @body) @definition.class
(method_definition name: (_) @name body: (_) @body) @definition.method

(program [(lexical_declaration (variable_declarator name: (identifier) @name) @definition.variable)
          (variable_declaration (variable_declarator name: (identifier) @name) @definition.variable)])
(program (export_statement
  declaration: [(lexical_declaration (variable_declarator name: (identifier) @name) @definition.variable)
                (variable_declaration (variable_declarator name: (identifier) @name) @definition.variable)]))
(program [(lexical_declaration "const"
            (variable_declarator name: (identifier) @name (#match? @name "^[A-Z][A-Z0-9_]+$")) @definition.constant)
          (export_statement declaration: (lexical_declaration "const"
            (variable_declarator name: (identifier) @name (#match? @name "^[A-Z][A-Z0-9_]+$")) @definition.constant))])
(variable_declarator
  name: (identifier) @name
  value: [(arrow_function body: (_) @body)
          (function_expression body: (_) @body)
          (generator_function body: (_) @body)]) @definition.function
(variable_declarator name: (identifier) @name value: (class body: (_) @body)) @definition.class

(pair
  key: [(property_identifier) (string)] @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.method

; What a method gives its object.
(assignment_expression
  left: (member_expression object: (this) property: [(property_identifier) (private_property_identifier)] @name)) @part.field

; `exports.f = …`, `A.prototype.f = …`
(assignment_expression
  left: (member_expression object: (_) @owner property: (property_identifier) @name)
  right: [(arrow_function body: (_) @body)
          (function_expression body: (_) @body)
          (generator_function body: (_) @body)]) @definition.function

; What is exported without a name of its own is known by the word `default`.
(export_statement "default" @name
  value: [(arrow_function body: (_) @body) (function_expression !name body: (_) @body)]) @definition.function
(export_statement "default" @name value: (class !name body: (_) @body)) @definition.class

(export_statement declaration: (_) @wrapped) @wrapper
(lexical_declaration . (variable_declarator) @wrapped .) @wrapper
(variable_declaration . (variable_declarator) @wrapped .) @wrapper
(expression_statement (assignment_expression) @wrapped) @wrapper
(decorator) @attribute
(comment) @comment
