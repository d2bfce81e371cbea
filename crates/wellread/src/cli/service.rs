//! `wellread service`: the server as a service of the user, started at sign-in. Settings and data are never touched.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use serde_json::json;
use wellread_core::{Error, ErrorKind, Result};

use super::Invocation;
use crate::config::{self, Config};
use crate::output::{nothing_found, success};
use crate::platform;
use crate::service::{MARK, ServiceCommand, ServiceSystem};

/// Run the server as a service of yours, started when you sign in
#[derive(Debug, clap::Args)]
#[command(
    after_help = "A user unit of systemd on Linux, an agent of launchd on macOS, a task of the Task Scheduler on Windows. Uninstalling keeps \
settings and data.\n\nExample:\n  wellread service install --dry-run\n  wellread service install\n  wellread service status\n  \
wellread service logs\n  wellread service uninstall"
)]
pub struct ServiceArgs {
    #[command(subcommand)]
    what: ServiceAction,
}

#[derive(Debug, clap::Subcommand)]
enum ServiceAction {
    /// Write the service's file, and start the service
    #[command(
        after_help = "It says which file it writes and which commands it runs. The service uses the settings file, and the vault, \
data folder and settings file that are named here; variables of your shell, such as keys, are not seen by it.\n\n\
Example:\n  wellread service install\n  wellread service install --vault ~/notes --port 8123\n  \
wellread service install --dry-run --system launchd"
    )]
    Install {
        /// Print the file and the commands, and do nothing
        #[arg(long)]
        dry_run: bool,
        /// Write the file, but start nothing
        #[arg(long)]
        no_start: bool,
        /// The port of the server
        #[arg(long, value_name = "N")]
        port: Option<u16>,
        /// The service manager; one of another system needs --dry-run
        #[arg(long, value_enum)]
        system: Option<ServiceSystem>,
    },
    /// Stop the service and remove its file; settings and data stay
    #[command(after_help = "Example:\n  wellread service uninstall")]
    Uninstall {
        /// Print what would be done, and do nothing
        #[arg(long)]
        dry_run: bool,
    },
    /// Say whether the service is installed, and whether it runs
    #[command(
        after_help = "If it is not installed, the exit status is 3.\n\nExample:\n  wellread service status\n  wellread service status --json"
    )]
    Status,
    /// Show the last lines that the service has logged
    #[command(after_help = "Example:\n  wellread service logs -n 50")]
    Logs {
        /// How many lines
        #[arg(short = 'n', long, default_value_t = 100)]
        lines: usize,
    },
}

pub fn run(invocation: &Invocation, args: &ServiceArgs) -> Result<ExitCode> {
    match &args.what {
        ServiceAction::Install { dry_run, no_start, port, system } => {
            let own = ServiceSystem::of_this_machine();
            let system = system.unwrap_or(own);
            if system != own && !dry_run {
                return Err(Error::invalid(format!("this machine has no {}", system.name()))
                    .hint("`--dry-run` prints what would be written there"));
            }
            let command = build_command(invocation, *port)?;
            install(invocation, system, &command, *dry_run, !no_start)
        }
        ServiceAction::Uninstall { dry_run } => uninstall(invocation, *dry_run),
        ServiceAction::Status => show_status(invocation),
        ServiceAction::Logs { lines } => show_logs(invocation, *lines),
    }
}

