; Names and what they stand for.
(identifier) @value.name
(shorthand_field_identifier) @value.name
(type_identifier) @type.name
(self) @own
[(crate) (super)] @word
((type_identifier) @own (#eq? @own "Self"))
((identifier) @own (#eq? @own "Self"))
(scoped_identifier path: (self) @word)
(field_expression value: (_) @of field: (_) @member) @value.member
(scoped_identifier path: (_)? @of name: (_) @member) @value.path
(scoped_type_identifier path: (_)? @of name: (_) @member) @type.path
(call_expression function: (_) @callee arguments: (_) @arguments) @value.call
(macro_invocation macro: (_) @callee) @value.call
(struct_expression name: (_) @type) @value.make
(type_cast_expression type: (_) @type) @value.cast
(generic_function function: (_) @inner) @through
(parenthesized_expression (_) @inner) @through
(reference_expression value: (_) @inner) @through
(unary_expression (_) @inner) @through
(await_expression (_) @inner) @through
(try_expression (_) @inner) @value.inner
[(string_literal) (raw_string_literal)] @literal.str
(integer_literal) @literal.i32
(float_literal) @literal.f64
(boolean_literal) @literal.bool
(char_literal) @literal.char
(array_expression) @literal.array
(tuple_expression) @literal.tuple
(macro_invocation macro: (identifier) @callee (#eq? @callee "vec")) @literal.Vec
(macro_invocation macro: (identifier) @callee (#eq? @callee "format")) @literal.String

; Methods of the types that hold others: what they give is the same, or what is in it.
(call_expression
  function: (field_expression value: (_) @inner field: (field_identifier) @_method) @callee
  arguments: (_) @arguments
  (#any-of? @_method "clone" "as_ref" "as_mut" "as_deref" "lock" "cloned" "ok_or" "ok_or_else" "map_err" "context" "with_context")) @through
(call_expression
  function: (field_expression value: (_) @inner field: (field_identifier) @_method) @callee
  arguments: (_) @arguments
  (#any-of? @_method "unwrap" "expect" "unwrap_or" "unwrap_or_else" "unwrap_or_default" "borrow" "borrow_mut")) @value.inner

; Types. Those that are reached through are as good as what they hold.
(primitive_type) @type.builtin
(generic_type type: (_) @inner) @through
(generic_type_with_turbofish type: (_) @inner) @through
(reference_type type: (_) @inner) @through
(pointer_type type: (_) @inner) @through
(dynamic_type trait: (_) @inner) @through
(abstract_type trait: (_) @inner) @through
(bounded_type (_) @inner) @through
(bracketed_type (_) @inner) @through
(qualified_type type: (_) @inner) @through
(trait_bounds (_) @inner) @through
(higher_ranked_trait_bound type: (_) @inner) @through
(generic_type
  type: (_) @_type
  type_arguments: (type_arguments . (_) @inner)
  (#match? @_type "(^|::)(Box|Rc|Arc|Pin|MutexGuard|RwLockReadGuard|RwLockWriteGuard|LazyLock|OnceCell|ManuallyDrop|Wrapping)$")) @through
(generic_type
  type: (_) @outer
  type_arguments: (type_arguments . (_) @inner)
  (#match? @outer "(^|::)(Option|Result|Mutex|RwLock|RefCell|Cell|OnceLock|Poll)$")) @type.wrapper

; What is bound, and where.
[(function_item) (function_signature_item) (closure_expression)] @block.function
[(impl_item) (struct_item) (enum_item) (union_item) (trait_item) (type_item)] @block.class
[(block) (match_arm) (for_expression) (if_expression) (while_expression)] @block
(parameter pattern: (_) @bind.name type: (_) @bind.type) @bind
(closure_expression parameters: (_) @bind.name) @bind
(let_declaration pattern: (_) @bind.name type: (_)? @bind.type value: (_)? @bind.value) @bind
(let_condition pattern: (_) @bind.name value: (_) @bind.value) @bind
(match_arm pattern: (_) @bind.name) @bind
(for_expression pattern: (_) @bind.name) @bind
(const_item name: (_) @bind.name type: (_) @bind.type) @bind
(static_item name: (_) @bind.name type: (_) @bind.type) @bind
(type_parameter name: (_) @bind.name bounds: (_)? @bind.type) @bind
(where_predicate left: (type_identifier) @bind.name bounds: (_) @bind.type) @bind.anywhere
(const_parameter name: (_) @bind.name type: (_) @bind.type) @bind
(assignment_expression left: (_) @bind.name right: (_) @bind.value) @rebind
(self_parameter) @receiver
(let_condition
  pattern: (tuple_struct_pattern type: (identifier) @_type . (identifier) @bind.name .)
  value: (_) @bind.inner
  (#any-of? @_type "Some" "Ok")) @bind
(let_declaration
  pattern: (tuple_struct_pattern type: (identifier) @_type . (identifier) @bind.name .)
  value: (_) @bind.inner
  (#any-of? @_type "Some" "Ok")) @bind
(match_expression
  value: (_) @bind.inner
  body: (match_block
    (match_arm
      pattern: (match_pattern
        (tuple_struct_pattern type: (identifier) @_type . (identifier) @bind.name .))) @bind)
  (#any-of? @_type "Some" "Ok"))

[(closure_parameters) (tuple_pattern) (slice_pattern) (or_pattern) (ref_pattern) (reference_pattern) (captured_pattern) (mut_pattern) (field_pattern)] @pattern
(match_pattern condition: (_)? @type) @pattern
(tuple_struct_pattern type: (_) @type) @pattern
(struct_pattern type: (_) @type) @pattern

; What is no code, or no name.
[(attribute_item) (inner_attribute_item) (visibility_modifier) (lifetime) (label) (use_declaration) (extern_crate_declaration) (token_tree_pattern) (use_bounds)] @skip
(token_tree) @tokens

; What definitions give and take.
(function_item name: (_) @of parameters: (_) @takes return_type: (_)? @gives) @given
(function_signature_item name: (_) @of parameters: (_) @takes return_type: (_)? @gives) @given
(field_declaration name: (_) @of type: (_) @gives) @given
(const_item name: (_) @of type: (_) @gives) @given
(static_item name: (_) @of type: (_) @gives) @given
(type_item name: (_) @of type: (_) @gives) @given
(enum_variant name: (_) @of body: (ordered_field_declaration_list) @takes) @given
[(visibility_modifier) (attribute_item) (mutable_specifier)] @parameter.none
(variadic_parameter) @spread

; What is brought in.
(use_declaration (visibility_modifier)? @handed_on argument: (_) @module) @tree
(use_list) @pattern
(scoped_use_list path: (_)? @outer list: (_) @inner) @pattern
(use_as_clause path: (_) @outer alias: (_) @inner) @type.wrapper
(use_wildcard (_) @outer) @type.wrapper
(extern_crate_declaration name: (_) @module alias: (_)? @known_as) @import

(impl_item trait: (_) @of type: (_) @heir) @base
(trait_item name: (_) @heir bounds: (trait_bounds (_) @of)) @base
