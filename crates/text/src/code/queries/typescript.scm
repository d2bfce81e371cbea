; What TypeScript has besides JavaScript.
(abstract_class_declaration name: (_) @name body: (_) @body) @definition.class
(interface_declaration name: (_) @name body: (_) @body) @definition.interface
(type_alias_declaration name: (_) @name) @definition.type
(enum_declaration name: (_) @name body: (_) @body) @definition.enum
(internal_module name: (_) @name body: (_)? @body) @definition.module
(module name: (_) @name body: (_)? @body) @definition.module
(function_signature name: (_) @name) @definition.function
(method_signature name: (_) @name) @definition.method
(abstract_method_signature name: (_) @name) @definition.method
(property_signature name: (_) @name) @definition.field
(public_field_definition name: (_) @name) @definition.field
(public_field_definition
  name: (_) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.method
(enum_body name: (property_identifier) @name @part.constant)
(enum_assignment name: (_) @name) @part.constant
(required_parameter [(accessibility_modifier) "readonly"] pattern: (identifier) @name) @part.field
(ambient_declaration (lexical_declaration (variable_declarator name: (identifier) @name) @definition.variable))

(ambient_declaration (_) @wrapped) @wrapper
(expression_statement (internal_module) @wrapped) @wrapper
