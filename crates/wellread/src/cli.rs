//! The command line: its arguments, and one file per command.

mod acp;
mod agenda;
mod ask;
mod chat;
mod code;
mod codebase;
#[cfg(test)]
mod commands_page;
mod completions;
mod config;
mod db;
mod decision_log;
mod demo;
mod doctor;
mod eval;
mod extract;
mod health;
mod help;
mod inbox;
mod index;
mod init;
mod locate;
mod man;
mod mcp;
mod model;
mod note;
mod okf;
mod place_links;
mod repo;
mod research;
mod resume;
mod runs;
mod search;
mod serve;
mod service;
mod status;
mod symbols;
mod tool;
mod undo;
mod users;
mod vault;
mod verify;
mod why;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Args, FromArgMatches as _, Parser, Subcommand};
use wellread_core::domain::decision::{DecidedBy, UserDecision};
use wellread_core::domain::display::counted;
use wellread_core::ports::SkippedFile;
use wellread_core::{Error, Result};

use crate::answers::{self, privacy};
use crate::app::{App, OpenVault, OpenVaults};
use crate::config::{Config, Flags};
use crate::output::{self, ColorChoice, Output};
use crate::wiring::NetworkOptions;
use crate::{signals, telemetry};

/// Whoever gives a command decides.
const BY_COMMAND: UserDecision = UserDecision::new(DecidedBy::Command);

/// A research agent over your notes: every edit can be checked and undone.
#[derive(Debug, Parser)]
#[command(name = "wellread", version, propagate_version = true, max_term_width = 100)]
#[command(after_help = "Results go to standard output, everything else to standard error.\n\
Exit status: 0 done, 1 failed, 2 usage error, 3 not found, 4 refused or conflict, 5 unreachable, 6 a sentence did not pass `verify`, or a note `okf check`.\n\n\
Example:\n  wellread demo\n  wellread --vault ~/notes tool read_file '{\"path\": \"Home\"}'")]
struct Cli {
    #[command(flatten)]
    global: GlobalArgs,
    #[command(subcommand)]
    command: CliCommand,
}

#[derive(Debug, Args)]
struct GlobalArgs {
    /// The vault: its folder, or its name in the settings [env: VAULT_PATH]
    #[arg(long, global = true, value_name = "DIR|NAME")]
    vault: Option<String>,
    /// The folder for the journal, the index and other data that is not a note [env: WELLREAD_DATA]
    #[arg(long, global = true, value_name = "DIR")]
    data: Option<String>,
    /// The settings file [env: WELLREAD_CONFIG]
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Print one JSON object to standard output
    #[arg(long, global = true)]
    json: bool,
    /// Print only the result
    #[arg(short, long, global = true)]
    quiet: bool,
    /// Log more; repeat for even more
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    verbose: u8,
    /// When to use colors [env: NO_COLOR]
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN")]
    color: ColorChoice,
    /// Disable colors, like `--color never`
    #[arg(long, global = true, conflicts_with = "color")]
    no_color: bool,
    /// Send nothing off this machine
    #[arg(long, global = true)]
    offline: bool,
}

#[derive(Debug, Subcommand)]
enum CliCommand {
    Init(init::InitArgs),
    Demo(demo::DemoArgs),
    Index(index::IndexArgs),
    Search(search::SearchArgs),
    Note(note::NoteArgs),
    Ask(ask::AskArgs),
    Code(code::CodeQuestionArgs),
    Outline(symbols::OutlineFileArgs),
    Symbol(symbols::SymbolNameArgs),
    Graph(symbols::GraphArgs),
    Locate(locate::LocateArgs),
    Extract(extract::ExtractArgs),
    Why(why::WhyArgs),
    Agenda(agenda::AgendaArgs),
    Inbox(inbox::InboxArgs),
    Chat(chat::ChatArgs),
    Tool(tool::ToolArgs),
    Eval(eval::EvalArgs),
    Undo(undo::UndoArgs),
    Runs(runs::RunsArgs),
    Verify(verify::VerifyArgs),
    Recheck(verify::RecheckArgs),
    Okf(okf::OkfArgs),
    Resume(resume::ResumeArgs),
    Replay(resume::ReplayArgs),
    Health(health::HealthArgs),
    Status(status::StatusArgs),
    Doctor(doctor::DoctorArgs),
    Config(config::ConfigArgs),
    Model(model::ModelArgs),
    Vault(vault::VaultArgs),
    Repo(repo::RepoArgs),
    Db(db::DbArgs),
    Users(users::UsersArgs),
    Serve(serve::ServeArgs),
    Mcp(mcp::McpArgs),
    Acp(acp::AcpArgs),
    Service(service::ServiceArgs),
    Completions(completions::CompletionsArgs),
    Man(man::ManArgs),
    /// List what could be typed next (used by the shells' completions)
    #[command(hide = true)]
    Complete(completions::CompleteArgs),
    /// Read a PDF from standard input (used internally, in a separate process)
    #[command(hide = true, name = "pdf-text")]
    PdfText,
}

