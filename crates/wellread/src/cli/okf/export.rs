//! `wellread okf export`: copies of researched notes as notes of the Open Knowledge Format, in a folder of their own.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::{Value, json};
use wellread_core::domain::corpus::VaultPath;
use wellread_core::domain::display::counted;
use wellread_core::library::vault::Vault;
use wellread_core::research::{ExportedNote, export_note, is_okf_file, is_okf_reserved};
use wellread_core::{Error, ErrorKind, Result};

use crate::app::App;
use crate::cli::Invocation;
use crate::config::Config;
use crate::output::success;
use crate::platform::{canonicalize_existing, is_within};

/// Copy researched notes as Open Knowledge Format notes into a folder
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exported are notes with a section or a finding that Wellread wrote, and notes that have the fields already. Citations in \
parentheses become footnotes that are keyed to `sources`; the rest of a note stays as it is, and the vault is not changed. Private notes are left \
out unless `--private` is given.\n\n\
Example:\n  wellread okf export\n  wellread okf export --to ~/bees-okf 'Bees/Varroa mite'"
)]
pub struct OkfExportArgs {
    /// The notes to export [default: all that were researched]
    notes: Vec<String>,
    /// The folder to write to, which is created if it is missing
    #[arg(long, value_name = "DIR", default_value = "okf-export")]
    to: PathBuf,
    /// Replace files that are there
    #[arg(long)]
    force: bool,
    /// Export private notes, too
    #[arg(long)]
    private: bool,
}

/// What becomes of the chosen notes.
#[derive(Default)]
struct Export {
    files: Vec<(VaultPath, String)>,
    /// Each note that is left out, with the reason.
    skipped: Vec<(String, String)>,
    /// What is to be said about notes that are exported.
    notices: Vec<(String, String)>,
}

