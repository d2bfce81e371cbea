(namespace_declaration name: (_) @name body: (_) @body) @definition.module
(class_declaration name: (_) @name body: (_)? @body) @definition.class
(record_declaration name: (_) @name body: (_)? @body) @definition.class
(struct_declaration name: (_) @name body: (_)? @body) @definition.struct
(record_declaration "struct" name: (_) @name) @definition.struct
(interface_declaration name: (_) @name body: (_)? @body) @definition.interface
(enum_declaration name: (_) @name body: (_) @body) @definition.enum
(delegate_declaration name: (_) @name) @definition.type
(method_declaration name: (_) @name body: (_)? @body) @definition.method
(constructor_declaration name: (_) @name body: (_)? @body) @definition.method
(local_function_statement name: (_) @name body: (_)? @body) @definition.function
(operator_declaration operator: _ @name body: (_)? @body) @definition.method
(indexer_declaration "this" @name accessors: (_)? @body) @definition.method
(property_declaration name: (_) @name accessors: (_)? @body) @definition.field
(event_declaration name: (_) @name) @definition.field
(field_declaration (variable_declaration (variable_declarator name: (_) @name))) @definition.field
(event_field_declaration (variable_declaration (variable_declarator name: (_) @name))) @definition.field
(field_declaration
  (modifier "const")
  (variable_declaration (variable_declarator name: (_) @name))) @definition.constant
(field_declaration
  (modifier "static") (modifier "readonly")
  (variable_declaration (variable_declarator name: (_) @name))) @definition.constant

(attribute_list) @attribute
(comment) @comment
