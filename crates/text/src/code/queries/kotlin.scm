(class_declaration name: (_) @name) @definition.class
(class_declaration name: (_) @name (class_body) @body) @definition.class
(class_declaration "interface" name: (_) @name) @definition.interface
(class_declaration name: (_) @name (enum_class_body) @body) @definition.enum
(object_declaration name: (_) @name (class_body)? @body) @definition.class
(function_declaration name: (_) @name) @definition.function
(function_declaration name: (_) @name (function_body) @body) @definition.function
(secondary_constructor "constructor" @name (block)? @body) @definition.method
(source_file (property_declaration (variable_declaration . (identifier) @name)) @definition.variable)
(class_body (property_declaration (variable_declaration . (identifier) @name)) @definition.field)
(enum_class_body (property_declaration (variable_declaration . (identifier) @name)) @definition.field)
(property_declaration
  (modifiers (property_modifier "const"))
  (variable_declaration . (identifier) @name)) @definition.constant
(type_alias type: (identifier) @name) @definition.type

(modifiers (annotation) @attribute)
(line_comment) @comment
(block_comment) @comment
