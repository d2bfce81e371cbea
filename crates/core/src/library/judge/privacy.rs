//! Which files must not leave this machine, and the settings that say so.

use serde_json::Value;
use wellread_text::{Canvas, Frontmatter, Note, ProseFields, fold};

use super::{FileJudge, FilePaths, is_inside};
use crate::domain::corpus::{PathRules, VaultPath};
use crate::{Error, ErrorKind, Result};

/// Values of the key `private` with which a note is not private.
const PUBLIC_VALUES: [&str; 6] = ["", "false", "no", "off", "n", "0"];

/// Why a file is private.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum PrivateReason {
    /// It is in this private folder; the empty one is the vault itself.
    Folder(String),
    /// It has this private tag.
    Tag(String),
    /// Its frontmatter, or a field of its own format, has the key `private`.
    Key,
    /// Its frontmatter could not be read, so it might be marked as private.
    Frontmatter,
    /// It could not be read, so it might be private.
    Unreadable,
}

impl std::fmt::Display for PrivateReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Folder(folder) if folder.is_empty() => f.write_str("in the vault, all of which is private"),
            Self::Folder(folder) => write!(f, "in the folder `{folder}`"),
            Self::Tag(tag) => write!(f, "tagged `#{tag}`"),
            Self::Key => f.write_str("marked `private`"),
            Self::Frontmatter => f.write_str("with frontmatter that can't be read"),
            Self::Unreadable => f.write_str("unreadable"),
        }
    }
}

