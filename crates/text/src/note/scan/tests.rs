//! Comments, math blocks and open ends.

use super::*;

#[test]
fn comments_and_math_are_found_in_reading_order() {
    for (text, comments, math) in [
        ("a %%b%% c", &["%%b%%"][..], &[][..]),
        ("%%\n```\n%%\nx", &["%%\n```\n%%"], &[]),
        ("```\n%%\n```\n%%a%%", &["%%a%%"], &[]),
        ("`%%` %%a%% `%%`", &["%%a%%"], &[]),
        ("$a%%b$ %%c%%", &["%%c%%"], &[]),
        ("$$\n%%\n$$\n%%c%%", &["%%c%%"], &["$$\n%%\n$$"]),
        ("%% $$ %%\n$$ x $$", &["%% $$ %%"], &["$$ x $$"]),
        ("> $$\n> x\n> $$\n", &[], &["$$\n> x\n> $$"]),
        ("a %% b\n\nc %% d", &[], &[]),
        ("\\%%a%% b%%", &["%% b%%"], &[]),
        ("$$ open", &[], &[]),
        ("%%%%", &["%%%%"], &[]),
        ("%% a", &["%% a"], &[]),
        ("- %%a%%", &["%%a%%"], &[]),
        ("ü`ü%%ü`%%é%%", &["%%é%%"], &[]),
    ] {
        let scan = scan(text);
        let shown =
            |spans: &[Span]| spans.iter().map(|span| text[span.clone()].to_owned()).collect::<Vec<_>>();
        assert_eq!(shown(&scan.comments), comments, "{text:?}");
        assert_eq!(shown(&scan.math), math, "{text:?}");
    }
}
