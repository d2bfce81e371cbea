//! The fields and tags of prose in other formats than Markdown: reStructuredText, AsciiDoc and Org.
//!
//! Lenient: a line that looks like a field is one wherever it stands, so that no mark of the author is overlooked.

use std::collections::HashSet;

use crate::{BOM, fold};

/// The fields and tags of a file.
///
/// | written | in |
/// | --- | --- |
/// | `:name: value` | all three: a field, an attribute, a property |
/// | `.. tags:: a, b` | reStructuredText |
/// | `#+NAME: value` `#+PROPERTY: name value` `* Heading :a:b:` | Org |
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProseFields {
    /// The fields in the order of the text, their names case-folded. A field without a value has an empty one.
    pub fields: Vec<(String, String)>,
    /// The tags of fields and headings without `#`, each once; case is ignored.
    pub tags: Vec<String>,
}

impl ProseFields {
    /// Reads the whole text of a file, `is_org` if it is in the format of Org mode.
    pub fn parse(text: &str, is_org: bool) -> Self {
        let mut found = Self::default();
        let mut tags: Vec<String> = Vec::new();
        // The indentation of the field that the next line may continue.
        let mut open: Option<usize> = None;
        for line in text.trim_start_matches(BOM).lines() {
            let written = line.trim();
            let indent = line.len() - line.trim_start().len();
            if let Some((name, value)) = parse_field(written, is_org) {
                found.fields.push((fold(name), strip_continuation(value).to_owned()));
                // A line that ends with a backslash goes on without indentation.
                open = Some(if value.ends_with('\\') { 0 } else { indent + 1 });
                continue;
            }
            let last = found.fields.last_mut().map(|(_, value)| value);
            if let (Some(least), Some(value)) = (open, last) {
                if written.is_empty() && value.is_empty() {
                    continue;
                }
                if !written.is_empty() && indent >= least {
                    if !value.is_empty() {
                        value.push(' ');
                    }
                    value.push_str(strip_continuation(written));
                    if least == 0 && !written.ends_with('\\') {
                        open = None;
                    }
                    continue;
                }
            }
            open = None;
            if is_org {
                tags.extend(heading_tags(line));
            }
        }
        let of_fields = found.fields.iter().filter(|(name, _)| is_tag_field(name));
        tags.extend(of_fields.flat_map(|(_, value)| split_tags(value)));
        let mut seen = HashSet::new();
        found.tags = tags.into_iter().filter(|tag| seen.insert(fold(tag))).collect();
        found
    }
}

/// The name and the value of a line that is a field.
fn parse_field(written: &str, is_org: bool) -> Option<(&str, &str)> {
    if let Some(tags) = written.strip_prefix(".. tags::") {
        return Some(("tags", tags.trim()));
    }
    let (name, value) = match written.strip_prefix("#+") {
        Some(keyword) if is_org => keyword.split_once(':')?,
        _ => written.strip_prefix(':')?.split_once(':')?,
    };
    let is_role = !written.starts_with("#+") && !value.is_empty() && !value.starts_with([' ', '\t']);
    if is_role || name.is_empty() || name.contains(char::is_whitespace) {
        return None;
    }
    let (name, value) = (name.trim_end_matches('+'), value.trim());
    if written.starts_with("#+") && name.eq_ignore_ascii_case("property") {
        let (name, value) = value.split_once(char::is_whitespace).unwrap_or((value, ""));
        return Some((name.trim_end_matches('+'), value.trim()));
    }
    Some((name, value))
}

fn strip_continuation(value: &str) -> &str {
    value.strip_suffix('\\').map_or(value, str::trim_end)
}

/// Whether a field has tags: `tags`, `filetags`, `page-tags`.
fn is_tag_field(name: &str) -> bool {
    matches!(name, "tag" | "tags" | "filetags") || name.ends_with("-tags")
}

/// The tags of a value, whatever separates them.
fn split_tags(value: &str) -> Vec<String> {
    let is_separator = |letter: char| letter.is_whitespace() || ",;:[]\"'".contains(letter);
    let words = value.split(is_separator).map(|word| word.trim_start_matches('#').trim_end_matches('/'));
    words.filter(|word| word.contains(|letter: char| !"-*/".contains(letter))).map(str::to_owned).collect()
}

/// The tags behind a heading of Org mode: `** Title :a:b:`.
fn heading_tags(line: &str) -> Vec<String> {
    let title = line.trim_start_matches('*');
    let is_heading = title.len() < line.len() && title.starts_with([' ', '\t']);
    let last = title.split_whitespace().next_back().filter(|_| is_heading);
    let tags = last.filter(|last| last.len() > 2 && last.starts_with(':') && last.ends_with(':'));
    tags.map(split_tags).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tags(text: &str, is_org: bool) -> Vec<String> {
        ProseFields::parse(text, is_org).tags
    }

    fn field(text: &str, name: &str) -> Option<String> {
        let fields = ProseFields::parse(text, false).fields;
        fields.into_iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    #[test]
    fn org_has_tags_of_the_file_and_of_headings() {
        assert_eq!(tags("#+FILETAGS: :private:work:\n\nText\n", true), ["private", "work"]);
        assert_eq!(tags("\u{feff}#+filetags: private\r\n", true), ["private"]);
        assert_eq!(tags("* Open\n** TODO Secret\t:Private:a_b:\n", true), ["Private", "a_b"]);
        assert_eq!(tags("* A time 10:30:\n*bold* :no:\ntext :no:\n", true), Vec::<String>::new());
        assert_eq!(tags("* Item of a list :no:\n", false), Vec::<String>::new());
    }

    #[test]
    fn a_field_of_tags_is_read_however_it_is_written() {
        for text in [
            ":tags: a, private\n",
            ":Tags: a private\n",
            ":tags:\n\n   - a\n   - private\n",
            ":tags: a,\n   private\n",
            ":page-tags: [a, \"private\"]\n",
            ":tags: a, \\\nprivate\n",
            ".. tags:: a, #private/\n",
            "Title\n=====\n\n:author: Ann\n:tags: a, private\n\nText\n",
        ] {
            assert_eq!(tags(text, false), ["a", "private"], "{text}");
        }
    }

    #[test]
    fn fields_have_names_and_values() {
        assert_eq!(field("Title\n=====\n:Private: true\n", "private").as_deref(), Some("true"));
        assert_eq!(field(":private:\n\nText\n", "private").as_deref(), Some(""));
        assert_eq!(field(":private: no\nText\n", "private").as_deref(), Some("no"));
        assert_eq!(field(":!private:\n:private!:\n", "private"), None);
        assert_eq!(field(":private:`a role`\n:param private: a field of code\n", "private"), None);
        let org = ProseFields::parse(":PROPERTIES:\n  :PRIVATE: t\n:END:\n#+PROPERTY: kind diary\n", true);
        let has = |name: &str, value: &str| org.fields.contains(&(name.to_owned(), value.to_owned()));
        assert!(has("private", "t") && has("kind", "diary"), "{org:?}");
    }
}
