((variable_name) @own (#eq? @own "$this"))
(relative_scope) @own
((relative_scope) @super (#eq? @super "parent"))
(property_element name: (_) @silent)
(function_call_expression function: (name) @value.name)
(function_call_expression function: (_) @callee arguments: (_) @arguments) @value.call
(member_call_expression object: (_) @of name: (_) @member arguments: (_) @arguments) @value.invoke
(nullsafe_member_call_expression object: (_) @of name: (_) @member arguments: (_) @arguments) @value.invoke
(scoped_call_expression scope: (_) @of name: (_) @member arguments: (_) @arguments) @value.invoke
(scoped_call_expression scope: (name) @value.name)
(member_access_expression object: (_) @of name: (_) @member) @value.member
(class_constant_access_expression . (name) @value.name)
(class_constant_access_expression . (_) @of (name) @member .) @value.member
(object_creation_expression (name) @type @type.name (arguments)? @arguments) @value.make
(object_creation_expression (qualified_name) @type (arguments)? @arguments) @value.make
(qualified_name (name) @type.name .)
(qualified_name (name) @inner .) @through
(named_type (name) @type.name)
(named_type (_) @inner) @through
(optional_type (_) @inner) @through
(primitive_type) @type.builtin
(parenthesized_expression (_) @inner) @through
[(string) (encapsed_string)] @literal.string
(integer) @literal.int

; A variable is always the function's own.
(variable_name) @value.name
[(function_definition) (method_declaration) (anonymous_function) (arrow_function)] @block.function
[(class_declaration) (interface_declaration) (trait_declaration) (enum_declaration)] @block.class
(simple_parameter type: (_)? @bind.type name: (_) @bind.name) @bind.anywhere
(property_promotion_parameter type: (_)? @bind.type name: (_) @bind.name) @bind.anywhere
(variadic_parameter name: (_) @bind.name) @bind.anywhere
(assignment_expression left: (_) @bind.name right: (_) @bind.value) @bind.anywhere
(catch_clause type: (_) @bind.type name: (_)? @bind.name) @bind.anywhere
(simple_parameter default_value: (_)) @optional
(variadic_parameter) @spread
[(namespace_use_declaration) (namespace_definition) (attribute_list)] @skip
((variable_name) @own (#eq? @own "$this"))

(function_definition name: (_) @of parameters: (_) @takes return_type: (_)? @gives) @given
(method_declaration name: (_) @of parameters: (_) @takes return_type: (_)? @gives) @given
(property_promotion_parameter type: (_) @gives name: (variable_name (name) @of)) @given
(property_declaration type: (_) @gives (property_element name: (variable_name (name) @of))) @given

(namespace_use_clause . [(name) (qualified_name)] @module alias: (_)? @known_as) @import
(class_declaration name: (_) @heir (base_clause (_) @of)) @base
(class_declaration name: (_) @heir (class_interface_clause (_) @of)) @base
(interface_declaration name: (_) @heir (base_clause (_) @of)) @base
(base_clause (name) @type.name)
(class_interface_clause (name) @type.name)
