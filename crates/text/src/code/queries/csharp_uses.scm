(identifier) @value.name
(member_access_expression expression: (_) @of name: (_) @member) @value.member
(member_access_expression expression: "this" @own)
(member_access_expression expression: "base" @super)
(conditional_access_expression condition: (_) @of (member_binding_expression name: (_) @member)) @value.member
(invocation_expression function: (_) @callee arguments: (_) @arguments) @value.call
(object_creation_expression type: (_) @type arguments: (_)? @arguments) @value.make
(cast_expression type: (_) @type) @value.cast
(parenthesized_expression (_) @inner) @through
(await_expression (_) @inner) @value.inner
(generic_name (_) @inner) @through
(nullable_type type: (_) @inner) @through
(qualified_name qualifier: (_) @of name: (_) @member) @type.path
(generic_name
  (identifier) @outer (type_argument_list . (_) @inner)
  (#any-of? @outer "Task" "ValueTask" "Nullable")) @type.wrapper
(predefined_type) @type.builtin
[(string_literal) (interpolated_string_expression) (verbatim_string_literal) (raw_string_literal)] @literal.string
(integer_literal) @literal.int
[(type_argument_list) (base_list)] @types
(object_creation_expression type: (_) @types)
(parameter type: (_) @types)
(foreach_statement type: (_) @types)
(variable_declaration type: (_) @types)
(property_declaration type: (_) @types)
(method_declaration returns: (_) @types)

[(method_declaration) (constructor_declaration) (local_function_statement) (lambda_expression) (anonymous_method_expression)] @block.function
[(class_declaration) (struct_declaration) (interface_declaration) (record_declaration)] @block.class
[(block) (for_statement) (foreach_statement) (catch_clause) (using_statement)] @block
(parameter type: (_)? @bind.type name: (_) @bind.name) @bind
(local_declaration_statement (variable_declaration type: (_) @bind.type (variable_declarator name: (_) @bind.name) @bind))
(local_declaration_statement
  (variable_declaration type: (implicit_type) (variable_declarator name: (_) @bind.name (_) @bind.value .) @bind))
(using_statement (variable_declaration (variable_declarator name: (_) @bind.name (_) @bind.value .) @bind))
(for_statement initializer: (variable_declaration (variable_declarator name: (_) @bind.name) @bind))
(foreach_statement type: (_) @bind.type left: (_) @bind.name) @bind
(catch_declaration type: (_) @bind.type name: (_)? @bind.name) @bind
(declaration_pattern type: (_) @bind.type name: (_) @bind.name) @bind
(type_parameter name: (_) @bind.name) @bind
(lambda_expression parameters: (identifier) @bind.name) @bind
(implicit_parameter) @value.name
(lambda_expression parameters: (implicit_parameter) @bind.name) @bind

[(using_directive) (attribute_list)] @skip
(namespace_declaration name: (_) @skip)
(file_scoped_namespace_declaration name: (_) @skip)
(argument name: (identifier) @silent)
(assignment_expression left: (identifier) @bind.name right: (_) @bind.value) @rebind

(method_declaration returns: (_) @gives name: (_) @of parameters: (_) @takes) @given
(constructor_declaration name: (_) @of parameters: (_) @takes) @given
(local_function_statement type: (_) @gives name: (_) @of parameters: (_) @takes) @given
(property_declaration type: (_) @gives name: (_) @of) @given
(field_declaration (variable_declaration type: (_) @gives (variable_declarator name: (_) @of))) @given

(using_directive (_) @module @all .) @import
(class_declaration name: (_) @heir (base_list [(identifier) (qualified_name) (generic_name)] @of)) @base
(struct_declaration name: (_) @heir (base_list [(identifier) (qualified_name) (generic_name)] @of)) @base
(record_declaration name: (_) @heir (base_list [(identifier) (qualified_name) (generic_name)] @of)) @base
(interface_declaration name: (_) @heir (base_list [(identifier) (qualified_name) (generic_name)] @of)) @base
