//! Addresses of files on this machine, and how paths are written in them.

use std::path::{Path, PathBuf};

use crate::wiring::system::to_corpus_path;

const SCHEME: &str = "file://";
/// The letters that end a path in an address, unless they are part of it.
const ENDS: [char; 3] = ['#', '?', '&'];
/// The most of these letters that an address may have to be read.
const MOST_ENDS: usize = 16;

/// The address of a file; `None` if its path is no UTF-8.
pub fn to_file_uri(file: &Path) -> Option<String> {
    let path = to_corpus_path(file)?;
    let slash = if path.starts_with('/') { "" } else { "/" };
    Some(format!("{SCHEME}{slash}{}", percent_encode(&path)))
}

/// What an address names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddressKind {
    /// A file of this machine, by its whole path.
    File,
    /// A note, by its path in the vault.
    Note,
    /// Something else, in which a path may stand nevertheless.
    Other,
}

/// An address as an editor writes it.
#[derive(Debug, PartialEq, Eq)]
pub struct FileAddress {
    pub kind: AddressKind,
    /// Every path that it may mean: encoded or not, and with `#`, `?` and `&` as part of a name or as its end. They are absolute, but
    /// for a note. Empty if nobody can tell which file is meant.
    pub paths: Vec<PathBuf>,
}

impl FileAddress {
    /// Reads an address. One without a scheme is a path.
    pub fn parse(uri: &str) -> Self {
        let (scheme, rest) = split_scheme(uri.trim());
        let fields = |name: &str| query_fields(rest, name);
        let (kind, written) = match scheme.as_deref() {
            None => (AddressKind::File, [vec![rest], fields("path=")].concat()),
            Some("file") => {
                (AddressKind::File, local_path(rest).into_iter().chain(fields("path=")).collect())
            }
            Some("vault") => (AddressKind::Note, vec![rest.trim_start_matches('/')]),
            Some("obsidian") => (AddressKind::Note, [fields("file="), fields("path=")].concat()),
            Some(_) => match fields("path=") {
                none if none.is_empty() => (AddressKind::Other, vec![path_behind_host(rest)]),
                named => (AddressKind::File, named),
            },
        };
        let mut paths = Vec::new();
        for path in written.into_iter().flat_map(read_as_paths) {
            if (kind == AddressKind::Note || path.is_absolute()) && !paths.contains(&path) {
                paths.push(path);
            }
        }
        Self { kind, paths }
    }
}

/// The scheme of an address in small letters, and what stands behind it.
fn split_scheme(uri: &str) -> (Option<String>, &str) {
    // The name of a note may have a colon, too.
    let is_scheme = |scheme: &str, rest: &str| {
        let is_part = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '+' | '-');
        scheme.len() > 1 && scheme.chars().all(is_part) && !rest.starts_with(' ')
    };
    match uri.split_once(':') {
        Some((scheme, rest)) if is_scheme(scheme, rest) => (Some(scheme.to_ascii_lowercase()), rest),
        _ => (None, uri),
    }
}

/// The path of a `file:` address; `None` if it is on another machine.
fn local_path(rest: &str) -> Option<&str> {
    let host = rest.strip_prefix("//").map(|behind| behind.split('/').next().unwrap_or_default());
    let is_here = host.is_none_or(|host| host.is_empty() || host.eq_ignore_ascii_case("localhost"));
    is_here.then(|| path_behind_host(rest))
}

fn path_behind_host(rest: &str) -> &str {
    match rest.strip_prefix("//") {
        Some(behind) => &behind[behind.find('/').unwrap_or(behind.len())..],
        None => rest,
    }
}

/// What stands behind these names in the query of an address, up to the address's end.
fn query_fields<'a>(rest: &'a str, name: &str) -> Vec<&'a str> {
    let fields = rest.match_indices(['?', '&']).map(|(at, _)| &rest[at + 1..]);
    fields.filter_map(|field| field.strip_prefix(name)).take(MOST_ENDS).collect()
}

/// Every path that a text may stand for, the likeliest first.
fn read_as_paths(written: &str) -> Vec<PathBuf> {
    let ends: Vec<usize> = written.match_indices(ENDS).map(|(at, _)| at).take(MOST_ENDS + 1).collect();
    if ends.len() > MOST_ENDS {
        return Vec::new();
    }
    let mut paths = Vec::new();
    for end in ends.into_iter().chain([written.len()]) {
        // In a query, a space may be written as a plus.
        for text in [written[..end].to_owned(), written[..end].replace('+', " ")] {
            paths.extend(decode_bytes(&text, true).and_then(path_from_bytes));
            paths.push(path_from_text(text));
        }
    }
    paths
}

/// A path whose bytes stood in an address; `None` where the system has no such paths.
#[cfg(unix)]
fn path_from_bytes(bytes: Vec<u8>) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt as _;
    Some(std::ffi::OsString::from_vec(bytes).into())
}

