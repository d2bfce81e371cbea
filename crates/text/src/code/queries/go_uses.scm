; Names and what they stand for.
[(identifier) (package_identifier)] @value.name
(type_identifier) @type.name
(selector_expression operand: (_) @of field: (_) @member) @value.member
(qualified_type package: (_) @of name: (_) @member) @type.path
(call_expression function: (_) @callee arguments: (_) @arguments) @value.call
(call_expression
  function: (identifier) @callee
  arguments: (argument_list . (_) @type)
  (#any-of? @callee "new" "make")) @value.make
(composite_literal type: (_) @type) @value.make
(type_conversion_expression type: (_) @type) @value.cast
(type_assertion_expression type: (_) @type) @value.cast
(unary_expression operand: (_) @inner) @through
(parenthesized_expression (_) @inner) @through
(call_expression function: (index_expression operand: (identifier) @inner) @through)
(type_instantiation_expression type: (_) @inner) @through
[(interpreted_string_literal) (raw_string_literal)] @literal.string
(int_literal) @literal.int
(float_literal) @literal.float64
(rune_literal) @literal.rune
[(true) (false)] @literal.bool

; Types.
(pointer_type (_) @inner) @through
(parenthesized_type (_) @inner) @through
(generic_type type: (_) @inner) @through
(type_constraint (_) @inner) @through
(type_elem (_) @inner) @through

; What is bound, and where. Of several values that a call gives, the first is the one that counts.
[(function_declaration) (method_declaration) (func_literal)] @block.function
[(type_spec) (type_alias)] @block.class
[(block) (if_statement) (for_statement) (expression_switch_statement) (type_switch_statement) (expression_case) (type_case) (communication_case) (default_case)] @block
(expression_list) @pattern
(expression_list . (_) @inner .) @through
(parameter_declaration name: (_)? @bind.name type: (_) @bind.type) @bind
(variadic_parameter_declaration name: (_)? @bind.name) @bind
(method_declaration
  receiver: (parameter_list (parameter_declaration name: (identifier) @bind.name) @receiver))
(short_var_declaration left: (_) @bind.name right: (_) @bind.value) @bind
(short_var_declaration
  left: (expression_list . (identifier) @bind.name (identifier) @bind.other)
  right: (expression_list . (_) @bind.value .)) @bind
(var_spec name: (_) @bind.name type: (_)? @bind.type value: (_)? @bind.value) @bind
(var_spec
  name: (identifier) @bind.name . "," . name: (identifier) @bind.other
  value: (expression_list . (_) @bind.value .)) @bind
(const_spec name: (_) @bind.name type: (_)? @bind.type value: (_)? @bind.value) @bind
(range_clause left: (_)? @bind.name) @bind
(receive_statement left: (_)? @bind.name) @bind
(type_switch_statement alias: (_)? @bind.name) @bind
(type_parameter_declaration name: (_) @bind.name type: (_) @bind.type) @bind
(assignment_statement left: (_) @bind.name right: (_) @bind.value) @rebind

(composite_literal
  type: [(type_identifier) (qualified_type) (generic_type)]
  body: (literal_value (keyed_element key: (literal_element (identifier) @silent))))
(literal_element (literal_value (keyed_element key: (literal_element (identifier) @silent))))
[(package_clause) (import_declaration)] @skip

; What definitions give and take.
(function_declaration name: (_) @of parameters: (_) @takes result: (_)? @gives) @given
(method_declaration name: (_) @of parameters: (_) @takes result: (_)? @gives) @given
(method_elem name: (_) @of parameters: (_) @takes result: (_)? @gives) @given
(function_declaration
  name: (_) @of parameters: (_) @takes
  result: (parameter_list . (parameter_declaration type: (_) @gives))) @given
(method_declaration
  name: (_) @of parameters: (_) @takes
  result: (parameter_list . (parameter_declaration type: (_) @gives))) @given
(method_elem
  name: (_) @of parameters: (_) @takes
  result: (parameter_list . (parameter_declaration type: (_) @gives))) @given
(field_declaration name: (_) @of type: (_) @gives) @given
(var_spec name: (_) @of type: (_)? @gives value: (_)? @gives.value) @given
(const_spec name: (_) @of type: (_)? @gives value: (_)? @gives.value) @given
(type_alias name: (_) @of type: (_) @gives) @given
[(variadic_parameter_declaration) (variadic_argument)] @spread

(import_spec name: (_)? @known_as path: (_) @module) @import
(type_spec
  name: (_) @heir
  type: (struct_type (field_declaration_list (field_declaration !name type: (_) @of)))) @base
(type_spec name: (_) @heir type: (interface_type (type_elem . (_) @of .))) @base
