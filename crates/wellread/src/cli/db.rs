//! `wellread db`: the store of the records, in the data folder or in a database.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::json;
use wellread_core::domain::display::counted;
use wellread_core::{Error, Result};

use super::Invocation;
use crate::output::success;
use crate::platform;
use crate::wiring::{DatabaseReport, RecordArchive, RecordCheck, RecordSummary, TableVersions};

/// How many damaged records are named.
const NAMED: usize = 20;

/// Prepare, check, export and import the records: runs, agendas, findings and conversations
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The records are in the data folder, unless `database.url` names a PostgreSQL database. To move them there: export, \
set `database.url`, migrate, import. The digest is the same before and after.\n\n\
Example:\n  wellread db export records.jsonl\n  wellread config set database.url postgres://wellread@db.example.org/wellread\n  \
wellread db migrate\n  wellread db import records.jsonl\n  wellread db check"
)]
pub struct DbArgs {
    #[command(subcommand)]
    what: DbCommand,
}

#[derive(Debug, clap::Subcommand)]
enum DbCommand {
    /// Create the tables in the PostgreSQL database, or bring them up to date
    #[command(
        after_help = "Needs a role that may create a schema; nothing else that Wellread does needs that right. With `database.index` set, \
the tables of the index are made, too, which need pgvector: where the role may not install it, a superuser runs \
`CREATE EXTENSION vector` in the database first.\n\n\
Example:\n  wellread db migrate"
    )]
    Migrate,
    /// Read all records, verify every hash chain and checksum, and show counts and digest
    #[command(after_help = "Exit status 1 if something is damaged or a right is missing.\n\n\
Example:\n  wellread db check\n  wellread db check --json")]
    Check,
    /// Write all records to a new file
    #[command(
        after_help = "The file has a line of JSON for each record, and can be read by you alone. Accounts and the log of decisions \
are in it, too.\n\n\
Example:\n  wellread db export records.jsonl"
    )]
    Export {
        /// The file; it must not exist yet
        file: PathBuf,
    },
    /// Put all records of a file into an empty store
    #[command(
        after_help = "The file is verified first, the store afterwards. If it is interrupted, run it again. End every other \
`wellread` that uses the store first.\n\nExample:\n  wellread db import records.jsonl"
    )]
    Import {
        /// A file that `wellread db export` wrote
        file: PathBuf,
    },
}

pub fn run(invocation: &Invocation, args: &DbArgs) -> Result<ExitCode> {
    let store = RecordArchive::open(&invocation.load_config()?, invocation.offline)?;
    match &args.what {
        DbCommand::Migrate => migrate(invocation, &store),
        DbCommand::Check => return check(invocation, &store),
        DbCommand::Export { file } => export(invocation, &store, file),
        DbCommand::Import { file } => import(invocation, &store, file),
    }?;
    Ok(ExitCode::SUCCESS)
}

fn migrate(invocation: &Invocation, store: &RecordArchive) -> Result<()> {
    let TableVersions { records, index } = store.migrate()?;
    if invocation.output.json {
        let (from, to) = records;
        let mut answer = json!({ "place": store.place(), "from": from, "to": to });
        if let Some((from, to)) = index {
            answer["index"] = json!({ "from": from, "to": to });
        }
        return invocation.output.object(&success(answer));
    }
    let mut text = format!("{} in {}\n", render_versions("the tables", records), store.place());
    if let Some(index) = index {
        text += &format!("{}\n", render_versions("the tables of the index", index));
    }
    invocation.output.text(&text)
}

fn render_versions(what: &str, (from, to): (i64, i64)) -> String {
    match from {
        0 => format!("created {what} (schema {to})"),
        from if from == to => format!("{what} are up to date (schema {to})"),
        from => format!("brought {what} from schema {from} to {to}"),
    }
}

