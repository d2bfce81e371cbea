[(identifier) (constant)] @value.name
(self) @own
(super) @super
(call receiver: (_)? @of method: (_) @member arguments: (_)? @arguments) @value.invoke
(call
  receiver: (constant) @of @type method: (identifier) @member arguments: (_)? @arguments
  (#eq? @member "new")) @value.invoke
(scope_resolution scope: (_)? @of name: (_) @member) @value.path
(parenthesized_statements (_) @inner) @through
(string) @literal.String
(integer) @literal.Integer
(array) @literal.Array
(hash) @literal.Hash
(superclass) @types

[(method) (singleton_method)] @block.function
[(class) (module)] @block.class
[(block) (do_block) (lambda)] @block
(method parameters: (_)? @bind.name) @bind.anywhere
(singleton_method parameters: (_)? @bind.name) @bind.anywhere
(block parameters: (_)? @bind.name) @bind.anywhere
(do_block parameters: (_)? @bind.name) @bind.anywhere
(lambda parameters: (_)? @bind.name) @bind.anywhere
(assignment left: (_) @bind.name right: (_) @bind.value) @bind.anywhere
(optional_parameter name: (_) @bind.name) @bind.anywhere
(keyword_parameter name: (_) @bind.name) @bind.anywhere
(splat_parameter name: (_)? @bind.name) @bind.anywhere
(hash_splat_parameter name: (_)? @bind.name) @bind.anywhere
(block_parameter name: (_)? @bind.name) @bind.anywhere
(exception_variable (_) @bind.name) @bind.anywhere
(for pattern: (_) @bind.name) @bind.anywhere
[(method_parameters) (block_parameters) (lambda_parameters) (destructured_parameter) (left_assignment_list)] @pattern
[(optional_parameter) (keyword_parameter)] @optional
[(splat_parameter) (hash_splat_parameter) (splat_argument) (hash_splat_argument) (block_parameter)] @spread

(method name: (_) @of parameters: (_)? @takes) @given
(singleton_method name: (_) @of parameters: (_)? @takes) @given

(call
  method: (identifier) @_require arguments: (argument_list . (string (string_content) @module))
  (#any-of? @_require "require" "require_relative" "load")) @import
(class name: (_) @heir superclass: (superclass (_) @of)) @base
(class
  name: (_) @heir
  body: (body_statement (call method: (identifier) @_include arguments: (argument_list (_) @of)))
  (#any-of? @_include "include" "extend" "prepend")) @base
