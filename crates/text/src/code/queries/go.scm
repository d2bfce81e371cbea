(function_declaration name: (_) @name body: (_)? @body) @definition.function
(method_declaration
  receiver: (parameter_list (parameter_declaration type: (_) @owner))
  name: (_) @name
  body: (_)? @body) @definition.method
(type_spec name: (_) @name) @definition.type
(type_alias name: (_) @name) @definition.type
(type_spec name: (_) @name type: (struct_type (field_declaration_list) @body)) @definition.struct
(type_spec name: (_) @name type: (interface_type "{" @body)) @definition.interface
(field_declaration name: (field_identifier) @name) @part.field
(method_elem name: (_) @name) @definition.method
(source_file (const_declaration (const_spec name: (identifier) @name) @definition.constant))
(source_file (var_declaration (var_spec name: (identifier) @name) @definition.variable))
(source_file (var_declaration (var_spec_list (var_spec name: (identifier) @name) @definition.variable)))

(type_declaration . "type" . (_) @wrapped .) @wrapper
(const_declaration . "const" . (const_spec) @wrapped .) @wrapper
(var_declaration . "var" . (var_spec) @wrapped .) @wrapper
(comment) @comment
