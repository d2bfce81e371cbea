; What C and C++ share. A function that gives back a pointer is wrapped into the pointer's declarator.
(function_definition
  declarator: [
    (function_declarator declarator: (_) @name)
    (pointer_declarator declarator: (function_declarator declarator: (_) @name))
    (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: (_) @name)))
  ]
  body: (_) @body) @definition.function
(declaration
  declarator: [
    (function_declarator declarator: (identifier) @name)
    (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
    (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name)))
  ]) @definition.function

(struct_specifier name: (_) @name body: (_) @body) @definition.struct
(union_specifier name: (_) @name body: (_) @body) @definition.struct
(enum_specifier name: (_) @name body: (_) @body) @definition.enum

(type_definition declarator: (type_identifier) @name) @definition.type
(type_definition declarator: (pointer_declarator declarator: (type_identifier) @name)) @definition.type
(type_definition declarator: (array_declarator declarator: (type_identifier) @name)) @definition.type
(type_definition declarator: (array_declarator declarator: (array_declarator declarator: (type_identifier) @name))) @definition.type
(type_definition declarator: (function_declarator declarator: (type_identifier) @name)) @definition.type
(type_definition
  declarator: (function_declarator declarator: (parenthesized_declarator (type_identifier) @name))) @definition.type
(type_definition
  declarator: (function_declarator
    declarator: (parenthesized_declarator (pointer_declarator declarator: (type_identifier) @name)))) @definition.type
(type_definition
  type: [(struct_specifier !name body: (_) @body) (union_specifier !name body: (_) @body)]
  declarator: (type_identifier) @name) @definition.struct
(type_definition
  type: (enum_specifier !name body: (_) @body)
  declarator: (type_identifier) @name) @definition.enum
(type_definition type: (struct_specifier name: (_) body: (_)) @wrapped) @wrapper
(type_definition type: (enum_specifier name: (_) body: (_)) @wrapped) @wrapper
(declaration type: (struct_specifier name: (_) body: (_)) @wrapped) @wrapper
(declaration type: (enum_specifier name: (_) body: (_)) @wrapped) @wrapper
(enumerator name: (_) @name) @part.constant

(preproc_def name: (_) @name value: (_)) @definition.constant
(preproc_function_def name: (_) @name) @definition.macro

(declaration declarator: (identifier) @name) @definition.variable
(declaration
  declarator: [
    (pointer_declarator declarator: (identifier) @name)
    (pointer_declarator declarator: (pointer_declarator declarator: (identifier) @name))
    (pointer_declarator declarator: (array_declarator declarator: (identifier) @name))
    (array_declarator declarator: (identifier) @name)
    (array_declarator declarator: (array_declarator declarator: (identifier) @name))
    (array_declarator declarator: (array_declarator declarator: (array_declarator declarator: (identifier) @name)))
    (array_declarator declarator: (array_declarator declarator: (array_declarator declarator: (array_declarator declarator: (identifier) @name))))
  ]) @definition.variable
(declaration declarator: (init_declarator declarator: [
    (identifier) @name
    (pointer_declarator declarator: (identifier) @name)
    (array_declarator declarator: (identifier) @name)
    (array_declarator declarator: (array_declarator declarator: (identifier) @name))
    (array_declarator declarator: (array_declarator declarator: (array_declarator declarator: (identifier) @name)))
    (array_declarator declarator: (array_declarator declarator: (array_declarator declarator: (array_declarator declarator: (identifier) @name))))
    (pointer_declarator declarator: (array_declarator declarator: (identifier) @name))
  ])) @definition.variable
(declaration
  (type_qualifier) @_qualifier
  declarator: (init_declarator declarator: (identifier) @name)
  (#match? @_qualifier "^const")) @definition.constant

(comment) @comment