/// What every command gets.
struct Invocation {
    flags: Flags,
    offline: bool,
    verbose: u8,
    output: Output,
}

impl Invocation {
    fn load_config(&self) -> Result<Config> {
        let config = Config::load(&self.flags)?;
        telemetry::start(&config, self.verbose, self.offline);
        Ok(config)
    }

    /// Says why the index had to be made anew, where it was.
    fn report_index_rebuild(&self, app: &App) {
        if let Some(reason) = app.index.take_notice() {
            self.output.notice(&format!("note: {reason}"));
        }
    }

    /// Says where damaged records were put, where they were.
    fn report_damaged_records(&self, app: &App) {
        if let Some(reason) = app.records.take_notice() {
            self.output.notice(&format!("note: {reason}"));
        }
    }

    fn open_app(&self) -> Result<Arc<App>> {
        let app = self.open_app_without_signals()?;
        signals::finish_changes_first([&app.files], self.output);
        Ok(app)
    }

    /// Opens the app for a command that handles signals itself.
    fn open_app_without_signals(&self) -> Result<Arc<App>> {
        self.open_app_with_web(false)
    }

    /// Opens the app, with the web if this call asks for it.
    fn open_app_with_web(&self, web: bool) -> Result<Arc<App>> {
        self.open_app_for(&self.load_config()?, web)
    }

    /// Opens every vault that is to be served. One that can't be opened is told of, and does not stop the others.
    fn open_vaults(&self, config: &Config) -> Result<OpenVaults> {
        let open = |config: Config| -> Result<OpenVault> {
            Ok(OpenVault { app: self.open_app_for(&config, false)?, config })
        };
        let mut served = config.served_vaults()?.into_iter();
        let first = open(served.next().unwrap_or_else(|| config.clone()))?;
        let mut others = Vec::new();
        for config in served {
            let name = config.vault_name().to_owned();
            match open(config) {
                Ok(vault) => others.push(vault),
                Err(error) => {
                    self.output.notice(&format!("warning: the vault `{name}` is not served: {error}"));
                }
            }
        }
        Ok(OpenVaults { first, others })
    }

    fn open_app_for(&self, config: &Config, web: bool) -> Result<Arc<App>> {
        self.report_opening(config, App::open(config, NetworkOptions { offline: self.offline, web })?)
    }

    /// Opens the app for a command that changes no note: without a vault, it works for the repositories alone.
    fn open_app_to_read(&self, web: bool) -> Result<Arc<App>> {
        let config = self.load_config()?;
        if !config.lacks_vault()? || config.repos()?.is_empty() {
            return self.open_app_for(&config, web);
        }
        self.output.notice(&format!(
            "note: there is no vault at `{}`, so only your repositories are searched; `wellread init` sets one up",
            config.vault()?.display()
        ));
        let options = NetworkOptions { offline: self.offline, web };
        self.report_opening(&config, App::for_repositories(&config, options)?)
    }

    /// The same for a command that does not handle signals itself.
    fn open_app_to_search(&self) -> Result<Arc<App>> {
        let app = self.open_app_to_read(false)?;
        signals::finish_changes_first([&app.files], self.output);
        Ok(app)
    }

    /// Says what there is to say about what was just opened.
    fn report_opening(&self, config: &Config, app: App) -> Result<Arc<App>> {
        // Whoever they belong to.
        let kept_for = config.runs_kept_for();
        let expired =
            kept_for.map_or(0, |kept_for| answers::forget_expired(&app.for_vault(), Some(kept_for)));
        if expired > 0 {
            let runs = counted(expired, "run", "runs");
            self.output.notice(&format!("note: forgot {runs} older than data.keep_runs_days"));
        }
        let found = &app.recovered;
        if found.completed + found.taken_back > 0 {
            self.output.notice(&format!(
                "note: an earlier run was interrupted; {} of its changes were completed, {} undone",
                found.completed, found.taken_back
            ));
        }
        if found.set_aside > 0 {
            self.output.notice(&format!(
                "note: {} could not be completed; the replaced text is kept in the data folder, in journal/damaged",
                counted(found.set_aside, "interrupted change", "interrupted changes")
            ));
        }
        if let Some(error) = &app.unrecovered {
            self.output.notice(&format!(
                "note: an earlier run was interrupted and could not be repaired: {error}; notes can be read but not edited"
            ));
        }
        for SkippedFile { path, reason } in &app.missing {
            self.output.notice(&format!("note: the repository `{path}` is skipped: {reason}"));
        }
        for warning in privacy::find_warnings(&app) {
            self.output.notice(&format!("warning: {warning}"));
        }
        for copy in &found.kept {
            self.output.notice(&format!("note: two versions met; one was kept as `{copy}`"));
        }
        Ok(Arc::new(app))
    }
}

