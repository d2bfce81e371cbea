//! Which notes are private and why, and where that might not be as the user thinks.

use std::collections::BTreeMap;

use wellread_core::Error;
use wellread_core::domain::corpus::VaultPath;
use wellread_core::domain::display::counted;
use wellread_core::library::judge::PrivateReason;
use wellread_core::ports::Embedder as _;

use super::DoctorCheck;
use crate::app::App;

/// The setting that names private folders.
const FOLDERS: &str = "vault.private_folders";
/// The most notes that are named for one reason.
const MOST_NAMED: usize = 3;

fn describe_unmatched(folder: &str) -> String {
    format!("`{folder}` in the setting `{FOLDERS}` matches no folder of the vault, so it protects nothing")
}

/// What the user has to know at every start: settings that protect nothing, and text that will be sent away.
pub fn find_warnings(app: &App) -> Vec<String> {
    let unmatched = app.ctx.vault.judge().find_unmatched_folders().unwrap_or_default();
    let mut warnings: Vec<String> = unmatched.iter().map(|folder| describe_unmatched(folder)).collect();
    let has_index = app.library.index.read_state().is_ok_and(|state| state.complete);
    if !has_index {
        warnings.extend(describe_embedding(app));
    }
    warnings
}

/// What an embedding model on another machine gets; `None` if it is on this one, or there is none.
fn describe_embedding(app: &App) -> Option<String> {
    (!app.embedder.is_local()).then(|| {
        "the text of public notes is sent to the embedding endpoint; private notes are not, and are searched by words"
            .to_owned()
    })
}

/// How many notes are private and why, what an embedding endpoint gets, and which repositories share files with the vault.
pub fn check_privacy(app: &App) -> Vec<DoctorCheck> {
    let mut checks = vec![count_private_notes(app)];
    checks.extend(describe_embedding(app).map(|sent| DoctorCheck::good("privacy", sent)));
    let remedy = format!("`wellread config set {FOLDERS} FOLDER` names the right one");
    match app.ctx.vault.judge().find_unmatched_folders() {
        Ok(unmatched) => {
            for folder in &unmatched {
                let error = Error::invalid(describe_unmatched(folder));
                checks.push(DoctorCheck::bad("privacy", &error, &remedy));
            }
        }
        Err(error) => checks.push(DoctorCheck::bad("privacy", &error, &remedy)),
    }
    for name in &app.overlapping {
        let detail = format!(
            "the repository `{name}` and the vault share files; private notes are left out of the repository"
        );
        checks.push(DoctorCheck::good("privacy", detail));
    }
    checks
}

/// How many notes are private for a reason. Those that nobody meant to be private are named.
fn describe_reason(reason: &PrivateReason, notes: &[&VaultPath]) -> String {
    let counted = format!("{} {reason}", notes.len());
    if !matches!(reason, PrivateReason::Frontmatter | PrivateReason::Unreadable) {
        return counted;
    }
    let mut names: Vec<String> = notes.iter().take(MOST_NAMED).map(|path| format!("`{path}`")).collect();
    if notes.len() > MOST_NAMED {
        names.push("…".to_owned());
    }
    format!("{counted} ({}; `wellread status` says why)", names.join(", "))
}

fn count_private_notes(app: &App) -> DoctorCheck {
    let vault = &app.ctx.vault;
    let counted_notes = vault.files.list().map(|listing| {
        let mut reasons: BTreeMap<PrivateReason, Vec<&VaultPath>> = BTreeMap::new();
        for entry in listing.files.iter().filter(|entry| entry.path.is_note()) {
            if let Some(reason) = vault.judge().find_private_reason(&entry.path) {
                reasons.entry(reason).or_default().push(&entry.path);
            }
        }
        let total: usize = reasons.values().map(Vec::len).sum();
        let each: Vec<String> =
            reasons.iter().map(|(reason, notes)| describe_reason(reason, notes)).collect();
        match total {
            0 => "no note is private".to_owned(),
            total => {
                format!("{}: {}", counted(total, "note is private", "notes are private"), each.join(", "))
            }
        }
    });
    DoctorCheck::from_result("privacy", counted_notes, "check the folder's permissions")
}
