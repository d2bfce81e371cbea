//! `wellread okf check`: what is wrong with the fields of notes, each problem with its place.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::json;
use wellread_core::domain::corpus::VaultPath;
use wellread_core::domain::display::counted;
use wellread_core::library::vault::NoteText;
use wellread_core::research::{OkfFinding, check_okf_note, has_okf_fields, is_okf_file};
use wellread_core::{Error, Result};

use crate::app::App;
use crate::cli::Invocation;
use crate::cli::verify::read_file;
use crate::output::success;

/// The most files of a folder outside the vault.
const MOST_FILES: usize = 5000;
/// The exit status if a note is not as the format requires.
const NOT_PASSED: u8 = 6;

/// Say what is wrong or missing in notes with Open Knowledge Format fields
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Without a path, the notes of the vault that have such fields are checked. A note or folder that is named must be in the \
format as a whole: every note needs at least a `type`. Errors are what the format requires, warnings what it recommends.\n\n\
Exit status: 0 no error, 6 some errors, 3 not found, also if a folder has no notes.\n\n\
Example:\n  wellread okf check\n  wellread okf check 'Bees/Varroa mite' --json\n  wellread okf check ~/bees-okf"
)]
pub struct OkfCheckArgs {
    /// Notes or folders of the vault, or files and folders outside of it
    paths: Vec<String>,
}

/// A note to check: its path as it was named, and its text or why it can't be read.
type NamedNote = (String, std::result::Result<String, String>);

pub fn run(invocation: &Invocation, args: &OkfCheckArgs) -> Result<ExitCode> {
    let app = invocation.open_app()?;
    let notes = match args.paths.as_slice() {
        [] => find_okf_notes(&app)?,
        paths => {
            let named: Vec<Vec<NamedNote>> =
                paths.iter().map(|path| read_named(&app, path)).collect::<Result<_>>()?;
            let notes = named.concat();
            if notes.is_empty() {
                return Err(Error::not_found(format!(
                    "there is no Markdown file in `{}`",
                    paths.join("`, `")
                ))
                .hint("nothing was checked; name a folder with notes"));
            }
            notes
        }
    };
    let find_problems = |(path, text): &NamedNote| match text {
        Ok(text) => check_okf_note(path, text, &*app.ctx.vault.clock),
        Err(why) => vec![OkfFinding::error(path, 1, why)],
    };
    let problems: Vec<OkfFinding> = notes.iter().flat_map(find_problems).collect();
    let errors = problems.iter().filter(|problem| problem.is_error()).count();
    if invocation.output.json {
        let answer = json!({ "notes": notes.len(), "passed": errors == 0, "problems": problems });
        invocation.output.object(&success(answer))?;
    } else if notes.is_empty() {
        invocation
            .output
            .notice("nothing to check: no note has Open Knowledge Format fields; `okf.fields` writes them");
    } else {
        let line = |OkfFinding { path, line, level, message }: &OkfFinding| {
            format!("{path}:{line}: {level}: {message}\n")
        };
        let shown: String = problems.iter().map(line).collect();
        let summary = format!(
            "{}: {}, {}\n",
            counted(notes.len(), "note", "notes"),
            counted(errors, "error", "errors"),
            counted(problems.len() - errors, "warning", "warnings")
        );
        let shown = format!("{shown}{summary}");
        invocation.output.text(&shown.replace(|c: char| c.is_control() && c != '\n', "\u{fffd}"))?;
    }
    Ok(if errors == 0 { ExitCode::SUCCESS } else { ExitCode::from(NOT_PASSED) })
}

/// The notes of the vault that have the format's fields, also if their frontmatter is broken.
fn find_okf_notes(app: &App) -> Result<Vec<NamedNote>> {
    let has_fields = |note: &NoteText| is_okf_file(note.path.as_str()) && has_okf_fields(&note.text);
    Ok(app.ctx.vault.notes()?.filter(has_fields).map(named_note).collect())
}

fn named_note(note: NoteText) -> NamedNote {
    let text = match note.warning {
        Some(_) => Err("it is not UTF-8 text".to_owned()),
        None => Ok(note.text),
    };
    (note.path.to_string(), text)
}

/// The notes that a word names: a note or folder of the vault, else a file or folder outside of it.
fn read_named(app: &App, named: &str) -> Result<Vec<NamedNote>> {
    let vault = &app.ctx.vault;
    let read = |path: &VaultPath| match vault.read(path) {
        Ok(note) => named_note(note),
        Err(error) => (path.to_string(), Err(error.message().to_owned())),
    };
    let missing = match vault.locate(named) {
        Ok(path) => return Ok(vec![read(&path)]),
        Err(error) => error,
    };
    let outside = Path::new(named);
    let read_outside = |path: &str| {
        let unreadable = |error: Error| error.message().to_owned();
        (path.to_owned(), read_file(path).map(|(_, text)| text).map_err(unreadable))
    };
    if outside.is_file() {
        return Ok(vec![read_outside(named)]);
    }
    if named.trim().is_empty() {
        return Err(Error::invalid("a path is empty").hint("name a note or a folder, or leave it out"));
    }
    let listing = vault.files.list()?;
    if let Ok(folder) = vault.find_folder(named, &listing) {
        let files = listing.files.iter().map(|entry| &entry.path);
        let inside = files.filter(|path| folder.contains(path, true) && is_okf_file(path.as_str()));
        return Ok(inside.map(read).collect());
    }
    if outside.is_dir() {
        return Ok(list_markdown(outside)?.iter().map(|path| read_outside(path)).collect());
    }
    Err(Error::not_found(missing.message()).hint(missing.hint_text().unwrap_or_default()))
}

/// The Markdown files below a folder, in order. Hidden ones and links are left out.
fn list_markdown(folder: &Path) -> Result<Vec<String>> {
    let (mut found, mut folders): (Vec<String>, Vec<PathBuf>) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder)
            .map_err(|error| Error::invalid(format!("`{}` can't be read: {error}", folder.display())))?;
        for entry in entries.filter_map(std::io::Result::ok) {
            let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && !is_hidden => folders.push(entry.path()),
                Ok(kind) if kind.is_file() && !is_hidden => {
                    found.extend(entry.path().to_str().filter(|path| is_okf_file(path)).map(str::to_owned));
                }
                _ => {}
            }
        }
        if found.len() > MOST_FILES {
            let shown = folder.display();
            return Err(Error::invalid(format!("`{shown}` has more than {MOST_FILES} notes"))
                .hint("name a smaller folder"));
        }
    }
    found.sort();
    Ok(found)
}
