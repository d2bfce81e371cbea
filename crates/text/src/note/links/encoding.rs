//! The encodings of a path in a Markdown destination: percent-encoding, escapes and entities.

/// Decodes a written destination. Invalid encodings are kept as they are.
pub(crate) fn decode(written: &str) -> String {
    if !written.contains(['%', '\\', '&']) {
        return written.to_owned();
    }
    let mut bytes = Vec::with_capacity(written.len());
    let mut rest = written;
    while let Some(first) = rest.chars().next() {
        let (taken, byte) = match first {
            '%' => percent(rest),
            '\\' => escape(rest),
            '&' => entity(rest),
            _ => None,
        }
        .unwrap_or((0, 0));
        if taken > 0 {
            bytes.push(byte);
            rest = &rest[taken..];
        } else {
            bytes.extend_from_slice(&rest.as_bytes()[..first.len_utf8()]);
            rest = &rest[first.len_utf8()..];
        }
    }
    // `%ff` alone is not UTF-8: then the link is taken literally.
    String::from_utf8(bytes).unwrap_or_else(|_| written.to_owned())
}

fn percent(text: &str) -> Option<(usize, u8)> {
    let digits = text.get(1..3).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
    Some((3, u8::from_str_radix(digits, 16).ok()?))
}

fn escape(text: &str) -> Option<(usize, u8)> {
    let escaped = *text.as_bytes().get(1)?;
    escaped.is_ascii_punctuation().then_some((2, escaped))
}

/// Decodes the entities for characters that a path could not contain otherwise.
fn entity(text: &str) -> Option<(usize, u8)> {
    let known = [("&amp;", b'&'), ("&lt;", b'<'), ("&gt;", b'>'), ("&quot;", b'"'), ("&apos;", b'\'')];
    known.iter().find(|(name, _)| text.starts_with(name)).map(|&(name, byte)| (name.len(), byte))
}

/// Encodes a path so that any Markdown parser reads it back: characters with a meaning are percent-encoded, letters
/// of all scripts stay readable. Inside angle brackets, white space and parentheses may stay.
pub(crate) fn encode(path: &str, in_angle_brackets: bool) -> String {
    let mut written = String::with_capacity(path.len());
    for letter in path.chars() {
        let special = match letter {
            '%' | '#' | '?' | '<' | '>' | '\\' | '&' | '[' | ']' | '|' | '^' | '"' | '`' | '*' | '$'
            | ':' => true,
            ' ' | '(' | ')' | '\'' => !in_angle_brackets,
            _ => letter.is_control() || (letter.is_whitespace() && !in_angle_brackets),
        };
        if special {
            let mut buffer = [0; 4];
            for byte in letter.encode_utf8(&mut buffer).bytes() {
                written.push_str(&format!("%{byte:02X}"));
            }
        } else {
            written.push(letter);
        }
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_destination_is_decoded_once_and_leniently() {
        for (written, decoded) in [
            ("a%20b.md", "a b.md"),
            ("%E2%82%AC", "€"),
            ("%ff", "%ff"),
            ("100%", "100%"),
            ("%2520", "%20"),
            ("a\\(b\\)", "a(b)"),
            ("a\\b", "a\\b"),
            ("R&amp;D", "R&D"),
            ("é%C3%A9", "éé"),
            ("%+1", "%+1"),
        ] {
            assert_eq!(decode(written), decoded, "{written}");
        }
    }

    #[test]
    fn what_is_encoded_decodes_to_itself() {
        for path in [
            "a b(1).md",
            "100% <x>.md",
            "q?#a&amp;.md",
            "日本 語.md",
            "back\\slash",
            "a\tb",
            "it's [1] $x$ *",
        ] {
            assert_eq!(decode(&encode(path, false)), path);
            assert_eq!(decode(&encode(path, true)), path);
        }
        assert_eq!(encode("Zürich (1).md", false), "Zürich%20%281%29.md");
        assert_eq!(encode("Zürich (1).md", true), "Zürich (1).md");
    }
}
