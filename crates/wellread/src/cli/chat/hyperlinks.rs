//! Places in an answer as hyperlinks of the terminal (OSC 8), where they name a file of the vault.

use std::path::Path;

/// The text with each code span that is a place in an existing file, like `Bees.md:12-14`, as a link to that file.
pub fn link_places(text: &str, root: &Path) -> String {
    let mut linked = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('`') {
        linked.push_str(before);
        match after.split_once('`') {
            Some((span, behind)) if !span.contains('\n') => {
                match file_address(span, root) {
                    Some(address) => linked.push_str(&format!("\x1b]8;;{address}\x1b\\{span}\x1b]8;;\x1b\\")),
                    None => linked.push_str(&format!("`{span}`")),
                }
                rest = behind;
            }
            _ => {
                linked.push('`');
                rest = after;
            }
        }
    }
    linked.push_str(rest);
    linked
}

/// The address of the file that a place names, if it exists below the root.
fn file_address(place: &str, root: &Path) -> Option<String> {
    let (path, lines) = place.rsplit_once(':')?;
    let is_lines = !lines.is_empty() && lines.split('-').all(|line| line.parse::<usize>().is_ok());
    let is_inside = !path.split('/').any(|part| matches!(part, "" | "." | ".."));
    let file = root.join(path);
    if !is_lines || !is_inside || path.chars().any(char::is_control) || !file.is_file() {
        return None;
    }
    let mut address = "file://".to_owned();
    for byte in file.to_str()?.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => {
                address.push(byte.into());
            }
            other => address.push_str(&format!("%{other:02X}")),
        }
    }
    Some(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_in_a_file_becomes_a_link_and_nothing_else_does() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("Varroa mite.md"), "x").unwrap();
        let linked = |text: &str| link_places(text, folder.path());
        let address = format!("file://{}/Varroa%20mite.md", folder.path().display());
        assert_eq!(
            linked("Old. (`Varroa mite.md:22`)"),
            format!("Old. (\x1b]8;;{address}\x1b\\Varroa mite.md:22\x1b]8;;\x1b\\)")
        );
        for same in
            ["`None.md:2`", "`Varroa mite.md`", "`../x:1`", "`a` ` b", "```\nx:1\n```", "`Varroa mite.md:x`"]
        {
            assert_eq!(linked(same), same, "{same}");
        }
    }
}