/// The server on the vaults that are set, by full paths: a service starts in no particular folder.
fn build_command(invocation: &Invocation, port: Option<u16>) -> Result<ServiceCommand> {
    let program = std::env::current_exe()
        .map_err(|error| Error::failed(format!("this program does not know its own path: {error}")))?;
    let config = invocation.load_config()?;
    let full = |path: &Path| -> Result<String> {
        let path = platform::canonicalize_existing(path);
        path.to_str()
            .map(str::to_owned)
            .ok_or_else(|| Error::invalid(format!("the path `{}` is not Unicode", path.display())))
    };
    let mut args = [vec!["serve".to_owned()], config.vault_arguments()?].concat();
    if let Some(data) = &invocation.flags.data {
        args.extend(["--data".to_owned(), full(&platform::expand_home(data)?)?]);
    }
    if let Some(file) = config::explicit_file(&invocation.flags)? {
        args.extend(["--config".to_owned(), full(&file)?]);
    }
    if let Some(port) = port {
        args.extend(["--port".to_owned(), port.to_string()]);
    }
    let settings = config::file_path(&invocation.flags)?;
    let settings =
        std::path::absolute(&settings).map_err(|error| failed("find the folder of", &settings, &error))?;
    Ok(ServiceCommand {
        program: full(&program)?,
        args,
        log: log_file(&config)?,
        variables: settings.with_file_name("service.env"),
    })
}

fn log_file(config: &Config) -> Result<PathBuf> {
    Ok(config.shared_data_folder()?.join("service.log"))
}