#[cfg(not(unix))]
fn path_from_bytes(bytes: Vec<u8>) -> Option<PathBuf> {
    String::from_utf8(bytes).ok().map(path_from_text)
}

/// On Windows an address has a slash before the drive: `file:///C:/notes`.
fn path_from_text(text: String) -> PathBuf {
    match text.strip_prefix('/') {
        Some(rest) if cfg!(windows) && rest.as_bytes().get(1) == Some(&b':') => PathBuf::from(rest),
        _ => PathBuf::from(text),
    }
}

/// A path as it stands in an address.
pub fn percent_encode(path: &str) -> String {
    let mut encoded = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                encoded.push(char::from(byte));
            }
            _ => encoded += &format!("%{byte:02X}"),
        }
    }
    encoded
}

/// The path that stands in an address; `None` if it is no UTF-8. Letters that should have been encoded and were not are taken as they are.
pub fn percent_decode(path: &str) -> Option<String> {
    String::from_utf8(decode_bytes(path, false)?).ok()
}

/// The bytes that stand in an address; `None` if a `%` stands before something else than two digits, unless that is taken as it is.
fn decode_bytes(path: &str, takes_any: bool) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let code = rest.split_at_checked(2);
        match code.and_then(|(code, after)| Some((digit(code[0])? << 4 | digit(code[1])?, after))) {
            Some((byte, after)) => {
                bytes.push(byte);
                rest = after;
            }
            None if takes_any => bytes.push(b'%'),
            None => return None,
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_read_as_it_was_written() {
        for path in ["/a/Varroa mite.md", "/a/100% & [x]#?.md", "/Grüße.md"] {
            let uri = to_file_uri(Path::new(path)).unwrap();
            assert_eq!(FileAddress::parse(&uri).paths[0], Path::new(path), "{uri}");
        }
    }

    #[test]
    fn whatever_an_editor_writes_names_its_file() {
        for uri in [
            "file:///a/b.md",
            "FILE:///a/b.md#L3:5",
            "file://localhost/a/b.md?symbol=x#L3",
            "file:/a/b.md",
            "/a/b.md",
            " /a/b.md",
            "zed:///agent/selection?name=b&path=/a/b.md#L3:5",
            "zed:///agent/file?path=%2Fa%2Fb.md",
        ] {
            let address = FileAddress::parse(uri);
            assert_eq!(
                (address.kind, &*address.paths[0]),
                (AddressKind::File, Path::new("/a/b.md")),
                "{uri}"
            );
        }
        // Nobody can tell which file is meant.
        for uri in [
            "",
            "b.md",
            "Private: b.md",
            "b.md:3",
            "~/b.md",
            "file:b.md",
            "file://",
            "file://a/b.md",
            "x?path=b.md",
            "zed:///agent/file?path=b.md",
            &format!("/a{}", "#".repeat(17)),
        ] {
            let expected = FileAddress { kind: AddressKind::File, paths: Vec::new() };
            assert_eq!(FileAddress::parse(uri), expected, "{uri}");
        }
        for (uri, kind) in [
            ("https://a.org/b.md", AddressKind::Other),
            ("untitled:Untitled-1", AddressKind::Other),
            ("zed:///agent/git-diff?base=main", AddressKind::Other),
            ("vault:///b.md", AddressKind::Note),
            ("obsidian://open?vault=a&file=b", AddressKind::Note),
        ] {
            assert_eq!(FileAddress::parse(uri).kind, kind, "{uri}");
        }
    }

    #[test]
    fn every_reading_of_an_address_is_among_its_paths() {
        for (uri, path) in [
            ("/a/Lawyer #2.md", "/a/Lawyer #2.md"),
            ("/a/Lawyer #2.md#L3", "/a/Lawyer #2.md"),
            ("file:///a/100% sure?.md", "/a/100% sure?.md"),
            ("file:///a/100% so%20sure.md", "/a/100% so sure.md"),
            ("/a/%41.md", "/a/%41.md"),
            ("/a/%41.md", "/a/A.md"),
            ("zed:///agent/file?path=/a/b+c.md&x=1#L1", "/a/b c.md"),
            ("zed:///agent/file?path=/a/b & c.md&x=1#L1", "/a/b & c.md"),
            ("git:/a/b.md?{\"ref\":\"~\"}", "/a/b.md"),
            ("vault:///a/b%20c.md#L1", "a/b c.md"),
            ("obsidian://open?vault=v&file=a%2Fb", "a/b"),
            ("obsidian://open?path=%2Fa%2Fb.md", "/a/b.md"),
        ] {
            let paths = FileAddress::parse(uri).paths;
            assert!(paths.contains(&PathBuf::from(path)), "{uri}: {paths:?}");
        }
        let bytes = FileAddress::parse("file:///a/%ff.md").paths;
        assert!(bytes.iter().any(|path| path.to_str().is_none()), "{bytes:?}");
    }
}
