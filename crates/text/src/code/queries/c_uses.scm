; What C and C++ share: names and what they stand for.
(identifier) @value.name
(type_identifier) @type.name
(field_expression argument: (_) @of field: (_) @member) @value.member
(call_expression function: (_) @callee arguments: (_) @arguments) @value.call
(cast_expression type: (_) @type) @value.cast
(compound_literal_expression type: (_) @type) @value.make
(parenthesized_expression (_) @inner) @through
(pointer_expression argument: (_) @inner) @through
[(string_literal) (concatenated_string)] @literal.char
(number_literal) @literal.int
(char_literal) @literal.char
[(true) (false)] @literal.bool

; Types.
(primitive_type) @type.builtin
(sized_type_specifier) @type.builtin
(type_descriptor type: (_) @inner) @through
(struct_specifier name: (_)? @inner) @through
(union_specifier name: (_)? @inner) @through
(enum_specifier name: (_)? @inner) @through

; Declarators stand around the name that they declare.
(pointer_declarator declarator: (_) @inner) @through
(array_declarator declarator: (_) @inner) @through
(function_declarator declarator: (_) @inner) @through
(parenthesized_declarator (_) @inner) @through
(init_declarator declarator: (_) @inner) @through
(attributed_declarator (_) @inner) @through

; What is bound, and where.
(function_definition) @block.function
[(compound_statement) (for_statement) (if_statement) (while_statement) (field_declaration) (type_definition)] @block
(declaration declarator: (function_declarator) @block)
(declaration declarator: (pointer_declarator declarator: (function_declarator) @block))
(parameter_declaration type: (_) @bind.type declarator: (_)? @bind.name) @bind
(declaration type: (_) @bind.type declarator: (_)? @bind.name) @bind
(preproc_function_def) @skip
(preproc_def) @skip
[(preproc_include) (preproc_call) (attribute_specifier) (attribute_declaration) (ms_declspec_modifier) (preproc_defined)] @skip
(preproc_ifdef name: (identifier) @silent)
(preproc_if condition: (_) @skip)
(preproc_elif condition: (_) @skip)
(assignment_expression left: (_) @bind.name right: (_) @bind.value) @rebind

; What definitions give and take.
(function_definition type: (_) @gives declarator: (_) @of) @given
(declaration type: (_) @gives declarator: (_) @of) @given
(field_declaration type: (_) @gives declarator: (_)? @of) @given
(type_definition type: (_) @gives declarator: (_) @of) @given
(function_declarator declarator: (_) @of parameters: (_) @takes) @given
(preproc_function_def name: (_) @of parameters: (_) @takes) @given
(parameter_declaration !declarator type: (primitive_type) @_type (#eq? @_type "void")) @parameter.none

(preproc_include path: (_) @module @all) @import
