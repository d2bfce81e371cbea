(namespace_definition name: (_) @name body: (_) @body) @definition.module
(class_declaration name: (_) @name body: (_) @body) @definition.class
(interface_declaration name: (_) @name body: (_) @body) @definition.interface
(trait_declaration name: (_) @name body: (_) @body) @definition.trait
(enum_declaration name: (_) @name body: (_) @body) @definition.enum
(function_definition name: (_) @name body: (_) @body) @definition.function
(method_declaration name: (_) @name body: (_)? @body) @definition.method
(const_declaration (const_element . (name) @name)) @definition.constant
(property_declaration (property_element name: (variable_name (name) @name))) @definition.field
(property_promotion_parameter name: (variable_name (name) @name)) @part.field
(program
  (expression_statement
    (assignment_expression left: (variable_name (name) @name)) ) @definition.variable)
(program
  (expression_statement
    (assignment_expression
      left: (variable_name (name) @name)
      right: [(anonymous_function body: (_) @body) (arrow_function body: (_) @body)])) @definition.function)
(expression_statement
  (function_call_expression
    function: (name) @_function
    arguments: (arguments . (argument (string (string_content) @name))))
  (#eq? @_function "define")) @definition.constant

(attribute_list) @attribute
(comment) @comment
