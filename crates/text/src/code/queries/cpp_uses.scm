; What C++ has besides C.
(this) @own
(namespace_identifier) @value.name
(qualified_identifier scope: (_)? @of name: (_) @member) @value.path
(template_function name: (_) @inner) @through
(template_method name: (_) @inner) @through
(template_type name: (_) @inner) @through
(dependent_name (_) @inner) @through
(dependent_type (_) @inner) @through
(reference_declarator (_) @inner) @through
(variadic_declarator (_) @inner) @through
(pointer_type_declarator declarator: (_) @inner) @through
(co_await_expression argument: (_) @inner) @value.inner
(new_expression type: (_) @type arguments: (_)? @arguments) @value.make
(call_expression function: (primitive_type)) @literal.int
[(raw_string_literal)] @literal.char
(qualified_identifier scope: (_)? @of name: [(type_identifier) (template_type)] @member) @type.path
(template_type
  name: (type_identifier) @outer
  arguments: (template_argument_list . (_) @inner)
  (#any-of? @outer "unique_ptr" "shared_ptr" "weak_ptr" "optional" "reference_wrapper")) @type.holder
(qualified_identifier
  name: (template_type
    name: (type_identifier) @outer
    arguments: (template_argument_list . (_) @inner)
    (#any-of? @outer "unique_ptr" "shared_ptr" "weak_ptr" "optional" "reference_wrapper"))) @type.holder
(call_expression
  function: [
    (template_function name: (identifier) @_make arguments: (template_argument_list . (_) @type))
    (qualified_identifier name: (template_function name: (identifier) @_make arguments: (template_argument_list . (_) @type)))
  ] @callee
  arguments: (_) @arguments
  (#any-of? @_make "make_unique" "make_shared" "make_optional")) @value.make
(call_expression
  function: (template_function name: (identifier) @silent arguments: (template_argument_list . (_) @type))
  (#any-of? @silent "static_cast" "dynamic_cast" "const_cast" "reinterpret_cast")) @value.cast
(declaration
  type: (_) @type
  declarator: (init_declarator value: [(argument_list) (initializer_list)] @arguments)) @value.make
; In a function, what reads like a function's declaration is a variable with the arguments that it is made of.
(compound_statement
  (declaration type: (_) @type declarator: (function_declarator declarator: (identifier))) @value.make)
(placeholder_type_specifier) @silent

; What is bound, and where.
(lambda_expression) @block.function
[(class_specifier) (struct_specifier) (union_specifier) (template_declaration)] @block.class
[(for_range_loop) (catch_clause)] @block
(for_range_loop type: (_) @bind.type declarator: (_) @bind.name) @bind
(optional_parameter_declaration type: (_) @bind.type declarator: (_)? @bind.name) @bind
(variadic_parameter_declaration declarator: (_) @bind.name) @bind
(type_parameter_declaration (_) @bind.name) @bind
(variadic_type_parameter_declaration (_) @bind.name) @bind
(optional_type_parameter_declaration name: (_)? @bind.name) @bind
(lambda_capture_initializer left: (_) @bind.name right: (_) @bind.value) @bind
(declaration
  type: (placeholder_type_specifier)
  declarator: (init_declarator declarator: (_) @bind.name value: (_) @bind.value)) @bind
(structured_binding_declarator) @pattern

[(using_declaration) (static_assert_declaration) (namespace_alias_definition) (destructor_name)] @skip
(base_class_clause) @types
(field_initializer . (field_identifier) @type.name @type . (_) @arguments) @value.make
(optional_parameter_declaration) @optional
(variadic_parameter_declaration) @spread
(function_definition declarator: (function_declarator (trailing_return_type (_) @gives)) @of) @given

; What is brought in.
(using_declaration . "using" . "namespace" . (_) @module @all) @import
(using_declaration . "using" . (qualified_identifier) @module .) @import
(namespace_alias_definition name: (_) @known_as . "=" . (_) @module) @import
(class_specifier name: (_) @heir (base_class_clause [(type_identifier) (qualified_identifier) (template_type)] @of)) @base
(struct_specifier name: (_) @heir (base_class_clause [(type_identifier) (qualified_identifier) (template_type)] @of)) @base