fn install(
    invocation: &Invocation,
    system: ServiceSystem,
    command: &ServiceCommand,
    dry_run: bool,
    starts: bool,
) -> Result<ExitCode> {
    let output = invocation.output;
    let (file, text) = (system.file()?, system.render(command)?);
    let commands = if starts { system.start_commands(&file.display().to_string()) } else { Vec::new() };
    let known = if dry_run { read_own_file(&file).ok().flatten() } else { read_own_file(&file)? };
    let ends = starts && known.is_some();
    let before = if ends { system.unload_commands(&file.display().to_string()) } else { Vec::new() };
    let lines: Vec<String> = before.iter().chain(&commands).map(|words| words.join(" ")).collect();
    let mut answer = json!({ "system": system.name(), "file": file, "dry_run": dry_run, "commands": lines });
    if dry_run {
        if output.json {
            answer["text"] = json!(text);
            output.object(&success(answer))?;
        } else {
            output.notice(&format!("would write {}, and run: {}", file.display(), lines.join("; ")));
            output.text(&text)?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    answer["state"] = json!(match &known {
        Some(known) if *known == text => "unchanged",
        Some(_) => "replaced",
        None => "installed",
    });
    if known.as_deref() != Some(&text) {
        output.notice(&format!("writing {}", file.display()));
        write_file(&file, &text).map_err(|error| failed("write", &file, &error))?;
    }
    end_earlier(invocation, &before);
    for words in &commands {
        let shown = words.join(" ");
        output.notice(&format!("running {shown}"));
        run_manager(words)
            .map_err(|error| error.hint(format!("the file is in place; run `{shown}` yourself")))?;
    }
    if output.json {
        output.object(&success(answer))?;
    } else {
        let state = if starts { "installed and started" } else { "installed, and not started" };
        output.text(&format!("the service is {state}; `wellread service status` shows it"))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Ends the service as it was installed before. One that does not run can't be ended, and that is no trouble.
fn end_earlier(invocation: &Invocation, commands: &[Vec<String>]) {
    for words in commands {
        invocation.output.notice(&format!("running {}", words.join(" ")));
        if let Err(error) = run_manager(words) {
            invocation.output.notice(&format!("note: {error}"));
        }
    }
}

fn uninstall(invocation: &Invocation, dry_run: bool) -> Result<ExitCode> {
    let output = invocation.output;
    let system = ServiceSystem::of_this_machine();
    let file = system.file()?;
    if read_own_file(&file)?.is_none() {
        return Err(Error::not_found("the service is not installed")
            .hint(format!("there is no `{}`", file.display())));
    }
    let mut notes = Vec::new();
    if !dry_run {
        for words in system.stop_commands(&file.display().to_string()) {
            output.notice(&format!("running {}", words.join(" ")));
            // One that does not run can't be stopped, and its file is removed all the same.
            notes.extend(run_manager(&words).err().map(|error| error.to_string()));
        }
        output.notice(&format!("removing {}", file.display()));
        fs::remove_file(&file).map_err(|error| failed("remove", &file, &error))?;
        for words in system.forget_commands() {
            notes.extend(run_manager(&words).err().map(|error| error.to_string()));
        }
    }
    notes.iter().for_each(|note| output.notice(&format!("note: {note}")));
    if output.json {
        output.object(&success(json!({ "file": file, "dry_run": dry_run, "notes": notes })))?;
    } else if dry_run {
        output.text(&format!("would stop the service and remove {}", file.display()))?;
    } else {
        output.text("the service is removed; settings and data are as they were")?;
    }
    Ok(ExitCode::SUCCESS)
}

fn show_status(invocation: &Invocation) -> Result<ExitCode> {
    let system = ServiceSystem::of_this_machine();
    let file = system.file()?;
    let installed = read_own_file(&file)?.is_some();
    let running =
        installed && run_manager(&system.status_command()).is_ok_and(|printed| system.is_running(&printed));
    if invocation.output.json {
        let fields =
            json!({ "system": system.name(), "file": file, "installed": installed, "running": running });
        invocation.output.object(&success(fields))?;
    } else {
        let said = match (installed, running) {
            (false, _) => "not installed; `wellread service install` installs it".to_owned(),
            (true, false) => format!("installed, and not running: {}", file.display()),
            (true, true) => format!("running: {}", file.display()),
        };
        invocation.output.text(&said)?;
    }
    Ok(if installed { ExitCode::SUCCESS } else { nothing_found() })
}

fn show_logs(invocation: &Invocation, lines: usize) -> Result<ExitCode> {
    let system = ServiceSystem::of_this_machine();
    if system == ServiceSystem::Windows {
        return Err(Error::failed("the Task Scheduler keeps nothing that the service logs")
            .hint("run `wellread serve` in a terminal to see it"));
    }
    let text = if system == ServiceSystem::Systemd {
        let number = lines.to_string();
        run_manager(
            &["journalctl", "--user", "--no-pager", "-u", "wellread.service", "-n", &number]
                .map(str::to_owned),
        )?
    } else {
        let file = log_file(&invocation.load_config()?)?;
        let text = fs::read(&file).map_err(|error| failed("read", &file, &error))?;
        let text = String::from_utf8_lossy(&text).into_owned();
        let first = text.lines().count().saturating_sub(lines);
        text.lines().skip(first).map(|line| format!("{line}\n")).collect()
    };
    if invocation.output.json {
        invocation.output.object(&success(json!({ "lines": text.lines().collect::<Vec<_>>() })))?;
    } else {
        invocation.output.text(&text)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The file, if it is there. `Err` if somebody else wrote it: it is not ours to change.
fn read_own_file(file: &Path) -> Result<Option<String>> {
    match fs::read_to_string(file) {
        Ok(text) if text.contains(MARK) => Ok(Some(text)),
        Ok(_) => Err(Error::refused(format!("`{}` was not written by Wellread", file.display()))
            .hint("nothing was changed; move it away, or use it as it is")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed("read", file, &error)),
    }
}

fn write_file(file: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    let beside = file.with_extension(format!("new-{}", std::process::id()));
    fs::write(&beside, text).and_then(|()| fs::rename(&beside, file)).inspect_err(|_| {
        let _ = fs::remove_file(&beside);
    })
}

/// Runs a command of the service manager, and gives what it printed. `Err` with its own words if it failed.
fn run_manager(words: &[String]) -> Result<String> {
    let Some((program, args)) = words.split_first() else { return Ok(String::new()) };
    let shown = words.join(" ");
    let ran = Command::new(program).args(args).stdin(Stdio::null()).output();
    let ran = ran
        .map_err(|error| Error::new(ErrorKind::Unavailable, format!("could not run `{program}`: {error}")))?;
    if ran.status.success() {
        return Ok(String::from_utf8_lossy(&ran.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&ran.stderr).trim().replace('\n', "; ");
    let said = if said.is_empty() { ran.status.to_string() } else { said };
    Err(Error::new(ErrorKind::Unavailable, format!("`{shown}` failed: {said}")))
}

fn failed(what: &str, path: &Path, error: &io::Error) -> Error {
    Error::failed(format!("could not {what} `{}`: {error}", path.display()))
}
