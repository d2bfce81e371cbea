//! Texts that leave something open, and those that do not.

use super::*;

#[test]
fn open_fences_and_comments_are_closed() {
    for (text, after) in [
        ("```\na", "```\na\n```"),
        ("```rust\na\n", "```rust\na\n```\n"),
        ("~~~~\n~~~\n", "~~~~\n~~~\n~~~~\n"),
        ("````\n```\n", "````\n```\n````\n"),
        ("> ```\n> a\n", "> ```\n> a\n> ```\n"),
        ("- ```\n  a\n", "- ```\n  a\n  ```\n"),
        ("10. x\n    ```\n    a\n", "10. x\n    ```\n    a\n    ```\n"),
        ("%%\nx\r\n", "%%\nx\r\n%%\n"),
        ("x\r\n%% y", "x\r\n%% y\r\n%%"),
        ("<!-- x", "<!-- x\n-->"),
        ("  <!-- x\n", "  <!-- x\n-->\n"),
        ("<pre>\na\n\nb", "<pre>\na\n\nb\n</pre>"),
        ("<?php\n", "<?php\n?>\n"),
        ("a\n<script>\n", "a\n<script>\n</script>\n"),
        ("<div>\na\n", "<div>\na\n"),
        ("a <!-- b\n", "a <!-- b\n"),
        ("```\na\n```\n", "```\na\n```\n"),
        ("a %% b", "a %% b"),
        ("`` ` ``", "`` ` ``"),
        ("```a``` b", "```a``` b"),
        ("> ```\n> a\nb", "> ```\n> a\nb"),
        ("    ```\n", "    ```\n"),
        ("%% a %%", "%% a %%"),
        ("", ""),
    ] {
        assert_eq!(close_open_blocks(text), after, "{text:?}");
        assert_eq!(close_open_blocks(after), after, "{text:?}");
    }
}