fn check(invocation: &Invocation, store: &RecordArchive) -> Result<ExitCode> {
    let checked = with_progress(invocation, "checked", |progress| store.check(progress))?;
    let RecordCheck { database, summary, damaged } = &checked;
    let missing = database.as_ref().map(|database| &database.missing_rights[..]).unwrap_or_default();
    let is_fine = damaged.is_empty() && missing.is_empty();
    if invocation.output.json {
        let database = database.as_ref().map(|database| {
            json!({
                "server": database.server,
                "schema": database.schema,
                "index_schema": database.index_schema,
                "role": database.role,
                "sees_all_spaces": database.sees_all_spaces,
                "missing_rights": database.missing_rights,
            })
        });
        let counts: serde_json::Map<_, _> =
            summary.tables.iter().map(|(name, count)| (name.clone(), json!(count))).collect();
        invocation.output.object(&success(json!({
            "place": store.place(),
            "database": database,
            "counts": counts,
            "rows": summary.rows,
            "digest": summary.digest,
            "damaged": damaged,
            "ok": is_fine,
        })))?;
    } else {
        let mut lines = format!("{:<11}{}\n", "records", store.place());
        lines += &database.as_ref().map(render_database).unwrap_or_default();
        lines += &render_summary(summary);
        lines += &render_damage(damaged);
        invocation.output.text(&lines)?;
    }
    Ok(if is_fine { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn export(invocation: &Invocation, store: &RecordArchive, file: &Path) -> Result<()> {
    check_is_apart(invocation, file)?;
    let summary = with_progress(invocation, "exported", |progress| store.export(file, progress))?;
    let what = format!("exported {} to {}", store.place(), file.display());
    print_summary(invocation, store, &summary, &what)
}

/// Records have text of private notes: a file of them must not be among the files that are read and shown.
fn check_is_apart(invocation: &Invocation, file: &Path) -> Result<()> {
    let file = platform::canonicalize_existing(file);
    for known in invocation.load_config()?.known_vaults()? {
        let repos = known.repos()?.into_iter().map(|repo| repo.path);
        let folders = [known.vault()?].into_iter().chain(repos);
        let mut folders = folders.map(|folder| platform::canonicalize_existing(&folder));
        if let Some(folder) = folders.find(|folder| platform::is_within(&file, folder)) {
            return Err(Error::refused(format!("`{}` is inside `{}`", file.display(), folder.display()))
                .hint(
                    "records have text of private notes; choose a folder outside of vaults and repositories",
                ));
        }
    }
    Ok(())
}

fn import(invocation: &Invocation, store: &RecordArchive, file: &Path) -> Result<()> {
    let summary = with_progress(invocation, "imported", |progress| store.import(file, progress))?;
    let what = format!("imported {} into {}", file.display(), store.place());
    print_summary(invocation, store, &summary, &what)
}

fn print_summary(
    invocation: &Invocation,
    store: &RecordArchive,
    summary: &RecordSummary,
    what: &str,
) -> Result<()> {
    if invocation.output.json {
        let answer = json!({ "place": store.place(), "rows": summary.rows, "digest": summary.digest });
        return invocation.output.object(&success(answer));
    }
    invocation.output.text(&format!("{what}\n{}", render_summary(summary)))
}

/// Shows how many records were done so far, in one line that is erased at the end.
fn with_progress<T>(
    invocation: &Invocation,
    done: &str,
    act: impl FnOnce(&mut dyn FnMut(u64)) -> Result<T>,
) -> Result<T> {
    const EVERY: u64 = 500;
    let mut is_shown = false;
    let result = act(&mut |rows| {
        if rows.is_multiple_of(EVERY) {
            is_shown = true;
            invocation.output.show_status(&format!("{done} {}", counted(rows, "record", "records")));
        }
    });
    if is_shown {
        invocation.output.show_status("");
    }
    result
}

fn render_database(database: &DatabaseReport) -> String {
    let DatabaseReport { server, schema, index_schema, role, sees_all_spaces, missing_rights } = database;
    let index = index_schema.map(|schema| format!(", index schema {schema}")).unwrap_or_default();
    let mut lines = format!("{:<11}PostgreSQL {server}, schema {schema}{index}\n", "database");
    let rights = match (missing_rights.is_empty(), sees_all_spaces) {
        (false, _) => format!("`{role}` lacks {}", missing_rights.join(", ")),
        (true, true) => format!("`{role}` may see all spaces: row-level security does not apply to it"),
        (true, false) => format!("`{role}` has the rights that it needs, and sees this space alone"),
    };
    lines += &format!("{:<11}{rights}\n", "role");
    lines
}

fn render_summary(summary: &RecordSummary) -> String {
    let rows = counted(summary.rows, "record", "records");
    let counts: String = summary.tables.iter().map(|(name, count)| format!("{name:<11}{count}\n")).collect();
    format!("{counts}{:<11}{} over {rows}\n", "digest", summary.digest)
}

fn render_damage(damaged: &[String]) -> String {
    if damaged.is_empty() {
        return "every hash chain and checksum holds\n".to_owned();
    }
    let mut lines = format!("{} damaged:\n", counted(damaged.len() as u64, "record is", "records are"));
    lines.extend(damaged.iter().take(NAMED).map(|record| format!("  {record}\n")));
    if damaged.len() > NAMED {
        lines += &format!("  and {} more\n", damaged.len() - NAMED);
    }
    lines
}
