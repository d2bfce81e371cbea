//! The server as a service of the user: what each system wants to have written down. Nothing is started here.
//!
//! | file | what |
//! | --- | --- |
//! | `systemd` | a user unit for Linux |
//! | `launchd` | an agent for macOS |
//! | `task_scheduler` | a task for Windows |

mod launchd;
mod systemd;
mod task_scheduler;

use std::path::PathBuf;

use wellread_core::{Error, Result};

use crate::platform;

/// The first words of every file that is ours, behind the comment sign of its format.
pub const MARK: &str = "Written by `wellread service install`";

/// A kind of service manager.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum ServiceSystem {
    /// User units of systemd, on Linux
    Systemd,
    /// Agents of launchd, on macOS
    Launchd,
    /// Tasks of the Task Scheduler, on Windows
    Windows,
}

/// The command that the service runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceCommand {
    /// The full path.
    pub program: String,
    pub args: Vec<String>,
    /// Where the output goes on systems that do not keep it themselves.
    pub log: PathBuf,
    /// A file with variables such as keys, which may be missing.
    pub variables: PathBuf,
}

impl ServiceSystem {
    /// The one of this machine.
    pub fn of_this_machine() -> Self {
        if cfg!(target_os = "macos") {
            Self::Launchd
        } else if cfg!(windows) {
            Self::Windows
        } else {
            Self::Systemd
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Systemd => "systemd",
            Self::Launchd => "launchd",
            Self::Windows => "windows",
        }
    }

    /// Where the file belongs.
    pub fn file(self) -> Result<PathBuf> {
        Ok(match self {
            Self::Systemd => {
                platform::folder_or("XDG_CONFIG_HOME", ".config")?.join("systemd/user").join(systemd::UNIT)
            }
            Self::Launchd => {
                platform::home()?.join("Library/LaunchAgents").join(format!("{}.plist", launchd::LABEL))
            }
            Self::Windows => {
                platform::folder_or("APPDATA", "AppData/Roaming")?.join("wellread").join("service.xml")
            }
        })
    }

    /// The text of the file. `Err` if a path can't be written in its format.
    pub fn render(self, command: &ServiceCommand) -> Result<String> {
        let mut words = [&command.program].into_iter().chain(&command.args);
        if let Some(word) = words.find(|word| word.contains(char::is_control)) {
            return Err(Error::invalid(format!(
                "`{}` can't be part of a service: it has a control character",
                word.escape_debug()
            )));
        }
        Ok(match self {
            Self::Systemd => systemd::render(command),
            Self::Launchd => launchd::render(command),
            Self::Windows => task_scheduler::render(command),
        })
    }

    /// The commands that load and start the service once its file is there.
    pub fn start_commands(self, file: &str) -> Vec<Vec<String>> {
        match self {
            Self::Systemd => to_commands(&[
                "systemctl --user daemon-reload",
                "systemctl --user enable wellread.service",
                "systemctl --user restart wellread.service",
            ]),
            Self::Launchd => vec![split("launchctl load -w", file)],
            Self::Windows => vec![
                split("schtasks /Create /F /TN Wellread /XML", file),
                split("schtasks /Run /TN", "Wellread"),
            ],
        }
    }

    /// The commands that stop the service and keep it from being started again.
    pub fn stop_commands(self, file: &str) -> Vec<Vec<String>> {
        match self {
            Self::Systemd => to_commands(&["systemctl --user disable --now wellread.service"]),
            Self::Launchd => vec![split("launchctl unload -w", file)],
            Self::Windows => to_commands(&["schtasks /End /TN Wellread", "schtasks /Delete /F /TN Wellread"]),
        }
    }

    /// The commands that make the manager forget a file that is gone.
    pub fn forget_commands(self) -> Vec<Vec<String>> {
        match self {
            Self::Systemd => to_commands(&["systemctl --user daemon-reload"]),
            Self::Launchd | Self::Windows => Vec::new(),
        }
    }

    /// The command that says whether the service runs.
    pub fn status_command(self) -> Vec<String> {
        match self {
            Self::Systemd => split("systemctl --user is-active", "wellread.service"),
            Self::Launchd => split("launchctl list", launchd::LABEL),
            // Its words are the same in every language of the system, unlike those of `schtasks`.
            Self::Windows => {
                split("powershell -NoProfile -Command", "(Get-ScheduledTask -TaskName Wellread).State")
            }
        }
    }

    /// Whether the service runs, by what the status command printed when it succeeded. A job may be loaded, and idle.
    pub fn is_running(self, printed: &str) -> bool {
        match self {
            Self::Systemd => true,
            Self::Launchd => printed.lines().any(|line| line.trim_start().starts_with("\"PID\" = ")),
            Self::Windows => printed.trim() == "Running",
        }
    }

    /// The commands that end the service as it was installed before, where starting it does not. They fail if it does not run.
    pub fn unload_commands(self, file: &str) -> Vec<Vec<String>> {
        match self {
            Self::Systemd => Vec::new(),
            Self::Launchd => vec![split("launchctl unload", file)],
            Self::Windows => to_commands(&["schtasks /End /TN Wellread"]),
        }
    }
}

fn to_commands(lines: &[&str]) -> Vec<Vec<String>> {
    lines.iter().map(|line| line.split(' ').map(str::to_owned).collect()).collect()
}

/// The words of a command, and a last one that may have blanks.
fn split(line: &str, last: &str) -> Vec<String> {
    line.split(' ').chain([last]).map(str::to_owned).collect()
}

/// Text for XML.
fn escape_xml(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            '\'' => escaped += "&apos;",
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    pub fn odd_command() -> ServiceCommand {
        ServiceCommand {
            program: "/opt/my tools/wellread".to_owned(),
            args: ["serve", "--vault", "/home/me/100% \"notes\" & $HOME\\x"].map(str::to_owned).to_vec(),
            log: PathBuf::from("/home/me/a & b.log"),
            variables: PathBuf::from("/home/me/50% env"),
        }
    }

    #[test]
    fn a_job_that_is_loaded_and_idle_does_not_run() {
        let idle = "{\n\t\"Label\" = \"wellread.serve\";\n\t\"LastExitStatus\" = 256;\n};\n";
        let busy = "{\n\t\"Label\" = \"wellread.serve\";\n\t\"PID\" = 4711;\n};\n";
        assert!(!ServiceSystem::Launchd.is_running(idle) && ServiceSystem::Launchd.is_running(busy));
        assert!(!ServiceSystem::Windows.is_running("Ready\r\n"));
        assert!(ServiceSystem::Windows.is_running("Running\r\n"));
    }

    #[test]
    fn every_format_has_the_mark_and_refuses_control_characters() {
        for system in [ServiceSystem::Systemd, ServiceSystem::Launchd, ServiceSystem::Windows] {
            assert!(system.render(&odd_command()).unwrap().contains(MARK), "{system:?}");
            let mut broken = odd_command();
            broken.args.push("a\nExecStartPre=/bin/evil".to_owned());
            assert!(system.render(&broken).is_err(), "{system:?}");
        }
    }
}
