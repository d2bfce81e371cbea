; What JavaScript and TypeScript share: names and what they stand for.
[(identifier) (shorthand_property_identifier) (shorthand_property_identifier_pattern)] @value.name
(this) @own
(super) @super
(member_expression object: (_) @of property: (_) @member) @value.member
(call_expression function: (_) @callee arguments: (_) @arguments) @value.call
(decorator (_) @callee) @value.call
(new_expression constructor: (_) @type arguments: (_)? @arguments) @value.make
(parenthesized_expression (_) @inner) @through
(await_expression (_) @inner) @value.inner
[(string) (template_string)] @literal.string
(number) @literal.number
[(true) (false)] @literal.boolean
(array) @literal.Array
(regex) @literal.RegExp

; What is bound, and where.
[(function_declaration) (function_expression) (generator_function) (generator_function_declaration)] @block.unowned
[(method_definition) (arrow_function) (class_static_block)] @block.function
[(class_declaration) (class)] @block.class
[(statement_block) (for_statement) (for_in_statement) (catch_clause) (switch_body)] @block
(object (method_definition) @block.unowned)
(assignment_expression left: (member_expression) right: (function_expression) @block.function)
(function_declaration parameters: (_) @bind.name) @bind.anywhere
(function_expression parameters: (_) @bind.name name: (_)? @bind.name) @bind.anywhere
(generator_function parameters: (_) @bind.name) @bind.anywhere
(generator_function_declaration parameters: (_) @bind.name) @bind.anywhere
(method_definition parameters: (_) @bind.name) @bind.anywhere
(arrow_function parameters: (_)? @bind.name parameter: (_)? @bind.name) @bind.anywhere
(for_in_statement left: (_) @bind.name) @bind.anywhere
(catch_clause parameter: (_)? @bind.name) @bind.anywhere
(assignment_expression left: (_) @bind.name right: (_) @bind.value) @rebind
[(formal_parameters) (object_pattern) (array_pattern) (rest_pattern) (pair_pattern)] @pattern
(assignment_pattern right: (_) @type) @pattern
(object_assignment_pattern right: (_) @type) @pattern

; What definitions give and take.
(variable_declarator
  name: (_) @of
  value: [(arrow_function parameters: (_) @takes) (function_expression parameters: (_) @takes)]) @given
(assignment_expression
  left: (member_expression property: (_) @of)
  right: [(arrow_function parameters: (_) @takes) (function_expression parameters: (_) @takes)]) @given
(assignment_expression
  left: (member_expression object: (this) property: (_) @of) right: (new_expression) @gives.value) @given
(assignment_expression
  left: (member_expression object: (this) property: (_) @of) right: (identifier) @gives.value) @given
(pair key: (_) @of value: [(arrow_function parameters: (_) @takes) (function_expression parameters: (_) @takes)]) @given
(export_statement "default" @of value: [(arrow_function parameters: (_) @takes) (function_expression parameters: (_) @takes)]) @given
[(spread_element) (rest_pattern)] @spread
(assignment_pattern) @optional

; What is brought in.
(import_statement) @skip
(import_statement (import_clause (identifier) @known_as @default) source: (_) @module) @import
(import_statement (import_clause (namespace_import (identifier) @known_as)) source: (_) @module) @import
(import_statement
  (import_clause (named_imports (import_specifier name: (_) @name alias: (_)? @known_as)))
  source: (_) @module) @import
(import_statement . source: (_) @module) @import
(export_statement
  (export_clause (export_specifier name: (_) @name alias: (_)? @known_as))
  source: (_) @module @handed_on) @import
(export_statement (export_clause) @skip source: (_))
(export_statement
  !source
  (export_clause (export_specifier name: (_) @name alias: (_)? @known_as)) @handed_on) @import
(export_statement
  "default" @known_as @handed_on
  declaration: [
    (function_declaration name: (_) @name)
    (generator_function_declaration name: (_) @name)
    (class_declaration name: (_) @name)
  ]) @import
(export_statement "default" @known_as @handed_on value: (identifier) @name) @import
(export_specifier alias: (_) @silent)
(namespace_export) @skip
(export_statement "*" @all source: (_) @module @handed_on) @import
(export_statement (namespace_export (_) @known_as) source: (_) @module @handed_on) @import
(variable_declarator
  name: (identifier) @known_as
  value: (call_expression function: (identifier) @_require arguments: (arguments . (string) @module .))
  (#eq? @_require "require")) @import
(variable_declarator
  name: (identifier) @known_as
  value: (member_expression
    object: (call_expression function: (identifier) @_require arguments: (arguments . (string) @module .))
    property: (_) @name)
  (#eq? @_require "require")) @import
(variable_declarator
  name: (object_pattern (shorthand_property_identifier_pattern) @name)
  value: (call_expression function: (identifier) @_require arguments: (arguments . (string) @module .))
  (#eq? @_require "require")) @import
(variable_declarator
  name: (object_pattern (pair_pattern key: (_) @name value: (identifier) @known_as))
  value: (call_expression function: (identifier) @_require arguments: (arguments . (string) @module .))
  (#eq? @_require "require")) @import
(expression_statement
  (call_expression function: (identifier) @_require arguments: (arguments . (string) @module .))
  (#eq? @_require "require")) @import
(call_expression function: (import) arguments: (arguments . (string) @module)) @import
