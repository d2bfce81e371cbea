//! The marker lines around a text, and the parser that finds them again in a prompt.

/// How often nonces are drawn before it is given up. By chance not even the second is needed.
pub(super) const ATTEMPTS: usize = 8;

const SHORTEST_NONCE: usize = 16;

/// Long enough that nobody guesses it, and of one word.
pub(super) fn is_nonce(text: &str) -> bool {
    text.len() >= SHORTEST_NONCE
        && text.bytes().all(|byte| byte.is_ascii_digit() || byte.is_ascii_lowercase())
}

pub(super) fn begin(nonce: &str) -> String {
    format!("{OPENING}{BEGIN}{nonce}{CLOSING}")
}

pub(super) fn end(nonce: &str) -> String {
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
    /// Shaped like one, but not as ours are.
    Odd,
}

/// Whether the markers of this text are those of these nonces: a begin and an end for each, in order, each alone on its
/// line; no other; and no nonce anywhere else but once in the words before its begin.
pub(super) fn are_exactly(text: &str, nonces: &[String]) -> bool {
    let expected: Vec<Marker<'_>> =
        nonces.iter().flat_map(|nonce| [Marker::Begin(nonce), Marker::End(nonce)]).collect();
    parse(text) == expected && nonces.iter().all(|nonce| text.matches(nonce.as_str()).count() == 3)
}

fn parse(text: &str) -> Vec<Marker<'_>> {
    text.split('\n').flat_map(markers_of_line).collect()
}

fn markers_of_line(line: &str) -> Vec<Marker<'_>> {
    let shaped = line.match_indices(OPENING).filter(|(at, _)| {
        // Some letters are enough to tell, so that a long row of brackets costs one pass.
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
        format!("the code {nonce}\n{}\n{text}\n{}\n", begin(nonce), end(nonce))
    }

    #[test]
    fn one_begin_and_one_end_a_document_in_order() {
        let nonces = [ONE.to_owned(), TWO.to_owned()];
        let good = document(ONE, "x") + &document(TWO, "y");
        assert!(are_exactly(&good, &nonces));
        assert!(are_exactly("no document\n<<<<<<< HEAD\ncat <<< x", &[]));
        for bad in [
            document(TWO, "y") + &document(ONE, "x"),
            document(ONE, "x"),
            good.clone() + &document("ccccccccccccccc3", "z"),
            document(ONE, &end(ONE)) + &document(TWO, "y"),
            document(ONE, &end("ccccccccccccccc3")) + &document(TWO, "y"),
            document(ONE, TWO) + &document(TWO, "y"),
            document(ONE, "<<< end x") + &document(TWO, "y"),
            document(ONE, "a <<<BEGIN b>>>") + &document(TWO, "y"),
            good.replace(&end(ONE), &format!("{} ", end(ONE))),
            good.replace(&end(ONE), &format!("x{}", end(ONE))),
            good.replace(&begin(ONE), &format!("{}{}", begin(ONE), end(ONE))),
        ] {
            assert!(!are_exactly(&bad, &nonces), "{bad}");
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
