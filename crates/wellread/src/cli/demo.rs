//! `wellread demo`: the main job on the example vault, before your eyes: a note researched, its sentences checked, questions
//! answered about the notes and the code, all of it undone.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use serde_json::{Value, json};
use wellread_core::agendas::jobs::AgendaRequest;
use wellread_core::domain::display::render_duration;
use wellread_core::domain::verdict::CitedQuote;
use wellread_core::faces::tools::{
    AskArgs, AskQuestion, CheckClaimsArgs, ResearchNote, ResearchNoteArgs, Tool,
};
use wellread_core::research::Depth;
use wellread_core::{Error, Result};

use super::{Invocation, build_runtime, serve};
use crate::answers::{self, VerifyTarget};
use crate::app::{App, OpenVault, OpenVaults};
use crate::config::{Config, Flags, RepoSetting};
use crate::wiring::NetworkOptions;
use crate::worker::jobs;
use crate::{examples, telemetry};

/// Try Wellread on an example vault; needs no API key and no network
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Copies the example vault and its small code project to a new temporary folder and works there; \
your own notes are not touched.\n\nExample:\n  wellread demo\n  wellread demo --serve"
)]
pub struct DemoArgs {
    /// Then serve the web page for the example vault
    #[arg(long)]
    serve: bool,
}

const NOTE: &str = "Bees/Varroa mite";
const ABOUT_NOTES: &str = "What is the treatment threshold for varroa in August?";
const ABOUT_CODE: &str = "Do swarms leave in daylight?";

pub fn run(invocation: &Invocation, args: &DemoArgs) -> Result<ExitCode> {
    let folder = copy_examples()?;
    let vault = folder.join("vault");
    let flags = Flags {
        config: None,
        vault: Some(vault.display().to_string()),
        data: Some(folder.join("data").display().to_string()),
    };
    // The user's own settings say nothing about the example.
    let code = RepoSetting { name: "hivelog".to_owned(), path: folder.join("code/hivelog") };
    let config = Config::from_flags(&flags)?.with_repos(vec![code]);
    telemetry::start(&config, invocation.verbose, true);
    let app = Arc::new(App::open(&config, NetworkOptions { offline: true, web: false })?);
    let mut show = DemoSession { app: app.clone(), lines: Vec::new(), calls: Vec::new() };
    run_demo(&mut show, &vault)?;
    let mut outcome = json!({ "folder": folder, "calls": show.calls });
    if !invocation.output.json {
        invocation.output.text(&show.lines.join("\n"))?;
    } else if !args.serve {
        outcome = crate::output::success(outcome);
        invocation.output.object(&outcome)?;
    }
    if args.serve {
        // Something to look at: what research would do for this vault, which waits for approval.
        let wish = AgendaRequest { note: None, scheduled: false, once: None };
        build_runtime()?.block_on(jobs(&app.ctx).trigger(wish))?;
        let vaults = OpenVaults { first: OpenVault { config, app }, others: Vec::new() };
        return serve::serve_vaults(invocation, &vaults, &serve::ServeArgs::on_any_port());
    }
    Ok(ExitCode::SUCCESS)
}

/// A new folder under the system's temporary one, so that two demos do not meet.
fn copy_examples() -> Result<PathBuf> {
    let folder = std::env::temp_dir()
        .join(format!("wellread-demo-{}", wellread_core::domain::id::OperationId::fresh()));
    let failed = |error: std::io::Error| {
        Error::failed(format!("could not copy the examples to `{}`: {error}", folder.display()))
    };
    std::fs::create_dir(&folder).map_err(failed)?;
    examples::write_to(&folder).map_err(failed)?;
    Ok(folder)
}

struct DemoSession {
    app: Arc<App>,
    lines: Vec<String>,
    calls: Vec<Value>,
}

impl DemoSession {
    fn say(&mut self, line: impl Into<String>) {
        self.lines.push(line.into());
    }

    /// Calls a tool; `arguments` is what a client would have to send for it.
    fn call<T: Tool>(&mut self, tool: T, args: T::Args, arguments: &Value) -> Result<T::Output>
    where
        T::Args: Clone,
    {
        let answer = build_runtime()?.block_on(self.app.clone().call(tool, args))?;
        self.calls.push(json!({ "tool": T::NAME, "arguments": arguments, "answer": answer }));
        Ok(answer)
    }

