//! A user unit of systemd. It is confined by means that a user's own manager has on every system: no new privileges, and a filter
//! of system calls. Folders are not hidden from it, since that needs privileges that many systems do not give.

use super::{MARK, ServiceCommand};

pub const UNIT: &str = "wellread.service";

pub fn render(command: &ServiceCommand) -> String {
    let words: Vec<String> = command.args.iter().map(|word| quote(word, true)).collect();
    let (program, variables) =
        (quote(&command.program, false), escape_path(&command.variables.display().to_string()));
    format!(
        "# {MARK}; `wellread service uninstall` removes it.
[Unit]
Description=Wellread: notes, code and research on this machine
After=network.target
StartLimitIntervalSec=60
StartLimitBurst=5

[Service]
Type=simple
ExecStart={program} {args}
# Keys and other variables, if there is such a file: NAME=value, one on a line.
EnvironmentFile=-{variables}
Restart=on-failure
RestartSec=5
TimeoutStopSec=30
UMask=0077
NoNewPrivileges=yes
LockPersonality=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallErrorNumber=EPERM

[Install]
WantedBy=default.target
",
        args = words.join(" ")
    )
}

/// A word of a command line. In all but the program itself, `$` begins a variable.
fn quote(word: &str, has_variables: bool) -> String {
    let escaped = word.replace('\\', "\\\\").replace('"', "\\\"").replace('%', "%%");
    let escaped = if has_variables { escaped.replace('$', "$$") } else { escaped };
    format!("\"{escaped}\"")
}

/// A path as the whole value of a setting: not quoted, with specifiers written out.
fn escape_path(path: &str) -> String {
    path.replace('%', "%%")
}

#[cfg(test)]
mod tests {
    use super::super::tests::odd_command;
    use super::*;

    #[test]
    fn words_are_quoted_as_systemd_reads_them() {
        let unit = render(&odd_command());
        let line =
            r#"ExecStart="/opt/my tools/wellread" "serve" "--vault" "/home/me/100%% \"notes\" & $$HOME\\x""#;
        assert!(unit.lines().any(|own| own == line), "{unit}");
        assert!(unit.contains("EnvironmentFile=-/home/me/50%% env\n"), "{unit}");
    }
}
