//! Durations and counts as people read them, and text that a terminal can be given. Programs get numbers.

pub use wellread_text::{acts_on_terminal, reveal_controls};

use std::fmt::Display;
use std::time::Duration;

/// `80 ms`, `4.5 s`, `4 min 3 s`, `2 h 5 min 1 s`; a part that is zero is left out.
pub fn render_duration(duration: Duration) -> String {
    let ms = duration.as_millis();
    if ms < 1000 {
        return format!("{ms} ms");
    }
    let tenths = (ms + 50) / 100;
    if tenths < 600 {
        return match tenths % 10 {
            0 => format!("{} s", tenths / 10),
            rest => format!("{}.{rest} s", tenths / 10),
        };
    }
    let seconds = (ms + 500) / 1000;
    let parts = [(seconds / 3600, "h"), (seconds / 60 % 60, "min"), (seconds % 60, "s")];
    let parts: Vec<_> = parts
        .iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, unit)| format!("{number} {unit}"))
        .collect();
    parts.join(" ")
}

/// Markdown without the backslashes that keep its words from being read as markup, for where nothing reads it as Markdown.
/// Code stays as it is.
pub fn strip_escapes(markdown: &str) -> String {
    let mut out = String::with_capacity(markdown.len());
    let mut is_fenced = false;
    for line in markdown.split_inclusive('\n') {
        let is_fence = line.trim_start().starts_with("```");
        is_fenced ^= is_fence;
        if is_fence || is_fenced {
            out.push_str(line);
        } else {
            push_unescaped(&mut out, line);
        }
    }
    out
}

fn push_unescaped(out: &mut String, line: &str) {
    let mut is_code = false;
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        is_code ^= letter == '`';
        let escaped = letters.next_if(|next| letter == '\\' && !is_code && next.is_ascii_punctuation());
        out.push(escaped.unwrap_or(letter));
    }
}

/// A count with its noun: `1 file`, `3 files`.
pub fn counted<N: Copy + Display + PartialEq + From<u8>>(number: N, one: &str, several: &str) -> String {
    let noun = if number == N::from(1) { one } else { several };
    format!("{number} {noun}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_is_given_in_the_units_that_people_use() {
        for (ms, shown) in [
            (0, "0 ms"),
            (999, "999 ms"),
            (1000, "1 s"),
            (4540, "4.5 s"),
            (59_960, "1 min"),
            (243_000, "4 min 3 s"),
            (3_600_000, "1 h"),
            (7_501_000, "2 h 5 min 1 s"),
        ] {
            assert_eq!(render_duration(Duration::from_millis(ms)), shown);
        }
    }

    #[test]
    fn escapes_are_for_markdown_alone() {
        for (markdown, plain) in [
            (r"\#oak and \=\=38\=\=, \$4.50\$", "#oak and ==38==, $4.50$"),
            (r"a \\ b, `x\[0\]` and \[y\]", r"a \ b, `x\[0\]` and [y]"),
            ("\\[a\\]\n```\n\\[b\\]\n```\n\\[c\\]", "[a]\n```\n\\[b\\]\n```\n[c]"),
            (r"C:\Hives", r"C:\Hives"),
        ] {
            assert_eq!(strip_escapes(markdown), plain);
        }
    }

    #[test]
    fn a_count_has_its_noun() {
        assert_eq!(counted(1_usize, "agenda is", "agendas are"), "1 agenda is");
        assert_eq!(counted(0_u64, "file", "files"), "0 files");
    }
}
