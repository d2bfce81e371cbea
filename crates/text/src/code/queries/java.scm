(class_declaration name: (_) @name body: (_) @body) @definition.class
(record_declaration name: (_) @name body: (_) @body) @definition.class
(enum_declaration name: (_) @name body: (_) @body) @definition.enum
(interface_declaration name: (_) @name body: (_) @body) @definition.interface
(annotation_type_declaration name: (_) @name body: (_) @body) @definition.interface
(module_declaration name: (_) @name body: (_) @body) @definition.module
(method_declaration name: (_) @name body: (_)? @body) @definition.method
(constructor_declaration name: (_) @name body: (_) @body) @definition.method
(compact_constructor_declaration name: (_) @name body: (_) @body) @definition.method
(annotation_type_element_declaration name: (_) @name) @definition.method
(field_declaration declarator: (variable_declarator name: (identifier) @name)) @definition.field
(field_declaration
  (modifiers "static" "final")
  declarator: (variable_declarator name: (identifier) @name)) @definition.constant
(enum_constant name: (_) @name) @part.constant
(record_declaration parameters: (formal_parameters (formal_parameter name: (_) @name) @part.field))
(constant_declaration declarator: (variable_declarator name: (identifier) @name)) @definition.constant

(modifiers [(annotation) (marker_annotation)] @attribute)
(line_comment) @comment
(block_comment) @comment
