//! Addresses of files on this machine, and how paths are written in them.

use std::path::{Path, PathBuf};

const SCHEME: &str = "file://";

/// The address of a file; `None` if its path is no UTF-8.
pub fn to_file_uri(file: &Path) -> Option<String> {
    Some(format!("{SCHEME}{}", percent_encode(file.to_str()?)))
}

/// The files that an address may mean: the path of a `file:` address, and what an editor's own address names as `path`.
/// What stands behind `#` and `?` otherwise is a place in the file.
pub fn read_file_paths(uri: &str) -> Vec<PathBuf> {
    let (address, _) = uri.split_once('#').unwrap_or((uri, ""));
    let (address, query) = address.split_once('?').unwrap_or((address, ""));
    let named = strip_scheme(address)
        .into_iter()
        .chain(query.split('&').filter_map(|field| field.strip_prefix("path=")));
    named.filter_map(percent_decode).map(PathBuf::from).filter(|path| path.is_absolute()).collect()
}

/// The path of a `file:` address, on whatever host of this machine.
fn strip_scheme(address: &str) -> Option<&str> {
    // A client that gives a plain path means it.
    if address.starts_with('/') {
        return Some(address);
    }
    let (_, rest) = address.split_once(':').filter(|(scheme, _)| scheme.eq_ignore_ascii_case("file"))?;
    match rest.strip_prefix("//") {
        Some(behind) => behind.find('/').map(|path| &behind[path..]),
        None => Some(rest),
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
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let (digits, after) = rest.split_at_checked(2)?;
        let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
        bytes.push(digit(digits[0])? << 4 | digit(digits[1])?);
        rest = after;
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_read_as_it_was_written() {
        for path in ["/a/Varroa mite.md", "/a/100% & [x]#?.md", "/Grüße.md"] {
            let uri = to_file_uri(Path::new(path)).unwrap();
            assert_eq!(read_file_paths(&uri), [Path::new(path)], "{uri}");
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
            "zed:///agent/selection?name=b&path=/a/b.md#L3:5",
            "zed:///agent/file?path=%2Fa%2Fb.md",
        ] {
            assert_eq!(read_file_paths(uri), [Path::new("/a/b.md")], "{uri}");
        }
        for uri in [
            "https://a.org/b.md",
            "untitled:Untitled-1",
            "",
            "file:b.md",
            "file://",
            "file:///%ff",
            "x?path=b.md",
        ] {
            assert!(read_file_paths(uri).is_empty(), "{uri}");
        }
    }
}
