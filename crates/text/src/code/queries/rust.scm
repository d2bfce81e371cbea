(function_item name: (_) @name body: (_) @body) @definition.function
(function_signature_item name: (_) @name) @definition.function
(struct_item name: (_) @name body: (_)? @body) @definition.struct
(union_item name: (_) @name body: (_) @body) @definition.struct
(enum_item name: (_) @name body: (_) @body) @definition.enum
(trait_item name: (_) @name body: (_) @body) @definition.trait
(mod_item name: (_) @name body: (_)? @body) @definition.module
(macro_definition name: (_) @name . (macro_rule)? @body) @definition.macro
(const_item name: (_) @name) @definition.constant
(static_item name: (_) @name) @definition.variable
(type_item name: (_) @name) @definition.type
(associated_type name: (_) @name) @definition.type
(field_declaration name: (_) @name) @part.field
(enum_variant name: (_) @name) @part.constant

(impl_item type: (_) @name body: (_) @body) @scope

(line_comment !inner) @comment
(block_comment !inner) @comment
(attribute_item) @attribute