    /// Researches the note, and shows what was written with what the gate says of each sentence.
    fn research_note(&mut self) -> Result<()> {
        self.say(format!(
            "
$ wellread note '{NOTE}' --apply"
        ));
        let request = ResearchNoteArgs {
            path: NOTE.to_owned(),
            depth: Depth::default(),
            focus: None,
            dry_run: false,
            preview_run: None,
        };
        let answer = self.call(ResearchNote, request, &json!({ "path": NOTE }))?;
        let path = self.app.ctx.vault.locate(NOTE)?;
        let text = self.app.ctx.vault.read(&path)?.text;
        let section = text.find("## Research").map_or("", |at| &text[at..]);
        let section = section.split("<!--").next().unwrap_or_default().trim_end();
        self.say(indent(section));

        self.say(format!("\n$ wellread verify '{NOTE}'"));
        let note = CheckClaimsArgs { path: Some(path.to_string()), ..CheckClaimsArgs::default() };
        let (app, ctx) = (&self.app, self.app.ctx.clone());
        let verified = build_runtime()?.block_on(answers::verify(app, ctx, VerifyTarget::Text(note)))?;
        for sentence in &verified.sentences {
            let evidence = sentence.evidence.iter().map(format_place).collect::<Vec<_>>().join(", ");
            let words = shorten(&sentence.text);
            self.say(format!("  {:<12} {words}  {evidence}", sentence.verdict.name()));
        }
        let coverage = verified.coverage;
        self.say(format!(
            "  {} of {} sentences are supported by the lines they cite, which were just read again. Nothing left this machine.",
            coverage.borne_out(), coverage.sentences
        ));
        for forgotten in answer.forgotten.iter().take(2) {
            self.say(format!("  You may have forgotten {} ({}).", forgotten.path, forgotten.why));
        }
        self.calls.push(json!({ "verified": verified }));
        Ok(())
    }

    fn ask(&mut self, question: &str) -> Result<()> {
        self.say(format!("\n$ wellread ask '{question}'"));
        let request = AskArgs { query: question.to_owned() };
        let answer = self.call(AskQuestion, request, &json!({ "query": question }))?;
        self.say(indent(&answer.answer));
        Ok(())
    }
}

fn run_demo(show: &mut DemoSession, vault: &Path) -> Result<()> {
    show.say(format!("The example vault is in {}: feel free to experiment.", vault.display()));
    let begun = Instant::now();
    let updated = show.app.update(false, &|_| {})?;
    let took = render_duration(begun.elapsed());
    show.say(format!("Indexed {} notes and code files in {took}.", updated.added));

    show.research_note()?;
    show.ask(ABOUT_NOTES)?;
    show.ask(ABOUT_CODE)?;

    show.say("\n$ wellread undo");
    for undone in show.app.ctx.vault.undo(None)? {
        let paths: Vec<String> = undone.paths.iter().map(ToString::to_string).collect();
        show.say(format!("  undid {}: {} is restored byte for byte", undone.label, paths.join(", ")));
    }
    let code = vault.with_file_name("code").join("hivelog").display().to_string();
    let (vault, data) = (vault.display(), vault.with_file_name("data").display().to_string());
    show.say(format!(
        "\nTry next:\n  export VAULT_PATH={vault} WELLREAD_DATA={data} WELLREAD_REPOS=hivelog={code}\n  \
         wellread note 'Bees/Winter losses' --dry-run\n  wellread ask 'why do colonies die in winter'\n  \
         wellread search 'keeping colonies alive through the cold months'   # by meaning, too\n  \
         wellread undo --list\n  \
         wellread doctor\n  wellread demo --serve   # the web page\n  wellread mcp            # for any MCP client\n\
         On your own notes:\n  wellread init"
    ));
    Ok(())
}

/// Where a sentence's evidence stands.
fn format_place(evidence: &CitedQuote) -> String {
    let CitedQuote { path, start_line: first, end_line: last, .. } = evidence;
    if first == last { format!("{path}:{first}") } else { format!("{path}:{first}-{last}") }
}

/// The beginning of a sentence.
fn shorten(sentence: &str) -> String {
    const SHOWN: usize = 56;
    let sentence = sentence.split(" (").next().unwrap_or(sentence).split(" [").next().unwrap_or(sentence);
    match sentence.char_indices().nth(SHOWN) {
        Some((cut, _)) => format!("{}…", &sentence[..cut]),
        None => sentence.to_owned(),
    }
}

fn indent(text: &str) -> String {
    let line = |line: &str| if line.is_empty() { String::new() } else { format!("  {line}") };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}
