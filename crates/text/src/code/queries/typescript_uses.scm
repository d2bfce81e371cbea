; What TypeScript has besides JavaScript. Types; what may be nothing is as good as what it is otherwise.
(type_identifier) @type.name
(nested_type_identifier module: (_) @of name: (_) @member) @type.path
(nested_identifier object: (_) @of property: (_) @member) @value.path
(predefined_type) @type.builtin
(this_type) @own
(array_type) @literal.Array
(generic_type name: (_) @inner) @through
(type_annotation (_) @inner) @through
(parenthesized_type (_) @inner) @through
(readonly_type (_) @inner) @through
(optional_type (_) @inner) @through
(constraint (_) @inner) @through
(generic_type
  name: (type_identifier) @_type
  type_arguments: (type_arguments . (_) @inner)
  (#any-of? @_type "Readonly" "Partial" "Required" "NonNullable" "Awaited" "InstanceType")) @through
(generic_type
  name: (type_identifier) @outer
  type_arguments: (type_arguments . (_) @inner)
  (#any-of? @outer "Promise" "PromiseLike")) @type.wrapper
(union_type . (_) @inner . (literal_type [(null) (undefined)]) .) @through
(non_null_expression (_) @inner) @through
(satisfies_expression (_) @inner) @through
(as_expression . (_) . (_) @type .) @value.cast
(class_heritage) @types

; What is bound, and where.
[(abstract_class_declaration) (interface_declaration) (type_alias_declaration)] @block.class
[(function_signature) (method_signature) (abstract_method_signature) (function_type) (constructor_type) (call_signature) (construct_signature) (internal_module)] @block.function
(lexical_declaration
  (variable_declarator name: (_) @bind.name type: (_)? @bind.type value: (_)? @bind.value) @bind.anywhere)
(variable_declaration
  (variable_declarator name: (_) @bind.name type: (_)? @bind.type value: (_)? @bind.value) @bind.hoisted)
(required_parameter pattern: (_) @bind.name type: (_)? @bind.type) @bind.anywhere
(optional_parameter pattern: (_) @bind.name type: (_)? @bind.type) @bind.anywhere
(type_parameter name: (_) @bind.name constraint: (_)? @bind.type) @bind
(index_signature name: (_) @bind.name) @bind
(mapped_type_clause name: (_) @bind.name) @bind
(type_predicate name: (identifier) @silent)

; What definitions give and take.
(function_declaration name: (_) @of parameters: (_) @takes return_type: (_)? @gives) @given
(generator_function_declaration name: (_) @of parameters: (_) @takes return_type: (_)? @gives) @given
(function_signature name: (_) @of parameters: (_) @takes return_type: (_)? @gives) @given
(method_definition name: (_) @of parameters: (_) @takes return_type: (_)? @gives) @given
(method_signature name: (_) @of parameters: (_) @takes return_type: (_)? @gives) @given
(abstract_method_signature name: (_) @of parameters: (_) @takes return_type: (_)? @gives) @given
(variable_declarator name: (_) @of type: (_)? @gives value: (_)? @gives.value) @given
(variable_declarator
  name: (_) @of
  value: [
    (arrow_function parameters: (_) @takes return_type: (_)? @gives)
    (function_expression parameters: (_) @takes return_type: (_)? @gives)
  ]) @given
(public_field_definition name: (_) @of type: (_)? @gives value: (_)? @gives.value) @given
(public_field_definition
  name: (_) @of value: (arrow_function parameters: (_) @takes return_type: (_)? @gives)) @given
(property_signature name: (_) @of type: (_)? @gives) @given
(required_parameter pattern: (_) @of type: (_)? @gives) @given
(type_alias_declaration name: (_) @of value: (_) @gives) @given
(optional_parameter) @optional
(required_parameter value: (_)) @optional
(required_parameter pattern: (rest_pattern)) @spread
(required_parameter pattern: (this)) @parameter.none

(export_statement "default" @known_as @handed_on declaration: (abstract_class_declaration name: (_) @name)) @import
(import_statement (import_require_clause (identifier) @known_as source: (_) @module)) @import
(class_declaration name: (_) @heir (class_heritage (extends_clause value: (_) @of))) @base
(class_declaration name: (_) @heir (class_heritage (implements_clause (_) @of))) @base
(abstract_class_declaration name: (_) @heir (class_heritage (extends_clause value: (_) @of))) @base
(abstract_class_declaration name: (_) @heir (class_heritage (implements_clause (_) @of))) @base
(interface_declaration name: (_) @heir (extends_type_clause type: (_) @of)) @base
(variable_declarator name: (_) @heir value: (class (class_heritage (extends_clause value: (_) @of)))) @base
