//! `wellread config edit`: the settings file in the user's editor. A copy is edited, and takes the file's place only if it can be
//! read.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::Command;

use serde_json::json;
use wellread_core::{Error, Result};

use crate::cli::Invocation;
use crate::config;
use crate::output::success;
use crate::wiring::system::create_private_file;

/// What a new file begins with.
const TEMPLATE: &str = "# Settings of Wellread; `wellread config show` lists all of them.\n";

pub fn run(invocation: &Invocation) -> Result<()> {
    let output = invocation.output;
    let file = config::file_path(&invocation.flags)?;
    let editor = find_editor(&file)?;
    let before = read_settings(&file)?;
    let copy = file.with_extension(format!("edit-{}.toml", std::process::id()));
    let start = before.as_deref().unwrap_or(TEMPLATE);
    write_copy(&copy, start).map_err(|error| failed("write", &copy, &error))?;
    let edited = edit_copy(&editor, &copy);
    let text = match edited {
        Ok(text) => text,
        Err(error) => {
            let _ = fs::remove_file(&copy);
            return Err(error);
        }
    };
    let changed = text != start;
    let kept = || format!("nothing was changed; your text is in `{}`", copy.display());
    if changed {
        if read_settings(&file)? != before {
            let said = format!("`{}` was changed by another program meanwhile", file.display());
            return Err(Error::conflict(said).hint(kept()));
        }
        config::replace_text(&file, &text).map_err(|error| Error::invalid(error.message()).hint(kept()))?;
    }
    let _ = fs::remove_file(&copy);
    if output.json {
        return output.object(&success(json!({ "file": file, "changed": changed })));
    }
    output.text(&format!("{} {}", file.display(), if changed { "was changed" } else { "is unchanged" }))
}

/// The text of the settings file, if there is one.
fn read_settings(file: &Path) -> Result<Option<String>> {
    match fs::read_to_string(file) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed("read", file, &error)),
    }
}

fn find_editor(file: &Path) -> Result<String> {
    let mut named = ["VISUAL", "EDITOR"].iter().filter_map(|name| std::env::var(name).ok());
    named.find(|editor| !editor.trim().is_empty()).ok_or_else(|| {
        Error::invalid("no editor is set").hint(format!("set EDITOR, or edit `{}` yourself", file.display()))
    })
}

fn write_copy(copy: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = copy.parent() {
        fs::create_dir_all(folder)?;
    }
    create_private_file(copy)?.write_all(text.as_bytes())
}

/// Runs the editor, which may have arguments, as a shell would. It has the terminal until it ends.
fn edit_copy(editor: &str, copy: &Path) -> Result<String> {
    let script = format!("{editor} \"$1\"");
    let ended = Command::new("sh").args(["-c", &script, "sh"]).arg(copy).status();
    let status = ended.map_err(|error| Error::failed(format!("could not start `{editor}`: {error}")))?;
    if !status.success() {
        return Err(Error::failed(format!("the editor `{editor}` failed; nothing was changed")));
    }
    fs::read_to_string(copy).map_err(|error| failed("read", copy, &error))
}

fn failed(what: &str, path: &Path, error: &io::Error) -> Error {
    Error::failed(format!("could not {what} `{}`: {error}", path.display()))
}
