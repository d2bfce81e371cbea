; Elements of a page: those with a capital letter are ours.
(jsx_opening_element name: (identifier) @type (#match? @type "^[A-Z]")) @value.make
(jsx_opening_element name: (member_expression) @type) @value.make
(jsx_opening_element name: (identifier) @silent (#match? @silent "^[a-z]"))
(jsx_self_closing_element name: (identifier) @type (#match? @type "^[A-Z]")) @value.make
(jsx_self_closing_element name: (member_expression) @type) @value.make
(jsx_self_closing_element name: (identifier) @silent (#match? @silent "^[a-z]"))
(jsx_closing_element) @skip
