//! Moves and deletes files.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::batch::BatchAnswer;
use super::write_answer::{AboutFiles, WriteAnswer};
use super::{AnswerOrigins, Ctx, Effect, Tool};
use crate::Result;
use crate::library::vault::{ChangeOptions, MoveRequest, MovedFile, Vault};

#[derive(Debug)]
pub struct MoveFile;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MoveFileArgs {
    /// The file, relative to the vault; the `.md` is optional.
    #[serde(alias = "source")]
    path: String,
    /// Its new path, including the file name; without an extension it keeps its own.
    destination: String,
    /// Whether to update the links to it in other notes.
    #[serde(default = "yes")]
    update_links: bool,
    /// Return the diff and change nothing.
    #[serde(default)]
    dry_run: bool,
}

fn yes() -> bool {
    true
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct MoveAnswer {
    source: String,
    destination: String,
    #[serde(flatten)]
    written: WriteAnswer,
    /// The notes and canvases in which links were rewritten.
    updated_notes: Vec<String>,
    /// Links that were not rewritten, and why; without `update_links`, every link that the move leaves behind.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    left_alone: Vec<String>,
}

impl Tool for MoveFile {
    const NAME: &'static str = "move_file";
    const ABOUT: &'static str = "Moves or renames a file, and creates missing folders. Links to it in other notes are \
                                 updated. Never overwrites.";
    const EFFECT: Effect = Effect::Writes;
    type Args = MoveFileArgs;
    type Output = MoveAnswer;
    const STUB: &'static [&'static str] = &["source", "destination", "message", "operation", "kept"];

    fn answer_origins(output: &MoveAnswer) -> AnswerOrigins {
        output.file_origins()
    }

    async fn call(&self, ctx: &Ctx, args: MoveFileArgs) -> Result<MoveAnswer> {
        let MoveFileArgs { path, destination, update_links, dry_run } = args;
        let request = MoveRequest { source: &path, destination: &destination, update_links };
        move_one(&ctx.vault, ChangeOptions::new(Self::NAME, dry_run), request)
    }
}

impl AboutFiles for MoveAnswer {
    fn files(&self) -> Vec<String> {
        let here = [&self.source, &self.destination].into_iter().chain(&self.updated_notes).cloned();
        here.chain(self.written.files()).collect()
    }
}

impl AsRef<WriteAnswer> for MoveAnswer {
    fn as_ref(&self) -> &WriteAnswer {
        &self.written
    }
}

fn move_one(vault: &Vault, how: ChangeOptions<'_>, request: MoveRequest<'_>) -> Result<MoveAnswer> {
    let moved = vault.move_file(how, request)?;
    Ok(MoveAnswer {
        source: moved.from.to_string(),
        destination: moved.to.to_string(),
        updated_notes: moved.updated.iter().map(ToString::to_string).collect(),
        left_alone: moved.left_alone.clone(),
        written: to_write_answer(moved),
    })
}

fn to_write_answer(moved: MovedFile) -> WriteAnswer {
    let links = match moved.updated.len() {
        0 => String::new(),
        1 => ", links in 1 note followed".to_owned(),
        n => format!(", links in {n} notes followed"),
    };
    let links = match moved.left_alone.len() {
        0 => links,
        n => format!("{links}; {n} not updated, see `left_alone`"),
    };
    WriteAnswer::from_outcome(
        moved.to.as_str(),
        &format!("moved `{}` to `{}`{links}", moved.from, moved.to),
        moved.outcome,
    )
}

#[derive(Debug)]
pub struct BatchMoveFiles;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BatchMoveArgs {
    /// The moves, applied in order.
    moves: Vec<OneMove>,
    /// Return the diff and change nothing.
    #[serde(default)]
    dry_run: bool,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OneMove {
    /// The file, relative to the vault.
    #[serde(alias = "source")]
    path: String,
    /// Its new path, its name included.
    destination: String,
}

impl Tool for BatchMoveFiles {
    const NAME: &'static str = "batch_move_files";
    const ABOUT: &'static str = "Moves many files and updates the links to each. Continues after a failure, and \
                                 reports what succeeded and what failed.";
    const EFFECT: Effect = Effect::Writes;
    type Args = BatchMoveArgs;
    type Output = BatchAnswer<MoveAnswer>;
    const STUB: &'static [&'static str] =
        &["total", "succeeded.path", "failed.path", "failed.error", "group"];

    fn answer_origins(output: &BatchAnswer<MoveAnswer>) -> AnswerOrigins {
        output.file_origins()
    }

    async fn call(&self, ctx: &Ctx, args: BatchMoveArgs) -> Result<BatchAnswer<MoveAnswer>> {
        let how = ChangeOptions::new(Self::NAME, args.dry_run);
        BatchAnswer::run(
            &ctx.vault,
            how,
            &args.moves,
            |one| &one.path,
            |vault, how, one| {
                let request =
                    MoveRequest { source: &one.path, destination: &one.destination, update_links: true };
                move_one(vault, how, request)
            },
        )
    }
}

#[derive(Debug)]
pub struct DeleteFile;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeleteFileArgs {
    /// The file, relative to the vault; the `.md` is optional.
    path: String,
    /// Return what would be done and change nothing.
    #[serde(default)]
    dry_run: bool,
}

impl Tool for DeleteFile {
    const NAME: &'static str = "delete_file";
    const ABOUT: &'static str = "Moves a file to the vault's trash folder; `wellread undo` restores it. Links to it \
                                 are not changed.";
    const EFFECT: Effect = Effect::Writes;
    type Args = DeleteFileArgs;
    type Output = WriteAnswer;
    const STUB: &'static [&'static str] = &["path", "message", "operation", "kept"];

    fn answer_origins(output: &WriteAnswer) -> AnswerOrigins {
        output.file_origins()
    }

    async fn call(&self, ctx: &Ctx, args: DeleteFileArgs) -> Result<WriteAnswer> {
        let path = ctx.vault.locate(&args.path)?;
        let outcome = ctx.vault.trash(ChangeOptions::new(Self::NAME, args.dry_run), &path)?;
        Ok(WriteAnswer::from_outcome(path.as_str(), &format!("moved `{path}` to the trash"), outcome))
    }
}
