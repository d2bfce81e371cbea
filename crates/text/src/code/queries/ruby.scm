(module name: (_) @name body: (_)? @body) @definition.module
(class name: (_) @name body: (_)? @body) @definition.class
(method name: (_) @name body: (_)? @body) @definition.function
(singleton_method name: (_) @name body: (_)? @body) @definition.method
(program (assignment left: (constant) @name) @definition.constant)
(body_statement (assignment left: (constant) @name) @definition.constant)
(program (assignment left: [(global_variable) (identifier)] @name) @definition.variable)
(call
  method: (identifier) @_method
  arguments: (argument_list (simple_symbol) @name)
  (#match? @_method "^attr_(reader|writer|accessor)$")) @definition.field
(call
  method: (identifier) @_method
  arguments: (argument_list . (simple_symbol) @name)
  block: (_) @body
  (#eq? @_method "define_method")) @definition.function
(assignment
  left: (constant) @name
  right: (call
    receiver: (constant) @_class
    method: (identifier) @_method
    block: (_) @body)
  (#match? @_class "^(Struct|Class|Data)$")
  (#match? @_method "^(new|define)$")) @definition.class

(comment) @comment
