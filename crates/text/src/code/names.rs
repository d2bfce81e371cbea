//! The name of a definition as it is written in the source, without anything that does not belong to it.
//!
//! Knows no language: what takes a name apart in one is no part of a name in another.

/// A longer name is none; it would be repeated in whatever stands under it.
const MAX_NAME: usize = 200;

/// The parts of a name, outermost first: `Box`, `get` for `Box<T>::get`. `None` when it is no name.
pub(super) fn parts(raw: &str) -> Option<Vec<String>> {
    let raw = raw.trim();
    if raw.is_empty() || raw.len() > MAX_NAME || raw.contains('\n') {
        return None;
    }
    if let Some(quoted) = unquote(raw) {
        return (!quoted.is_empty()).then(|| vec![quoted.to_owned()]);
    }
    let parts = split(strip_type_prefix(raw));
    Some(if parts.is_empty() { vec![raw.to_owned()] } else { parts })
}

/// The parts of what a function belongs to, though nothing encloses it there. A file's exports are nobody.
pub(super) fn owner_parts(raw: &str) -> Vec<String> {
    let mut parts = parts(raw).unwrap_or_default();
    parts.retain(|part| !matches!(part.as_str(), "prototype" | "exports" | "module" | "this" | "self"));
    parts
}

fn unquote(raw: &str) -> Option<&str> {
    ['"', '\'', '`'].iter().find_map(|&quote| raw.strip_prefix(quote)?.strip_suffix(quote))
}

/// Without the signs and words before a type: pointers, references, lifetimes.
fn strip_type_prefix(raw: &str) -> &str {
    let mut rest = raw;
    loop {
        let before = rest;
        rest = rest.trim_start();
        // An operator is made of such signs and of nothing else.
        if rest.contains(char::is_alphanumeric) {
            rest = rest.trim_start_matches(['&', '*', ':']);
        }
        for word in ["mut ", "dyn ", "const "] {
            rest = rest.strip_prefix(word).unwrap_or(rest);
        }
        if let Some(lifetime) = rest.strip_prefix('\'') {
            rest = lifetime.split_once(' ').map_or(rest, |(_, after)| after);
        }
        if rest == before {
            return rest;
        }
    }
}

/// Cuts at `::`, `.` and `:`, and leaves out what stands in brackets behind a name.
fn split(raw: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut depth = 0usize;
    for (at, letter) in raw.char_indices() {
        let part = parts.last().map_or("", String::as_str);
        // What is behind the word is the operator's name, whatever signs it has.
        if depth == 0 && part.is_empty() && is_operator(&raw[at..]) {
            push(&mut parts, &raw[at..]);
            break;
        }
        match letter {
            '<' | '[' | '(' if depth > 0 || !part.is_empty() => depth += 1,
            '>' | ']' | ')' if depth > 0 => depth -= 1,
            _ if depth > 0 => {}
            ':' | '.' if !part.is_empty() => parts.push(String::new()),
            ':' | '.' if parts.len() > 1 => {}
            _ => push(&mut parts, letter.encode_utf8(&mut [0; 4])),
        }
    }
    parts.retain_mut(|part| {
        part.truncate(part.trim_end().len());
        !part.is_empty()
    });
    parts
}

fn push(parts: &mut [String], text: &str) {
    if let Some(last) = parts.last_mut() {
        last.push_str(text);
    }
}

fn is_operator(raw: &str) -> bool {
    raw.strip_prefix("operator").is_some_and(|rest| {
        !rest.is_empty() && !rest.starts_with(|letter: char| letter.is_alphanumeric() || letter == '_')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_taken_apart_and_cleaned() {
        for (raw, expected) in [
            ("parse", vec!["parse"]),
            ("Box<T>::get", vec!["Box", "get"]),
            ("ns::Map<K, std::pair<A, B>>::~Map", vec!["ns", "Map", "~Map"]),
            ("Foo::operator<<", vec!["Foo", "operator<<"]),
            ("operator std::string", vec!["operator std::string"]),
            ("operators", vec!["operators"]),
            ("&'a mut fmt::Formatter<'_>", vec!["fmt", "Formatter"]),
            ("*Parser[T]", vec!["Parser"]),
            ("[u8; 4]", vec!["[u8; 4]"]),
            ("<=>", vec!["<=>"]),
            ("[]=", vec!["[]="]),
            ("*", vec!["*"]),
            (":radius", vec!["radius"]),
            ("M.sub:go", vec!["M", "sub", "go"]),
            ("\"a.b\"", vec!["a.b"]),
            ("App\\Models", vec!["App\\Models"]),
        ] {
            assert_eq!(parts(raw).unwrap(), expected, "{raw}");
        }
        for none in ["", " ", "\"\"", "a\nb", &"a".repeat(201)] {
            assert_eq!(parts(none), None, "{none}");
        }
    }

    #[test]
    fn an_owner_is_no_place_of_export() {
        assert_eq!(owner_parts("Foo.prototype"), ["Foo"]);
        assert!(owner_parts("module.exports").is_empty());
    }
}
