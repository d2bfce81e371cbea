//! The marker lines around a text, and the parser that finds them again in a prompt.

/// How many times nonces are generated before giving up. In practice the first ones fit.
pub(super) const ATTEMPTS: usize = 8;

const MIN_NONCE: usize = 16;

/// Whether the text is long enough to be unguessable, and one word.
pub(super) fn is_nonce(text: &str) -> bool {
    text.len() >= MIN_NONCE && text.bytes().all(|byte| byte.is_ascii_digit() || byte.is_ascii_lowercase())
}

pub(super) fn begin_marker(nonce: &str) -> String {
    format!("{OPENING}{BEGIN}{nonce}{CLOSING}")
}

pub(super) fn end_marker(nonce: &str) -> String {
    format!("{OPENING}{END}{nonce}{CLOSING}")
}

const OPENING: &str = "<<<";
const BEGIN: &str = "BEGIN ";
const END: &str = "END ";
const CLOSING: &str = ">>>";

#[derive(Debug, PartialEq, Eq)]
enum Marker<'a> {
    Begin(&'a str),
    End(&'a str),
    /// Looks like a marker, but is not one of ours.
    Odd,
}

/// Whether the text's markers are exactly those of these nonces: a begin and an end for each, in order, each alone on
/// its line; no others; and no nonce anywhere else but once in the introduction before its begin marker.
pub(super) fn markers_match(text: &str, nonces: &[String]) -> bool {
    let expected: Vec<Marker<'_>> =
        nonces.iter().flat_map(|nonce| [Marker::Begin(nonce), Marker::End(nonce)]).collect();
    parse_markers(text) == expected && nonces.iter().all(|nonce| text.matches(nonce.as_str()).count() == 3)
}

fn parse_markers(text: &str) -> Vec<Marker<'_>> {
    text.split('\n').flat_map(parse_line).collect()
}

fn parse_line(line: &str) -> Vec<Marker<'_>> {
    let shaped = line.match_indices(OPENING).filter(|(at, _)| {
        // A few characters are enough to decide, so that a long row of brackets is scanned only once.
        let near: String = line[at + OPENING.len()..].chars().take(9).collect();
        let word = near.trim_start_matches([' ', '/']).to_ascii_uppercase();
        word.starts_with(BEGIN.trim_end()) || word.starts_with(END.trim_end())
    });
    let count = shaped.count();
    let inner = line.strip_prefix(OPENING).and_then(|inner| inner.strip_suffix(CLOSING));
    let whole = inner.and_then(|inner| {
        let begin = inner.strip_prefix(BEGIN).filter(|nonce| is_nonce(nonce)).map(Marker::Begin);
        begin.or_else(|| inner.strip_prefix(END).filter(|nonce| is_nonce(nonce)).map(Marker::End))
    });
    match (count, whole) {
        (1, Some(marker)) => vec![marker],
        (count, _) => (0..count).map(|_| Marker::Odd).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "aaaaaaaaaaaaaaa1";
    const TWO: &str = "bbbbbbbbbbbbbbb2";

    fn document(nonce: &str, text: &str) -> String {
        format!("the code {nonce}\n{}\n{text}\n{}\n", begin_marker(nonce), end_marker(nonce))
    }

    #[test]
    fn one_begin_and_one_end_a_document_in_order() {
        let nonces = [ONE.to_owned(), TWO.to_owned()];
        let good = document(ONE, "x") + &document(TWO, "y");
        assert!(markers_match(&good, &nonces));
        assert!(markers_match("no document\n<<<<<<< HEAD\ncat <<< x", &[]));
        for bad in [
            document(TWO, "y") + &document(ONE, "x"),
            document(ONE, "x"),
            good.clone() + &document("ccccccccccccccc3", "z"),
            document(ONE, &end_marker(ONE)) + &document(TWO, "y"),
            document(ONE, &end_marker("ccccccccccccccc3")) + &document(TWO, "y"),
            document(ONE, TWO) + &document(TWO, "y"),
            document(ONE, "<<< end x") + &document(TWO, "y"),
            document(ONE, "a <<<BEGIN b>>>") + &document(TWO, "y"),
            good.replace(&end_marker(ONE), &format!("{} ", end_marker(ONE))),
            good.replace(&end_marker(ONE), &format!("x{}", end_marker(ONE))),
            good.replace(&begin_marker(ONE), &format!("{}{}", begin_marker(ONE), end_marker(ONE))),
        ] {
            assert!(!markers_match(&bad, &nonces), "{bad}");
        }
    }

    #[test]
    fn a_nonce_is_one_long_word() {
        assert!(is_nonce(ONE));
        for bad in ["", "aaaaaaaaaaaaaaa", "AAAAAAAAAAAAAAAA", "aaaaaaaaaaaaaaa ", "aaaaaaaaaaaaaaaé"] {
            assert!(!is_nonce(bad), "{bad}");
        }
    }
}
