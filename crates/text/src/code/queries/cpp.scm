; What C++ has besides C.
(class_specifier name: (_) @name body: (_) @body) @definition.class
(namespace_definition name: (_) @name body: (_) @body) @definition.module
(alias_declaration name: (_) @name) @definition.type
(concept_definition name: (_) @name) @definition.type
(namespace_alias_definition name: (_) @name) @definition.type

(function_definition
  declarator: (reference_declarator (function_declarator declarator: (_) @name))
  body: (_) @body) @definition.function
(function_definition declarator: (function_declarator declarator: (_) @name) (default_method_clause)) @definition.function
(function_definition declarator: (function_declarator declarator: (_) @name) (delete_method_clause)) @definition.function
(function_definition declarator: (operator_cast "operator" @name) body: (_) @body) @definition.method

(declaration
  declarator: (reference_declarator (function_declarator declarator: (identifier) @name))) @definition.function
(declaration declarator: (function_declarator declarator: [(destructor_name) (operator_name)] @name)) @definition.function
(field_declaration
  declarator: [
    (function_declarator declarator: [(field_identifier) (operator_name) (destructor_name)] @name)
    (pointer_declarator declarator: (function_declarator declarator: [(field_identifier) (operator_name)] @name))
    (reference_declarator (function_declarator declarator: [(field_identifier) (operator_name)] @name))
  ]) @definition.method
(field_declaration
  declarator: [
    (field_identifier) @name
    (pointer_declarator declarator: (field_identifier) @name)
    (array_declarator declarator: (field_identifier) @name)
    (reference_declarator (field_identifier) @name)
    (pointer_declarator declarator: (pointer_declarator declarator: (field_identifier) @name))
    (pointer_declarator declarator: (array_declarator declarator: (field_identifier) @name))
    (array_declarator declarator: (array_declarator declarator: (field_identifier) @name))
    (function_declarator
      declarator: (parenthesized_declarator (pointer_declarator declarator: (field_identifier) @name)))
  ]) @definition.field

(template_declaration [
    (function_definition) (class_specifier) (struct_specifier) (declaration) (alias_declaration)
    (concept_definition) (template_declaration)
  ] @wrapped) @wrapper
(field_declaration type: [(class_specifier) (struct_specifier) (enum_specifier)] @wrapped !declarator) @wrapper
