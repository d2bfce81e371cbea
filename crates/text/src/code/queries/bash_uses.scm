(command name: (command_name (word) @callee @value.name)) @value.call
(function_definition) @block.function
(string) @literal.string

(command
  name: (command_name (word) @_source) . argument: [(word) (string (string_content))] @module @all
  (#any-of? @_source "source" ".")) @import