pub fn main() -> ExitCode {
    if help::asks_for_version_alone(std::env::args_os()) {
        let _ = Output::new(false, false, ColorChoice::Never).text(help::VERSION_LINE);
        return ExitCode::SUCCESS;
    }
    let parsed = help::build_command().try_get_matches_from(search::guard_exclusions(std::env::args_os()));
    let cli = match parsed.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => cli,
        Err(said) => {
            let said = help::suggest_command(said);
            let status = output::report_clap_error(&said, std::env::args_os().any(|word| word == "--json"));
            if std::env::args_os().len() == 1 && !crate::config::has_settings() {
                Output::new(false, false, ColorChoice::Never).notice(FIRST_TIME);
            }
            return status;
        }
    };
    let GlobalArgs { vault, data, config, json, quiet, verbose, color, no_color, offline } = cli.global;
    let output = Output::new(json, quiet, if no_color { ColorChoice::Never } else { color });
    let invocation = Invocation { flags: Flags { config, vault, data }, offline, verbose, output };
    let done = run_command(&invocation, cli.command);
    let status = done.unwrap_or_else(|error| output.error(&error));
    telemetry::finish();
    status
}

fn run_command(invocation: &Invocation, command: CliCommand) -> Result<ExitCode> {
    match command {
        CliCommand::Init(args) => init::run(invocation, &args),
        CliCommand::Demo(args) => demo::run(invocation, &args),
        CliCommand::Index(args) => index::run(invocation, &args),
        CliCommand::Search(args) => search::run(invocation, &args),
        CliCommand::Note(args) => note::run(invocation, &args),
        CliCommand::Ask(args) => ask::run(invocation, &args),
        CliCommand::Code(args) => code::run(invocation, &args),
        CliCommand::Outline(args) => symbols::outline(invocation, &args),
        CliCommand::Symbol(args) => symbols::symbol(invocation, &args),
        CliCommand::Graph(args) => symbols::graph(invocation, &args),
        CliCommand::Locate(args) => locate::run(invocation, &args),
        CliCommand::Extract(args) => extract::run(invocation, &args),
        CliCommand::PdfText => extract::run_pdf_text(invocation),
        CliCommand::Why(args) => why::run(invocation, &args),
        CliCommand::Agenda(args) => agenda::run(invocation, &args),
        CliCommand::Inbox(args) => inbox::run(invocation, &args),
        CliCommand::Chat(args) => chat::run(invocation, &args),
        CliCommand::Verify(args) => verify::verify(invocation, &args),
        CliCommand::Recheck(args) => verify::recheck(invocation, &args),
        CliCommand::Okf(args) => okf::run(invocation, &args),
        CliCommand::Resume(args) => resume::resume(invocation, &args),
        CliCommand::Replay(args) => resume::replay(invocation, &args),
        CliCommand::Tool(args) => tool::run(invocation, &args),
        CliCommand::Eval(args) => eval::run(invocation, &args),
        CliCommand::Undo(args) => undo::run(invocation, &args),
        CliCommand::Runs(args) => runs::run(invocation, &args),
        CliCommand::Health(args) => health::run(invocation, &args),
        CliCommand::Status(args) => status::run(invocation, &args),
        CliCommand::Doctor(args) => doctor::run(invocation, &args),
        CliCommand::Config(args) => config::run(invocation, &args),
        CliCommand::Model(args) => model::run(invocation, &args),
        CliCommand::Vault(args) => vault::run(invocation, &args),
        CliCommand::Repo(args) => repo::run(invocation, &args),
        CliCommand::Db(args) => db::run(invocation, &args),
        CliCommand::Users(args) => users::run(invocation, &args),
        CliCommand::Serve(args) => serve::run(invocation, &args),
        CliCommand::Mcp(args) => mcp::run(invocation, &args),
        CliCommand::Acp(args) => acp::run(invocation, &args),
        CliCommand::Service(args) => service::run(invocation, &args),
        CliCommand::Completions(args) => completions::run(invocation, &args),
        CliCommand::Complete(args) => completions::complete(invocation, &args),
        CliCommand::Man(args) => man::run(invocation, &args),
    }
}

/// What someone reads who has set up nothing and names no command.
const FIRST_TIME: &str = "\nFirst time here? `wellread init` finds your vault and sets Wellread up; `wellread demo` shows it on an \
example vault.";

/// A runtime for the faces that wait for several things at once. It has one thread: the work is done on others.
pub fn build_runtime() -> Result<tokio::runtime::Runtime> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| Error::failed(format!("could not start: {error}")))
}
