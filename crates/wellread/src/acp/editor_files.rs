//! Files as the editor names them: which are notes, which are code of a repository, and what of them is private.
//!
//! The editor's word widens nothing: what may be read is in the settings. Its addresses only name what is there.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};
use wellread_core::domain::corpus::VaultPath;
use wellread_core::faces::tools::{Declaration, Effect};
use wellread_core::library::public_view::VaultGuard;
use wellread_core::trust::citations::CitedPlace;

use crate::app::App;
use crate::file_uri::{AddressKind, FileAddress, to_file_uri};
use crate::platform::{canonicalize_existing, is_within};
use crate::private_files::PrivateFiles;
use crate::wiring::system::to_corpus_path;

/// The arguments of tools that name a file of the vault.
const PATH_ARGUMENTS: [&str; 3] = ["path", "note_name", "source"];

/// The files that the settings name, as an editor sees them.
pub struct EditorFiles {
    app: Arc<App>,
    vault: PathBuf,
    private: PrivateFiles,
    /// The repositories by name.
    repositories: Vec<(String, PathBuf)>,
}

/// What an address of the editor stands for.
#[derive(Debug, PartialEq, Eq)]
pub struct EditorFile {
    /// The path in the vault or the repository, or else the address itself.
    pub name: String,
    /// Whether its text must not leave this machine.
    pub private: bool,
    /// Whether tools can read it.
    pub readable: bool,
}

impl EditorFiles {
    pub fn new(app: Arc<App>, vaults: Vec<(PathBuf, VaultGuard)>, data: &Path) -> Self {
        let mut repositories = Vec::new();
        for ((corpus, _), root) in app.library.corpora.iter().zip(&app.roots) {
            if let Some(name) = corpus.repository() {
                repositories.push((name.to_owned(), canonicalize_existing(root)));
            }
        }
        let vault = app.roots.first().map(|root| canonicalize_existing(root)).unwrap_or_default();
        let private = PrivateFiles::new(app.clone(), vaults, data);
        Self { app, vault, private, repositories }
    }

    /// What the user should know about the folder that the editor works in: that it is not read, if it isn't.
    pub fn describe_folder(&self, folder: &Path) -> Option<String> {
        let real = canonicalize_existing(folder);
        let is_known =
            is_within(&real, &self.vault) || self.repositories.iter().any(|(_, root)| is_within(&real, root));
        let shown = |path: &Path| path.display().to_string().replace(['`', '\n'], "'");
        (!is_known).then(|| {
            format!(
                "`{}` is neither in your vault (`{}`) nor in a repository of your settings, so its files are not read. \
                 `wellread repo add` adds a folder of code.",
                shown(folder),
                shown(&self.vault)
            )
        })
    }

    /// What an address stands for, and whether it is private with this text: it is if one of the files is that it may mean, or if
    /// nobody can tell which file it means. Of what is no file, only the text itself can be judged.
    pub fn resolve(&self, uri: &str, text: &str) -> EditorFile {
        let address = FileAddress::parse(uri);
        let files = self.find_named_files(&address);
        let there: Vec<&PathBuf> = files.iter().filter(|file| file.is_file()).collect();
        let is_unclear = match address.kind {
            AddressKind::File => files.is_empty(),
            // A note may be named without its folder.
            AddressKind::Note => there.is_empty(),
            AddressKind::Other => self.private.says_private(text),
        };
        let private = is_unclear || files.iter().any(|file| self.private.is_private(file, text));
        let name = there.into_iter().chain(&files).find_map(|file| self.name_file(file));
        let readable = name.is_some();
        let name = name.unwrap_or_else(|| uri.to_owned());
        let lines = uri.rsplit_once('#').map(|(_, lines)| lines).filter(|_| !name.contains('#'));
        let lines = lines.map(|lines| format!(" ({lines})")).unwrap_or_default();
        EditorFile { name: name + &lines, private, readable }
    }

    /// The files that an address may mean, with links resolved.
    fn find_named_files(&self, address: &FileAddress) -> Vec<PathBuf> {
        let files = address.paths.iter().flat_map(|path| {
            let file = self.vault.join(path);
            let mut note = file.clone().into_os_string();
            note.push(".md");
            let note = (address.kind == AddressKind::Note).then(|| PathBuf::from(note));
            [canonicalize_existing(&file)].into_iter().chain(note.map(|note| canonicalize_existing(&note)))
        });
        files.filter(|file| address.kind != AddressKind::Other || self.private.is_ours(file)).collect()
    }

    fn name_file(&self, file: &Path) -> Option<String> {
        if let Ok(inside) = file.strip_prefix(&self.vault) {
            return self.app.ctx.vault.rules.parse_file(inside.to_str()?).ok().map(|path| path.to_string());
        }
        self.repositories.iter().find_map(|(name, root)| {
            let inside = to_corpus_path(file.strip_prefix(root).ok()?)?;
            Some(format!("{inside} of the repository {name}"))
        })
    }

    /// The places that a tool was called with, as far as its arguments name files of the vault.
    pub fn locate_arguments(&self, tool: &Declaration, arguments: &Value) -> Vec<Value> {
        let named = PATH_ARGUMENTS.iter().filter_map(|name| arguments.get(name)?.as_str());
        let paths = named.filter_map(|path| self.app.ctx.vault.rules.parse_file(path).ok());
        let found = |path: VaultPath| {
            let plain = self.vault.join(path.as_str());
            let note = self.vault.join(format!("{path}.md"));
            let is_new = tool.effect == Effect::Adds && plain.extension().is_some();
            [plain.clone(), note].into_iter().find(|file| file.is_file()).or(is_new.then_some(plain))
        };
        paths.filter_map(found).filter_map(|file| Some(json!({ "path": file.to_str()? }))).collect()
    }

    /// A place as the editor opens it; `None` for a page.
    pub fn locate_place(&self, place: &CitedPlace) -> Option<Value> {
        Some(json!({ "path": self.find_file(place)?.to_str()?, "line": place.start_line? }))
    }

    /// A link to a place that an answer cites.
    pub fn link_place(&self, place: &CitedPlace) -> Option<Value> {
        if let Some(url) = &place.url {
            return Some(json!({ "type": "resource_link", "uri": url, "name": url }));
        }
        let uri = to_file_uri(&self.find_file(place)?)?;
        let (path, start, end) = (place.path.as_ref()?, place.start_line?, place.end_line?);
        let lines = if start == end { start.to_string() } else { format!("{start}-{end}") };
        Some(json!({
            "type": "resource_link",
            "uri": format!("{uri}#L{start}:{end}"),
            "name": format!("{path}:{lines}"),
        }))
    }

    fn find_file(&self, place: &CitedPlace) -> Option<PathBuf> {
        let root = match &place.repository {
            Some(name) => &self.repositories.iter().find(|(known, _)| known == name)?.1,
            None => &self.vault,
        };
        Some(root.join(place.path.as_ref()?))
    }
}
