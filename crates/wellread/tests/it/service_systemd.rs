//! `wellread service` under a real service manager: systemd as a user has it, in namespaces of the test's own, with a runtime
//! folder of its own. Nothing of the machine's is started or changed.

use std::process::Command;

use crate::desk::{BINARY, Desk, Ran};

/// Starts the manager, then installs, kills, and removes the service. `expect` waits until a property has a value that fits.
const SCRIPT: &str = r#"
bin=$1 home=$2 vault=$3
manager=/usr/lib/systemd/systemd
[ -x "$manager" ] || manager=/lib/systemd/systemd
[ -x "$manager" ] || { echo "there is no systemd here" >&2; exit 77; }
mount --make-rprivate / && mount -t tmpfs tmpfs /run || exit 77
# By this folder programs tell that systemd runs.
export XDG_RUNTIME_DIR=/run/user/$(id -u) HOME=$home
mkdir -p /run/systemd/system "$XDG_RUNTIME_DIR" || exit 77
export DBUS_SESSION_BUS_ADDRESS=unix:path=$XDG_RUNTIME_DIR/bus
"$manager" --user --log-target=console >"$home/manager.log" 2>&1 &
for _ in $(seq 100); do systemctl --user is-system-running >/dev/null 2>&1 && break; sleep 0.1; done
systemctl --user is-system-running >/dev/null 2>&1 || { tail -n 3 "$home/manager.log" >&2; exit 77; }

property() { systemctl --user show wellread.service --property "$1" --value; }
expect() { for _ in $(seq 300); do [ "$(property "$1")" = "$2" ] && break; sleep 0.1; done; echo "$1 $(property "$1")"; }
"$bin" config set vault.path "$vault" >/dev/null || exit 78
"$bin" service install --port 0 >/dev/null || exit 79
expect ActiveState active
echo "says $("$bin" service status | cut -d: -f1)"
first=$(property MainPID)
kill -KILL "$first"
expect NRestarts 1
expect ActiveState active
[ "$(property MainPID)" != "$first" ] && echo "another process"
"$bin" service uninstall >/dev/null || exit 80
expect ActiveState inactive
echo "load $(property LoadState)"
"$bin" service status >/dev/null; echo "status $?"
"#;

#[test]
fn systemd_starts_the_service_again_after_a_kill_and_forgets_it_when_it_is_removed() {
    let desk = Desk::new();
    let before = desk.tree();
    let mut command = Command::new("unshare");
    command.args(["--mount", "--pid", "--fork", "--mount-proc", "--kill-child", "--", "bash", "-c", SCRIPT]);
    command.args(["bash", BINARY]).arg(desk.home()).arg(desk.vault()).current_dir(desk.folder()).env_clear();
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    let ran = Ran::of(&mut command);
    if ran.status == Some(77) || ran.stderr.contains("unshare: ") {
        return wellread_testkit::skip(&format!("no service manager can be started here: {}", ran.stderr));
    }
    let lines: Vec<&str> = ran.stdout.lines().collect();
    let expected = [
        "ActiveState active",
        "says running",
        "NRestarts 1",
        "ActiveState active",
        "another process",
        "ActiveState inactive",
        "load not-found",
        "status 3",
    ];
    assert_eq!((lines.as_slice(), ran.status), (&expected[..], Some(0)), "{ran:?}");
    assert_eq!(desk.tree(), before, "notes are as they were");
    let settings = std::fs::read_to_string(desk.home().join(".config/wellread/config.toml")).unwrap();
    assert!(settings.contains("vault"), "settings are kept: {settings}");
}