pub fn run(invocation: &Invocation, args: &OkfExportArgs) -> Result<ExitCode> {
    let app = invocation.open_app()?;
    let config = Config::load(&invocation.flags)?;
    let mut own = vec![config.shared_data_folder()?];
    for vault in config.known_vaults()? {
        own.push(canonicalize_existing(&vault.vault()?));
    }
    let folder = canonicalize_existing(&args.to);
    check_outside(&folder, &own)?;
    let export = collect(&app, args)?;
    for (path, _) in &export.files {
        check_place(&folder, &folder.join(path.as_str()), &own)?;
    }
    if export.files.is_empty() {
        let reasons: Vec<String> =
            export.skipped.iter().map(|(path, reason)| format!("`{path}`: {reason}")).collect();
        let hint = if reasons.is_empty() {
            "`wellread note NOTE --apply` researches a note".to_owned()
        } else {
            reasons.join("; ")
        };
        return Err(Error::not_found("there is no researched note to export").hint(hint));
    }
    if !args.force {
        check_free(&folder, &export.files)?;
    }
    for (path, text) in &export.files {
        write_file(&folder.join(path.as_str()), text, args.force)?;
    }
    let paths: Vec<&str> = export.files.iter().map(|(path, _)| path.as_str()).collect();
    if invocation.output.json {
        let told = |told: &[(String, String)]| -> Vec<Value> {
            told.iter().map(|(path, reason)| json!({ "path": path, "reason": reason })).collect()
        };
        let (skipped, notices) = (told(&export.skipped), told(&export.notices));
        let answer = json!({ "folder": args.to, "notes": paths, "skipped": skipped, "notices": notices });
        invocation.output.object(&success(answer))?;
    } else {
        let count = counted(paths.len(), "note", "notes");
        let lines: String = paths.iter().map(|path| format!("{path}\n")).collect();
        invocation.output.text(&format!("{lines}exported {count} to {}\n", args.to.display()))?;
        for (path, reason) in &export.skipped {
            invocation.output.notice(&format!("skipped: {path} ({reason})"));
        }
        for (path, notice) in &export.notices {
            invocation.output.notice(&format!("note: {path}: {notice}"));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn collect(app: &App, args: &OkfExportArgs) -> Result<Export> {
    let whole = &app.ctx.vault;
    let vault: Vault = if args.private { (**whole).clone() } else { whole.without_private() };
    let named: Vec<VaultPath> = args.notes.iter().map(|note| whole.locate(note)).collect::<Result<_>>()?;
    if let Some(path) = named.iter().find(|path| !args.private && whole.is_private(path)) {
        return Err(Error::refused(format!("`{path}` is private"))
            .with_path(path.as_str())
            .hint("nothing was exported; `--private` exports private notes, too"));
    }
    let is_named = !named.is_empty();
    let listed = |vault: &Vault| -> Result<Vec<VaultPath>> {
        Ok(vault.files.list()?.files.into_iter().map(|entry| entry.path).collect())
    };
    let mut seen = BTreeSet::new();
    let mut paths = if is_named { named } else { listed(&vault)? };
    paths.retain(|path| seen.insert(path.clone()));
    let names = vault.links.names()?;
    let mut export = Export::default();
    for path in paths.into_iter().filter(|path| is_named || is_okf_file(path.as_str())) {
        let mut skip = |reason: &str| export.skipped.push((path.to_string(), reason.to_owned()));
        let note = match vault.read_for_edit(&path) {
            Ok(note) => note,
            Err(error) if is_named => return Err(error),
            // Gone meanwhile, or no text: nothing that research wrote.
            Err(_) => continue,
        };
        let exported = export_note(&note.text, (&names, path.as_str()));
        match exported {
            Ok(None) if is_named => skip("it was not researched"),
            Ok(None) => {}
            Ok(Some(_)) if is_okf_reserved(path.as_str()) => skip("its name is reserved in the format"),
            Ok(Some(ExportedNote { text, left })) => {
                export.notices.extend(left.into_iter().map(|why| (path.to_string(), why)));
                export.files.push((path, text));
            }
            Err(error) => skip(error.message()),
        }
    }
    Ok(export)
}

/// `Err` if a path is in one of Wellread's own folders.
fn check_outside(path: &Path, own: &[PathBuf]) -> Result<()> {
    match own.iter().find(|own| is_within(path, own)) {
        None => Ok(()),
        Some(own) => Err(Error::refused(format!("`{}` is inside `{}`", path.display(), own.display()))
            .hint("nothing was written; name a folder outside of the vault and the data folder with `--to`")),
    }
}

/// `Err` if a file can't be written there: where a link leads out of the folder, or a folder has its name.
fn check_place(folder: &Path, path: &Path, own: &[PathBuf]) -> Result<()> {
    let parent = canonicalize_existing(path.parent().unwrap_or(folder));
    check_outside(&parent.join(path.file_name().unwrap_or_default()), own)?;
    let hint = "nothing was written; choose another folder with `--to`";
    if !parent.starts_with(folder) {
        let (shown, folder) = (parent.display(), folder.display());
        return Err(Error::refused(format!("a link leads out of `{folder}`, to `{shown}`")).hint(hint));
    }
    if path.symlink_metadata().is_ok_and(|entry| entry.is_dir()) {
        return Err(Error::refused(format!("`{}` is a folder", path.display())).hint(hint));
    }
    Ok(())
}

/// `Err` if a file is there already: then nothing is written.
fn check_free(folder: &Path, files: &[(VaultPath, String)]) -> Result<()> {
    let taken = files.iter().find(|(path, _)| folder.join(path.as_str()).symlink_metadata().is_ok());
    match taken {
        Some((path, _)) => Err(taken_error(&folder.join(path.as_str()))),
        None => Ok(()),
    }
}

fn taken_error(path: &Path) -> Error {
    Error::new(ErrorKind::Conflict, format!("`{}` already exists", path.display()))
        .hint("nothing was replaced; choose another folder with `--to`, or `--force` to replace files")
}

/// Writes a file whole or not at all; without `force`, only where there is none.
fn write_file(path: &Path, text: &str, force: bool) -> Result<()> {
    let failed = |error: io::Error| match error.kind() {
        io::ErrorKind::AlreadyExists if !force => taken_error(path),
        _ => Error::failed(format!("could not write `{}`: {error}", path.display())),
    };
    fs::create_dir_all(path.parent().unwrap_or(Path::new("."))).map_err(failed)?;
    let beside = path.with_extension(format!("md.{}", std::process::id()));
    let new = if force { beside.as_path() } else { path };
    let mut file = fs::OpenOptions::new().write(true).create_new(true).open(new).map_err(failed)?;
    let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
    let written = written.and_then(|()| if force { fs::rename(new, path) } else { Ok(()) });
    if written.is_err() {
        let _ = fs::remove_file(new);
    }
    written.map_err(failed)
}
