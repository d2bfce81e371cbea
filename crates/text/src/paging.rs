//! Pages of a long text, counted in characters so that no character is cut in half.

/// A page of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextPage {
    /// The text of this page.
    pub text: String,
    /// The number of characters of the whole text.
    pub total: usize,
    /// Where the next page begins, in characters; `None` on the last page.
    pub next: Option<usize>,
}

/// Returns at most `length` characters from the character `offset` on. Past the end the page is empty.
pub fn take_page(text: &str, offset: usize, length: usize) -> TextPage {
    let total = text.chars().count();
    let offset = offset.min(total);
    let end = offset.saturating_add(length).min(total);
    let start_byte = byte_of(text, offset);
    let part = &text[start_byte..];
    let part = &part[..byte_of(part, end - offset)];
    TextPage { text: part.to_owned(), total, next: (end < total).then_some(end) }
}

/// The byte at which the character with this number begins; past the end, the length of the text.
fn byte_of(text: &str, character: usize) -> usize {
    text.char_indices().nth(character).map_or(text.len(), |(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_counted_in_characters_and_follow_each_other() {
        let text = "aé😀\r\nz";
        assert_eq!(take_page(text, 0, 3), TextPage { text: "aé😀".into(), total: 6, next: Some(3) });
        assert_eq!(take_page(text, 3, 3), TextPage { text: "\r\nz".into(), total: 6, next: None });
        assert_eq!(take_page(text, 0, usize::MAX), TextPage { text: text.into(), total: 6, next: None });
        assert_eq!(take_page(text, 9, 4), TextPage { text: String::new(), total: 6, next: None });
        assert_eq!(take_page("", 0, 4), TextPage { text: String::new(), total: 0, next: None });
    }

    #[test]
    fn a_length_of_nothing_says_where_to_go_on() {
        assert_eq!(take_page("abc", 1, 0), TextPage { text: String::new(), total: 3, next: Some(1) });
    }

    #[test]
    fn all_parts_together_are_the_text() {
        let text = "Zürich\n\n日本語のノート 🗻\n".repeat(50);
        for length in [1, 7, 64] {
            let (mut read, mut next) = (String::new(), Some(0));
            while let Some(offset) = next {
                let part = take_page(&text, offset, length);
                read.push_str(&part.text);
                next = part.next;
            }
            assert_eq!(read, text);
        }
    }
}
