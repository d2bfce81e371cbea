//! `wellread demo`: the example vault, read, edited and put back before your eyes.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use serde_json::{Value, json};
use wellread_core::corpus::CorpusName;
use wellread_core::ports::Filter;
use wellread_core::search::{Mode, Request, snippet};
use wellread_core::{Error, Result};

use super::{Invocation, runtime};
use crate::app::App;
use crate::config::{Config, Flags, RepoSetting};
use crate::reaching::Asked;
use crate::{examples, telemetry};

/// Try it on an example vault, without a key and without network
#[derive(Debug, clap::Args)]
#[command(
    after_help = "It copies the example vault and its small code project to a new temporary folder and works there; \
your own notes are not touched.\n\nExample:\n  wellread demo"
)]
pub struct DemoArgs {}

pub fn run(invocation: &Invocation, _: &DemoArgs) -> Result<ExitCode> {
    let folder = copy()?;
    let vault = folder.join("vault");
    let flags = Flags {
        config: None,
        vault: Some(vault.display().to_string()),
        data: Some(folder.join("data").display().to_string()),
    };
    // The user's own settings say nothing about the example.
    let code = RepoSetting { name: "hivelog".to_owned(), path: folder.join("code/hivelog") };
    let config = Config::of_flags(&flags)?.with_repos(vec![code]);
    telemetry::start(config.log_level(), invocation.verbose);
    let mut show = Show {
        app: Arc::new(App::open(&config, Asked { offline: true, web: false })?),
        lines: Vec::new(),
        calls: Vec::new(),
    };
    walk(&mut show, &vault)?;
    if invocation.output.json {
        invocation
            .output
            .object(&crate::output::success(json!({ "folder": folder, "calls": show.calls })))?;
    } else {
        invocation.output.text(&show.lines.join("\n"))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A new folder under the system's temporary one, so that two demos do not meet.
fn copy() -> Result<PathBuf> {
    let folder =
        std::env::temp_dir().join(format!("wellread-demo-{}", wellread_core::id::OperationId::fresh()));
    let failed = |error: std::io::Error| {
        Error::failed(format!("could not copy the examples to `{}`: {error}", folder.display()))
    };
    std::fs::create_dir(&folder).map_err(failed)?;
    examples::write_to(&folder).map_err(failed)?;
    Ok(folder)
}

struct Show {
    app: Arc<App>,
    lines: Vec<String>,
    calls: Vec<Value>,
}

impl Show {
    fn say(&mut self, line: impl Into<String>) {
        self.lines.push(line.into());
    }

    /// The best passages of notes or of code, as `wellread search` shows them.
    fn search(&mut self, query: &str, corpus: CorpusName) -> Result<()> {
        let place = if corpus == CorpusName::Vault { "notes" } else { "code" };
        self.say(format!("\n$ wellread search '{query}' --in {place} -k 2"));
        self.app.make_searchable(&|_| {})?;
        let request = Request {
            query: query.to_owned(),
            mode: Mode::Hybrid,
            filter: Filter { corpora: Some(vec![corpus]), ..Filter::default() },
            limit: 2,
            per_file: 1,
        };
        for hit in self.app.ctx.search.find(&request)?.hits {
            let (first, last) = hit.place.lines;
            self.say(format!("  {}:{first}-{last}", hit.place.path));
            for line in snippet(&hit.text, query).lines() {
                self.say(format!("      {line}"));
            }
        }
        Ok(())
    }

    fn call(&mut self, name: &str, args: &Value) -> Result<Value> {
        self.say(format!("\n$ wellread tool {name} '{args}'"));
        let answer = runtime()?.block_on(self.app.clone().run(name.to_owned(), args.clone()))?;
        self.calls.push(json!({ "tool": name, "arguments": args, "answer": answer }));
        Ok(answer)
    }
}

fn walk(show: &mut Show, vault: &Path) -> Result<()> {
    show.say(format!("The example vault is in {}: yours to play with.", vault.display()));

    show.search("treatment threshold for varroa in August", CorpusName::Vault)?;
    show.search("how far must the weight drop for a swarm", CorpusName::Repository("hivelog".to_owned()))?;
    show.say("  Every hit is text at a place: those lines of that file, read again before they are shown.");

    let info = show.call("get_note_info", &json!({ "path": "Bees/Varroa mite" }))?;
    let headings: Vec<String> = list(&info["headings"])
        .map(|heading| format!("{} (line {})", text(&heading["text"]), heading["line"]))
        .collect();
    show.say(format!("  headings: {}", headings.join(", ")));
    show.say(format!(
        "  tags: {}   links: {} out, {} in",
        words(&info["tags"]),
        info["outgoing_links"],
        info["incoming_links"]
    ));

    let back = show.call("find_backlinks", &json!({ "note_name": "Varroa mite", "limit": 4 }))?;
    for path in list(&back["results"]) {
        show.say(format!("  {}", text(path)));
    }
    show.say(format!("  … {} notes in all, by links of every form", back["total"]));

    let content = "Counted again this morning: the board was clean.";
    let edit =
        json!({ "path": "Bees/Varroa mite", "content": content, "position": "append", "dry_run": true });
    let shown = show.call("edit_file", &edit)?;
    show.say(indent(text(&shown["diff"])));
    show.say("  A dry run shows the difference and changes nothing. Now for real, with a rename:");

    show.call("append_to_file", &json!({ "path": "Bees/Varroa mite", "content": content }))?;
    let moved = show.call(
        "move_file",
        &json!({ "source": "Bees/Varroa mite", "destination": "Bees/Varroa destructor" }),
    )?;
    show.say(format!("  {}", text(&moved["message"])));

    show.say("\n$ wellread undo");
    for undone in show.app.ctx.vault.undo(None)? {
        show.say(format!(
            "  undid {}: {} notes have their exact bytes back",
            undone.label,
            undone.paths.len()
        ));
    }
    let (vault, data) = (vault.display(), vault.with_file_name("data").display().to_string());
    show.say(format!(
        "\nTry next:\n  export VAULT_PATH={vault} WELLREAD_DATA={data}\n  wellread search 'why do colonies die in winter'\n  \
         wellread model install && wellread index   # finds what means the same, too\n  wellread tool --list\n  wellread undo --list\n  \
         wellread doctor\n  wellread mcp          # for any MCP client"
    ));
    Ok(())
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn words(value: &Value) -> String {
    list(value).map(text).collect::<Vec<_>>().join(", ")
}

fn indent(diff: &str) -> String {
    diff.lines().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}
