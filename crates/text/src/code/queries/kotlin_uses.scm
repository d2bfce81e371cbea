(identifier) @value.name
(this_expression) @own
(super_expression) @super
(navigation_expression . (_) @of (identifier) @member .) @value.member
(call_expression . (_) @callee (value_arguments)? @arguments) @value.call
(parenthesized_expression (_) @inner) @through
(user_type (identifier) @type.name)
(user_type (identifier) @inner) @through
(nullable_type (_) @inner) @through
[(string_literal) (multiline_string_literal)] @literal.String
(number_literal) @literal.Int

[(function_declaration) (lambda_literal) (anonymous_function) (secondary_constructor)] @block.function
[(class_declaration) (object_declaration)] @block.class
[(block) (for_statement) (catch_block)] @block
(parameter . (identifier) @bind.name (_) @bind.type) @bind
(property_declaration (variable_declaration . (identifier) @bind.name (_)? @bind.type) (_)? @bind.value .) @bind
(lambda_parameters (variable_declaration . (identifier) @bind.name (_)? @bind.type) @bind)
(for_statement (variable_declaration . (identifier) @bind.name) @bind)
(multi_variable_declaration (variable_declaration . (identifier) @bind.name) @bind)
(catch_block (identifier) @bind @bind.name)
(type_parameter (identifier) @bind @bind.name)
(class_parameter (identifier) @silent)
(value_argument . (identifier) @silent . (_))
[(import) (package_header) (annotation)] @skip

(function_declaration name: (_) @of (function_value_parameters) @takes) @given
(function_declaration
  name: (_) @of (function_value_parameters) @takes . [(user_type) (nullable_type)] @gives) @given
(property_declaration (variable_declaration . (identifier) @of [(user_type) (nullable_type)] @gives)) @given
(property_declaration (variable_declaration . (identifier) @of .) (call_expression) @gives.value .) @given

(import . [(qualified_identifier) (identifier)] @module (identifier)? @known_as) @import
(import (qualified_identifier) @module "*" @all) @import
(class_declaration name: (_) @heir (delegation_specifiers (delegation_specifier (user_type) @of))) @base
(class_declaration
  name: (_) @heir (delegation_specifiers (delegation_specifier (constructor_invocation (user_type) @of)))) @base
(object_declaration
  name: (_) @heir (delegation_specifiers (delegation_specifier (constructor_invocation (user_type) @of)))) @base