impl FileJudge<'_> {
    /// Whether a file must not leave this machine. A note, a canvas, a base or other prose that can't be read is private.
    pub fn is_private(&self, path: &VaultPath) -> bool {
        self.find_private_reason(path).is_some()
    }

    /// Why a file must not leave this machine; `None` if it may.
    pub fn find_private_reason(&self, path: &VaultPath) -> Option<PrivateReason> {
        let found = self.paths(path);
        let by_place = self.find_private_folder(&found);
        // A file with another extension may be a link to a note.
        if by_place.is_some() || !found.paths.iter().any(is_judged_by_content) {
            return by_place;
        }
        match self.files.read(path) {
            Ok(content) => {
                let text = String::from_utf8_lossy(&content.bytes);
                self.find_private_content(&found, &text, &Note::parse(&text))
            }
            Err(_) => Some(PrivateReason::Unreadable),
        }
    }

    /// Why a file must not leave this machine with this text, parsed as `note`; `None` if it may.
    pub fn find_private_reason_in(&self, path: &VaultPath, text: &str, note: &Note) -> Option<PrivateReason> {
        let found = self.paths(path);
        self.find_private_folder(&found).or_else(|| self.find_private_content(&found, text, note))
    }

    /// The private folder that a file is in, whether it exists or not.
    pub fn find_private_place(&self, path: &VaultPath) -> Option<PrivateReason> {
        self.find_private_folder(&self.paths(path))
    }

    fn find_private_folder(&self, found: &FilePaths) -> Option<PrivateReason> {
        if found.unknown {
            return Some(PrivateReason::Unreadable);
        }
        let folders = &self.layout.private_folders;
        let folder = folders.iter().find(|folder| found.paths.iter().any(|path| is_inside(path, folder)));
        folder.map(|folder| PrivateReason::Folder(folder.clone()))
    }

    /// The private folders of the settings that the vault does not have.
    pub fn find_unmatched_folders(&self) -> Result<Vec<String>> {
        let named: Vec<&String> =
            self.layout.private_folders.iter().filter(|folder| !folder.is_empty()).collect();
        if named.is_empty() {
            return Ok(Vec::new());
        }
        let folders: Vec<String> = self.files.list()?.folders.iter().map(|known| fold(known)).collect();
        Ok(named.into_iter().filter(|folder| !folders.contains(&fold(folder))).cloned().collect())
    }

    /// Judges a text by every format that one of the file's paths has.
    fn find_private_content(&self, found: &FilePaths, text: &str, note: &Note) -> Option<PrivateReason> {
        let has = |is_kind: fn(&VaultPath) -> bool| found.paths.iter().any(is_kind);
        // What is not text, such as UTF-16, might be marked in a way that is not seen.
        if text.contains('\0') && has(is_judged_by_content) {
            return Some(PrivateReason::Unreadable);
        }
        let by_cards = if has(VaultPath::is_canvas) { self.find_private_card(text) } else { None };
        let by_mark =
            || if has(|path| !path.is_canvas()) { self.find_private_mark(text, note) } else { None };
        let by_field =
            || if has(VaultPath::is_other_prose) { self.find_private_field(text, has(is_org)) } else { None };
        by_cards.or_else(by_mark).or_else(by_field)
    }

    /// Judges a text by its frontmatter and its tags. What is a mark to another program is one here, too.
    fn find_private_mark(&self, text: &str, note: &Note) -> Option<PrivateReason> {
        let foreign = if note.frontmatter.is_none() { Frontmatter::parse_foreign(text) } else { None };
        let front = note.frontmatter.as_ref().or(foreign.as_ref());
        if front.is_some_and(|front| front.fields.is_err()) {
            return Some(PrivateReason::Frontmatter);
        }
        if front.is_some_and(|front| front.fields_named(&["private"]).any(is_private_value)) {
            return Some(PrivateReason::Key);
        }
        let mut tags = note.all_tags();
        let fields = front.into_iter().flat_map(|front| front.fields_named(&["tags", "tag"]));
        fields.for_each(|value| collect_tags(value, &mut tags));
        self.find_private_tag(&tags)
    }

    /// Judges prose in another format than Markdown by its own fields and tags.
    fn find_private_field(&self, text: &str, is_org: bool) -> Option<PrivateReason> {
        let prose = ProseFields::parse(text, is_org);
        // In these formats, a field without a value is set.
        let is_set = |value: &str| value.is_empty() || is_private_value(&Value::String(value.to_owned()));
        if prose.fields.iter().any(|(name, value)| name == "private" && is_set(value)) {
            return Some(PrivateReason::Key);
        }
        self.find_private_tag(&prose.tags)
    }

    /// Judges a canvas by the tags in its cards and in the labels of groups and arrows. One that can't be understood might be
    /// private.
    fn find_private_card(&self, text: &str) -> Option<PrivateReason> {
        match Canvas::parse(text) {
            Ok(canvas) => {
                let tags = canvas.texts.iter().flat_map(|text| Note::parse(&text.text).all_tags());
                self.find_private_tag(&canvas.tags.into_iter().chain(tags).collect::<Vec<_>>())
            }
            Err(_) => Some(PrivateReason::Unreadable),
        }
    }

    fn find_private_tag(&self, tags: &[String]) -> Option<PrivateReason> {
        let tags: Vec<String> = tags.iter().map(|tag| fold(tag)).collect();
        let has = |known: &&String| {
            let known = fold(known.trim_start_matches('#'));
            let fits = |tag: &String| {
                tag.strip_prefix(&known).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            };
            tags.iter().any(fits)
        };
        self.layout.private_tags.iter().find(has).map(|tag| PrivateReason::Tag(tag.clone()))
    }
}

/// Whether a file can be marked as private in its text, by its extension.
fn is_judged_by_content(path: &VaultPath) -> bool {
    path.is_note() || path.is_other_markdown() || path.is_canvas() || path.is_other_prose() || path.is_base()
}

fn is_org(path: &VaultPath) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("org"))
}

/// Adds every word of a field of tags, however they are nested: names of a mapping as well.
fn collect_tags(value: &Value, tags: &mut Vec<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect_tags(item, tags)),
        Value::Object(fields) => fields.iter().for_each(|(name, value)| {
            tags.push(name.trim().trim_start_matches('#').to_owned());
            collect_tags(value, tags);
        }),
        Value::String(text) => {
            let words = text.split(|letter: char| letter == ',' || letter.is_whitespace());
            tags.extend(words.map(|word| word.trim_start_matches('#').to_owned()));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn is_private_value(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => false,
        Value::String(text) => !PUBLIC_VALUES.contains(&fold(text.trim()).as_str()),
        Value::Number(number) => number.as_f64() != Some(0.0),
        _ => true,
    }
}

