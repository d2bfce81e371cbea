(function_definition name: (_) @name body: (_) @body) @definition.function
(program (variable_assignment name: (variable_name) @name) @definition.variable)
(program (declaration_command (variable_assignment name: (variable_name) @name)) @definition.variable)
(program
  (declaration_command "readonly" (variable_assignment name: (variable_name) @name)) @definition.constant)
(program
  (declaration_command (word) @_flag (variable_assignment name: (variable_name) @name)
    (#match? @_flag "^-[a-z]*r")) @definition.constant)

(comment) @comment
