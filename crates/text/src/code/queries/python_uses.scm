; Names and what they stand for.
(identifier) @value.name
(attribute object: (_) @of attribute: (_) @member) @value.member
(call function: (_) @callee arguments: (_) @arguments) @value.call
(decorator (_) @callee) @value.call
(call function: (identifier) @silent (#eq? @silent "super")) @super
(keyword_argument name: (identifier) @silent)
(keyword_pattern . (identifier) @silent)
(parenthesized_expression (_) @inner) @through
(await (_) @inner) @through
[(string) (concatenated_string)] @literal.str
(integer) @literal.int
(float) @literal.float
[(true) (false)] @literal.bool
(none) @literal.None
[(list) (list_comprehension)] @literal.list
[(dictionary) (dictionary_comprehension)] @literal.dict
[(set) (set_comprehension)] @literal.set
(tuple) @literal.tuple

; Types. What may be nothing is as good as what it is otherwise.
(type) @types
(class_definition superclasses: (argument_list) @types)
(type (_) @inner) @through
(generic_type (_) @inner) @through
(generic_type
  (identifier) @_type
  (type_parameter . (type) @inner)
  (#any-of? @_type "Optional" "Final" "ClassVar" "Annotated" "Type" "type" "Required" "NotRequired")) @through
(type (subscript value: (_) @inner) @through)
(type
  (subscript value: (_) @_type subscript: (_) @inner
    (#match? @_type "(^|\\.)(Optional|Final|ClassVar|Annotated|Type|type|Required|NotRequired)$")) @through)
(type (binary_operator left: (_) @inner right: (none)) @through)
(type (binary_operator left: (none) right: (_) @inner) @through)
(union_type . (type) @inner . (type (none)) .) @through
(type (string (string_content) @inner) @through (#match? @inner "^[A-Za-z_][A-Za-z_0-9]*$"))
(type (string (string_content) @type.name) (#match? @type.name "^[A-Za-z_][A-Za-z_0-9]*$"))

; What is bound, and where.
[(function_definition) (lambda)] @block.function
(class_definition) @block.class
[(list_comprehension) (dictionary_comprehension) (set_comprehension) (generator_expression)] @block
(function_definition parameters: (_) @bind.name) @bind.anywhere
(lambda parameters: (_)? @bind.name) @bind.anywhere
(typed_parameter (_) @bind.name type: (_) @bind.type) @bind.anywhere
(default_parameter name: (_) @bind.name) @bind.anywhere
(typed_default_parameter name: (_) @bind.name type: (_) @bind.type) @bind.anywhere
(assignment left: (_) @bind.name type: (_)? @bind.type right: (_)? @bind.value) @bind.anywhere
(augmented_assignment left: (_) @bind.name) @bind.anywhere
(named_expression name: (_) @bind.name value: (_) @bind.value) @bind.anywhere
(for_statement left: (_) @bind.name) @bind.anywhere
(for_in_clause left: (_) @bind.name) @bind.anywhere
(as_pattern . (_) @bind.value alias: (as_pattern_target (_) @bind.name)) @bind.anywhere
(except_clause (as_pattern . (_) @bind.type alias: (as_pattern_target (_) @bind.name)) @bind.anywhere)
(case_pattern (dotted_name . (identifier) @bind.anywhere @bind.name .))
(keyword_pattern (dotted_name . (identifier) @bind.anywhere @bind.name .))
(splat_pattern (identifier) @bind.anywhere @bind.name)
(global_statement (identifier) @unbind)
(nonlocal_statement (identifier) @unbind)
[(parameters) (lambda_parameters) (pattern_list) (tuple_pattern) (list_pattern) (list_splat_pattern) (dictionary_splat_pattern)] @pattern
(class_definition type_parameters: (type_parameter (type (identifier) @bind @bind.name)))
(function_definition type_parameters: (type_parameter (type (identifier) @bind @bind.name)))

; The object itself is the first parameter of a method, whatever its name, unless the method says that it has none.
(class_definition body: (block (function_definition parameters: (parameters . (identifier) @receiver))))
(class_definition
  body: (block (decorated_definition definition: (function_definition parameters: (parameters . (identifier) @receiver)))))
(class_definition
  body: (block (function_definition parameters: (parameters . (typed_parameter (identifier) @bind.name) @receiver))))
(class_definition
  body: (block
    (decorated_definition
      (decorator (identifier) @_decorator)
      definition: (function_definition parameters: (parameters . (identifier) @bind.anywhere @bind.name))))
  (#eq? @_decorator "staticmethod"))

[(import_statement) (import_from_statement) (future_import_statement)] @skip

; What definitions give and take.
(function_definition name: (_) @of parameters: (_) @takes return_type: (_)? @gives) @given
(assignment left: (_) @of type: (_)? @gives right: (_)? @gives.value) @given
(assignment left: (attribute attribute: (_) @of) type: (_)? @gives right: (_)? @gives.value) @given
[(default_parameter) (typed_default_parameter)] @optional
[(list_splat_pattern) (dictionary_splat_pattern) (list_splat) (dictionary_splat)] @spread
(typed_parameter [(list_splat_pattern) (dictionary_splat_pattern)]) @spread
[(keyword_separator) (positional_separator)] @parameter.none

; What is brought in.
(import_statement name: (dotted_name) @module) @import
(import_statement name: (aliased_import name: (_) @module alias: (_) @known_as)) @import
(import_from_statement module_name: (_) @module name: (dotted_name) @name) @import
(import_from_statement module_name: (_) @module name: (aliased_import name: (_) @name alias: (_) @known_as)) @import
(import_from_statement module_name: (_) @module (wildcard_import) @all) @import

(class_definition name: (_) @heir superclasses: (argument_list [(identifier) (attribute)] @of)) @base
(class_definition name: (_) @heir superclasses: (argument_list (subscript value: (_) @of))) @base
