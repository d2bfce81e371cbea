//! Writes hidden and acting characters out by their number, `⟨U+202E⟩`, so that a reader sees them and nothing obeys them.

use std::borrow::Cow;

use super::strip_hidden;

/// Writes out every hidden and control character: whoever confirms a text has to see all of it.
pub fn reveal_hidden(text: &str) -> String {
    let hidden = |letter: char| strip_hidden(letter.encode_utf8(&mut [0; 4])).1 > 0;
    reveal(text, hidden).into_owned()
}

/// Writes out what a terminal would act on, and what turns the order of words around. Line ends, tabs and everything
/// visible stay, and so do joiners and variation selectors, which emoji and some scripts need.
pub fn reveal_controls(text: &str) -> Cow<'_, str> {
    reveal(text, acts_on_terminal)
}

/// Whether a terminal acts on the character, or displays what follows in another order.
pub fn acts_on_terminal(letter: char) -> bool {
    let turns = matches!(
        letter,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    );
    turns || (letter.is_control() && !matches!(letter, '\n' | '\t'))
}

fn reveal(text: &str, is_revealed: impl Fn(char) -> bool) -> Cow<'_, str> {
    // Most texts have none.
    if !text.chars().any(&is_revealed) {
        return Cow::Borrowed(text);
    }
    let mut seen = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let ends_line = letter == '\r' && letters.peek() == Some(&'\n');
        if !ends_line && is_revealed(letter) {
            seen += &format!("⟨U+{:04X}⟩", u32::from(letter));
        } else {
            seen.push(letter);
        }
    }
    Cow::Owned(seen)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_acts_on_a_terminal_is_left_and_nothing_else_is_touched() {
        for letter in (0..=0x10_ffff).filter_map(char::from_u32) {
            let text = format!("a{letter}b");
            let shown = reveal_controls(&text);
            assert!(!shown.chars().any(acts_on_terminal), "U+{:04X}", u32::from(letter));
            if !acts_on_terminal(letter) {
                assert_eq!(shown, text, "U+{:04X}", u32::from(letter));
            }
        }
        assert_eq!(reveal_controls("\x1b[2J\u{9b}1m\rx"), "⟨U+001B⟩[2J⟨U+009B⟩1m⟨U+000D⟩x");
    }

    #[test]
    fn ordinary_text_stays_as_it_is() {
        for text in ["Honey\n\tand wax\r\n", "👩‍🌾 ❤️", "می‌خواهم", "עברית", "ü é 蜂"]
        {
            assert_eq!(reveal_controls(text), text);
        }
    }

    #[test]
    fn whoever_confirms_a_text_sees_joiners_too() {
        assert_eq!(reveal_hidden("a\u{200d}b\r\n\u{202e}"), "a⟨U+200D⟩b\r\n⟨U+202E⟩");
    }
}
