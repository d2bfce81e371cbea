; Names and what they stand for.
(identifier) @value.name
(type_identifier) @type.name
(this) @own
(super) @super
(field_access object: (_) @of field: (_) @member) @value.member
(method_invocation object: (_)? @of name: (_) @member arguments: (_) @arguments) @value.invoke
(method_reference . (_) @of "::" (identifier) @member .) @value.member
(scoped_identifier scope: (_) @of name: (_) @member) @value.member
(scoped_type_identifier . (_) @of (type_identifier) @member .) @type.path
(object_creation_expression type: (_) @type arguments: (_) @arguments) @value.make
(cast_expression type: (_) @type) @value.cast
(parenthesized_expression (_) @inner) @through
(string_literal) @literal.String
[(decimal_integer_literal) (hex_integer_literal) (octal_integer_literal) (binary_integer_literal)] @literal.int
[(decimal_floating_point_literal) (hex_floating_point_literal)] @literal.double
(character_literal) @literal.char
[(true) (false)] @literal.boolean
(class_literal) @literal.Class

; Types.
[(integral_type) (floating_point_type) (boolean_type) (void_type)] @type.builtin
((type_identifier) @silent (#eq? @silent "var"))
(generic_type . (_) @inner) @through
(annotated_type (_) @inner .) @through
(type_bound . (_) @inner) @through
(array_type) @literal.Array
(generic_type
  (type_identifier) @outer
  (type_arguments . (_) @inner)
  (#any-of? @outer "Optional" "CompletableFuture" "Future" "AtomicReference")) @type.wrapper
(method_invocation
  object: (_) @of @inner name: (identifier) @member arguments: (_) @arguments
  (#any-of? @member "orElseThrow" "orElse" "orElseGet" "join")) @value.invoke

; What is bound, and where.
[(method_declaration) (constructor_declaration) (compact_constructor_declaration) (lambda_expression) (static_initializer)] @block.function
[(class_declaration) (interface_declaration) (enum_declaration) (record_declaration) (annotation_type_declaration)] @block.class
(object_creation_expression (class_body) @block.unowned)
[(block) (constructor_body) (for_statement) (enhanced_for_statement) (catch_clause) (try_with_resources_statement) (switch_block_statement_group) (switch_rule) (if_statement) (while_statement)] @block
(formal_parameter type: (_) @bind.type name: (_) @bind.name) @bind
(spread_parameter (variable_declarator name: (_) @bind.name)) @bind
(local_variable_declaration type: (_) @bind.type declarator: (variable_declarator name: (_) @bind.name value: (_)? @bind.value) @bind)
(enhanced_for_statement type: (_) @bind.type name: (_) @bind.name) @bind
(catch_formal_parameter (catch_type . (_) @bind.type .) name: (_) @bind.name) @bind
(catch_formal_parameter name: (_) @bind.name) @bind
(resource type: (_)? @bind.type name: (_)? @bind.name value: (_)? @bind.value) @bind
(instanceof_expression right: (_) @bind.type name: (_)? @bind.name) @bind
(type_pattern . (_) @bind.type . (identifier) @bind.name) @bind
(record_pattern_component . (_) @bind.type . (identifier) @bind.name) @bind
(lambda_expression parameters: (_) @bind.name) @bind
(type_parameter (type_identifier) @bind.name (type_bound)? @bind.type) @bind
(assignment_expression left: (_) @bind.name right: (_) @bind.value) @rebind
[(inferred_parameters)] @pattern

; What is no name.
[(import_declaration) (package_declaration) (module_declaration)] @skip
(labeled_statement . (identifier) @silent)
(break_statement (identifier) @silent)
(continue_statement (identifier) @silent)
(element_value_pair key: (identifier) @silent)
(annotation name: (_) @callee) @value.call
(marker_annotation name: (_) @callee) @value.call
(explicit_constructor_invocation constructor: [(this) (super)] @callee arguments: (_) @arguments) @value.call

; What definitions give and take.
(method_declaration type: (_) @gives name: (_) @of parameters: (_) @takes) @given
(constructor_declaration name: (_) @of parameters: (_) @takes) @given
(annotation_type_element_declaration type: (_) @gives name: (_) @of) @given
(field_declaration type: (_) @gives declarator: (variable_declarator name: (_) @of)) @given
(constant_declaration type: (_) @gives declarator: (variable_declarator name: (_) @of)) @given
(formal_parameter type: (_) @gives name: (_) @of) @given
(spread_parameter) @spread
(receiver_parameter) @parameter.none

; What is brought in.
(import_declaration . (_) @module .) @import
(import_declaration (_) @module (asterisk) @all) @import
(class_declaration name: (_) @heir superclass: (superclass (_) @of)) @base
(class_declaration name: (_) @heir interfaces: (super_interfaces (type_list (_) @of))) @base
(enum_declaration name: (_) @heir interfaces: (super_interfaces (type_list (_) @of))) @base
(record_declaration name: (_) @heir interfaces: (super_interfaces (type_list (_) @of))) @base
(interface_declaration name: (_) @heir (extends_interfaces (type_list (_) @of))) @base
