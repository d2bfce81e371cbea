//! The files of the web page that the binary carries, as `build.rs` found them in `web/`: modules, style sheets, the icon.

include!(concat!(env!("OUT_DIR"), "/page_files.rs"));

/// The text of a file by its name below `web/`, as in `js/dom.js`.
pub fn find(name: &str) -> Option<&'static str> {
    FILES.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}
