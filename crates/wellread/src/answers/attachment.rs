//! A file that a note embeds: a picture to be shown, or another file to be saved.

use wellread_core::{Error, Result};

use crate::app::App;

/// In bytes.
const LARGEST: u64 = 64 * 1024 * 1024;

/// What may be handed out besides notes, and as what. Nothing here is shown as a document: pictures are drawn, and a picture runs
/// no scripts; everything else is only saved.
const MEDIA_TYPES: &[(&str, &str)] = &[
    ("avif", "image/avif"),
    ("bmp", "image/bmp"),
    ("gif", "image/gif"),
    ("jpeg", "image/jpeg"),
    ("jpg", "image/jpeg"),
    ("png", "image/png"),
    ("svg", "image/svg+xml"),
    ("webp", "image/webp"),
    ("flac", SAVED),
    ("m4a", SAVED),
    ("mov", SAVED),
    ("mp3", SAVED),
    ("mp4", SAVED),
    ("ogg", SAVED),
    ("pdf", SAVED),
    ("wav", SAVED),
    ("webm", SAVED),
];
const SAVED: &str = "application/octet-stream";

/// An attachment's bytes, and what they are.
#[derive(Debug)]
pub struct Attachment {
    pub media_type: &'static str,
    pub bytes: Vec<u8>,
}

/// The file that a note embeds under a name; the rules of the vault say which files there are.
pub fn read_attachment(app: &App, name: &str, note: &str) -> Result<Attachment> {
    let vault = &app.ctx.vault;
    find_media_type(name)?;
    let path = vault.locate_embedded(name, &vault.locate(note)?)?;
    let media_type = find_media_type(path.as_str())?;
    let size = vault.files.find(&path)?.map_or(0, |entry| entry.size);
    if size > LARGEST {
        return Err(Error::invalid(format!("`{path}` is larger than {} MiB", LARGEST / 1024 / 1024))
            .with_path(path.as_str())
            .hint("open it in the vault's folder"));
    }
    let bytes = vault.files.read(&path)?.bytes;
    Ok(Attachment { media_type, bytes })
}

fn find_media_type(name: &str) -> Result<&'static str> {
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase()).unwrap_or_default();
    let found = MEDIA_TYPES.iter().find(|(known, _)| *known == ending);
    found.map(|(_, media_type)| *media_type).ok_or_else(|| {
        Error::invalid(format!("`{name}` is neither a picture nor another known attachment"))
            .hint("a note is read at /api/notes; open any other file in the vault's folder")
    })
}