/// Parses a folder as a setting names it: `Private`, `./Private/`, `Private/**` and an absolute path in the vault are
/// the same folder. `.` is the vault itself, returned as an empty path. `Err` for anything else.
pub fn parse_folder_setting(rules: &PathRules, written: &str) -> Result<String> {
    let refuse = |why: &str| {
        Error::invalid(format!("the folder `{written}` {why}"))
            .hint("name a folder of the vault by its path, such as `Private` or `Journal/Private`")
    };
    let mut path = written.trim().replace('\\', "/");
    if path.is_empty() {
        return Err(refuse("is empty"));
    }
    for ending in ["/**/*", "/**", "/*"] {
        if let Some(folder) = path.strip_suffix(ending) {
            path = if folder.is_empty() { "/".to_owned() } else { folder.to_owned() };
        }
    }
    if matches!(path.as_str(), "*" | "**") {
        return Ok(String::new());
    }
    if path.contains(['*', '?', '[', ']', '{', '}']) {
        return Err(refuse("is a pattern, and only folders are understood"));
    }
    if path.starts_with('~') {
        return Err(refuse("is not inside the vault"));
    }
    match rules.parse_folder(path.trim_start_matches("./")) {
        Ok(folder) => Ok(folder.as_str().to_owned()),
        Err(error) if error.kind() == ErrorKind::Refused => {
            Err(refuse(&format!("can't be used: {}", error.message())))
        }
        Err(error) => Err(error),
    }
}

/// Parses a tag as a setting names it: `#private`, `private/` and `private/*` are `private`. `Err` if it is no tag.
pub fn parse_tag_setting(written: &str) -> Result<String> {
    let tag = written.trim().trim_start_matches('#').trim_end_matches('*').trim_end_matches('/');
    let is_tag = !tag.is_empty()
        && tag.chars().all(|letter| letter.is_alphanumeric() || "/_-".contains(letter) || !letter.is_ascii());
    if is_tag && !tag.contains(char::is_whitespace) {
        return Ok(tag.to_owned());
    }
    Err(Error::invalid(format!("`{written}` is not a tag"))
        .hint("a tag has letters, digits, `_`, `-` and `/`, such as `private` or `work/secret`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(written: &str) -> Result<String> {
        parse_folder_setting(&PathRules::new(["/home/me/vault".to_owned()], &[]), written)
    }

    #[test]
    fn a_folder_is_understood_however_it_is_written() {
        for written in [
            "Private",
            "./Private",
            "Private/",
            "/home/me/vault/Private",
            "Private/*",
            "Private/**",
            "Private/**/*",
            " Private ",
            "./Private/**",
            ".\\Private",
        ] {
            assert_eq!(parse(written).unwrap(), "Private", "{written}");
        }
        assert_eq!(parse("Journal\\Private").unwrap(), "Journal/Private");
        for whole in [".", "/", "*", "**", "./", "/home/me/vault", "/home/me/vault/**"] {
            assert_eq!(parse(whole).unwrap(), "", "{whole}");
        }
    }

    #[test]
    fn what_is_no_folder_of_the_vault_is_an_error() {
        for written in
            ["", " ", "../Private", "/etc", "~/Private", "Priv*", "Private/*.md", "Private/{a,b}", "a\0b"]
        {
            assert!(parse(written).is_err(), "{written}");
        }
    }

    #[test]
    fn a_tag_is_understood_however_it_is_written() {
        for written in ["private", "#private", "private/", "#private/*", " private "] {
            assert_eq!(parse_tag_setting(written).unwrap(), "private", "{written}");
        }
        assert_eq!(parse_tag_setting("#work/geheim-ä").unwrap(), "work/geheim-ä");
        for written in ["", "#", "private, secret", "priv ate", "private;x", "*"] {
            assert!(parse_tag_setting(written).is_err(), "{written}");
        }
    }

    #[test]
    fn what_is_written_under_the_key_counts() {
        for value in [Value::Bool(true), "true".into(), "yes".into(), "Y".into(), 1.into(), "maybe".into()] {
            assert!(is_private_value(&value), "{value}");
        }
        for value in [Value::Null, Value::Bool(false), "no".into(), "False".into(), 0.into(), "".into()] {
            assert!(!is_private_value(&value), "{value}");
        }
    }
}
