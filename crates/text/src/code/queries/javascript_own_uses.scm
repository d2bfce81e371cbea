; What JavaScript alone writes so.
(lexical_declaration
  (variable_declarator name: (_) @bind.name value: (_)? @bind.value) @bind.anywhere)
(variable_declaration
  (variable_declarator name: (_) @bind.name value: (_)? @bind.value) @bind.hoisted)
(function_declaration name: (_) @of parameters: (_) @takes) @given
(generator_function_declaration name: (_) @of parameters: (_) @takes) @given
(method_definition name: (_) @of parameters: (_) @takes) @given
(variable_declarator name: (_) @of value: (_)? @gives.value) @given
(field_definition property: (_) @of value: (_)? @gives.value) @given
(class_heritage) @types
(class_declaration name: (_) @heir (class_heritage (_) @of)) @base
(variable_declarator name: (_) @heir value: (class (class_heritage (_) @of))) @base
