//! The token that every client must know: set by the user, or made at first start and kept in a file that only the
//! user can read.
//!
//! The file is beside the vaults' data folders, never in a vault: no tool can name it.

use std::fs;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use wellread_core::{Error, Result};

use crate::config::Secret;
use crate::wiring::system::{
    create_private_file, is_owned_by_user, open_without_following, restrict_to_user,
};

const LONGEST: u64 = 4096;

/// What a client's token is compared with. It can't be shown.
pub struct AccessToken {
    /// Compared in constant time, whatever the lengths of the two texts.
    hash: blake3::Hash,
    cookie_key: [u8; 32],
    /// Where it is kept; none where it was set.
    pub file: Option<PathBuf>,
    /// What the user should know of the file.
    pub notice: Option<String>,
}

impl AccessToken {
    /// The one that the user has set.
    pub fn from_secret(secret: &Secret) -> Result<Self> {
        let text = secret.expose_secret();
        if !is_sendable(text) {
            return Err(Error::invalid("the setting `server.token` can't be sent in a header")
                .hint("use visible ASCII characters, without blanks"));
        }
        Ok(Self::from_text(text))
    }

    /// The one that is kept in this folder, made where there is none.
    pub fn load_or_create(folder: &Path) -> Result<Self> {
        let path = folder.join("token");
        let trouble = |error: io::Error| Error::failed(format!("the token `{}`: {error}", path.display()));
        fs::create_dir_all(folder).map_err(trouble)?;
        if matches!(fs::symlink_metadata(&path), Err(error) if error.kind() == io::ErrorKind::NotFound) {
            create_token_file(folder, &path).map_err(trouble)?;
        }
        let (text, notice) = read_token_file(&path)?;
        Ok(Self { file: Some(path), notice, ..Self::from_text(&text) })
    }

    fn from_text(text: &str) -> Self {
        let cookie_key = blake3::derive_key("wellread 2025 browser cookie", text.as_bytes());
        Self { hash: blake3::hash(text.as_bytes()), cookie_key, file: None, notice: None }
    }

    pub fn matches(&self, given: &[u8]) -> bool {
        blake3::hash(given) == self.hash
    }

    /// What only this server can have written.
    pub fn sign(&self, text: &str) -> blake3::Hash {
        blake3::keyed_hash(&self.cookie_key, text.as_bytes())
    }
}

impl std::fmt::Debug for AccessToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token")
    }
}

/// Thirty-two random bytes in hexadecimal.
pub fn random_hex() -> io::Result<String> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Writes it beside its place and links it there whole. Of two that start at once, one makes it and both read that one.
fn create_token_file(folder: &Path, path: &Path) -> io::Result<()> {
    let beside = folder.join(format!(".token-{}", &random_hex()?[..16]));
    let written = create_private_file(&beside).and_then(|mut file| {
        file.write_all(format!("{}\n", random_hex()?).as_bytes())?;
        file.sync_all()
    });
    let linked = written.and_then(|()| match fs::hard_link(&beside, path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        // A file system without links: nobody else makes it in the same moment, or the last one wins for both.
        Err(_) => fs::rename(&beside, path),
        Ok(()) => Ok(()),
    });
    let _ = fs::remove_file(&beside);
    linked
}

fn read_token_file(path: &Path) -> Result<(String, Option<String>)> {
    let name = path.display();
    let refused = |why: &str| {
        Error::refused(format!("the token `{name}` {why}")).hint("remove the file: a new one will be created")
    };
    let mut file =
        open_without_following(path).map_err(|error| refused(&format!("can't be read: {error}")))?;
    let meta = file.metadata().map_err(|error| refused(&format!("can't be read: {error}")))?;
    if !meta.is_file() {
        return Err(refused("is not a file"));
    }
    if !is_owned_by_user(&file).map_err(|error| refused(&format!("can't be read: {error}")))? {
        return Err(refused("belongs to another user"));
    }
    let mut notice = None;
    let was_open = restrict_to_user(&file)
        .map_err(|error| refused(&format!("can be read by others, and that can't be fixed: {error}")))?;
    if was_open {
        notice = Some(format!(
            "note: others could read the token `{name}`; they no longer can. Remove the file to get a new one"
        ));
    }
    let mut text = String::new();
    let whole = (&mut file).take(LONGEST).read_to_string(&mut text);
    let text = text.trim();
    if whole.is_err() || !is_sendable(text) || text.len() < 32 {
        return Err(refused("does not contain one"));
    }
    Ok((text.to_owned(), notice))
}

fn is_sendable(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic())
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn a_token_is_made_once_and_kept() {
        let folder = tempfile::tempdir().unwrap();
        let first = AccessToken::load_or_create(folder.path()).unwrap();
        let path = folder.path().join("token");
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!((mode(&path), text.trim().len()), (0o600, 64));
        assert!(
            first.matches(text.trim().as_bytes()) && !first.matches(b"") && !first.matches(text.as_bytes())
        );
        assert_eq!(AccessToken::load_or_create(folder.path()).unwrap().hash, first.hash);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left beside it");
        assert!(!format!("{first:?}").contains(&text[..8]));
    }

    #[test]
    fn many_that_start_at_once_have_one_token() {
        let folder = tempfile::tempdir().unwrap();
        let made = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8)
                .map(|_| scope.spawn(|| AccessToken::load_or_create(folder.path()).unwrap().hash))
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
        });
        assert!(made.iter().all(|hash| *hash == made[0]));
    }

    #[test]
    fn a_token_that_others_can_read_is_mended_and_said() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        AccessToken::load_or_create(folder.path()).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
        assert!(
            AccessToken::load_or_create(folder.path()).unwrap().notice.unwrap().contains("others could read")
        );
        assert_eq!(mode(&path), 0o600);
    }

    #[test]
    fn what_is_no_token_is_refused() {
        for text in ["", "short", "two words two words two words two words", "\u{fc}".repeat(40).as_str()] {
            let folder = tempfile::tempdir().unwrap();
            create_private_file(&folder.path().join("token")).unwrap().write_all(text.as_bytes()).unwrap();
            assert!(AccessToken::load_or_create(folder.path()).is_err(), "{text}");
        }
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("other"), "x".repeat(64)).unwrap();
        std::os::unix::fs::symlink("other", folder.path().join("token")).unwrap();
        assert!(AccessToken::load_or_create(folder.path()).is_err(), "a link leads elsewhere");
    }
}
