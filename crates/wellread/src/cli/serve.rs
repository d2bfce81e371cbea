//! `wellread serve`: the API, the page and the tools by MCP over HTTP, for programs and browsers of this machine.

mod role;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::task::JoinHandle;
use wellread_core::domain::display::counted;
use wellread_core::{Error, Result};

use super::Invocation;
use crate::app::OpenVaults;
use crate::config::Config;
use crate::output::{silence_streams, success};
use crate::server::{BrowserSessions, Grants, HttpServer, MOST_TURNS, MOST_WORK, ServerContext, ServerState};
use crate::signals;
use crate::wiring::IndexFollower;
use crate::wiring::system::create_private_file;
use crate::worker::LANES;

use self::role::{ServerRole, run_in_background, start_follower, start_worker, watch_changes};

/// Each lane has a task in hand and renews its lease; one thread more looks after the schedule.
const MOST_OF_WORKER: usize = 2 * LANES + 2;
/// How long a process without a port waits for what it has in hand when it is asked to end.
const LONGEST_GOODBYE: Duration = Duration::from_secs(5);

/// Serve the API, the web page and MCP over HTTP, on this machine only
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Programs send the token from the file that `--json` names as `Authorization: Bearer …`; in a browser, open the \
printed link, which works once, or enter the token. For the API, see GET /api/openapi.json.\n\nExample:\n  wellread serve\n  \
wellread serve --port 0 --json\n  wellread serve --open\n  wellread serve --role worker\n  wellread serve --sign-out"
)]
pub struct ServeArgs {
    /// The port; 0 chooses a free one [env: API_PORT]
    #[arg(long, value_name = "N")]
    port: Option<u16>,
    /// Open the page in the browser
    #[arg(long)]
    open: bool,
    /// Allow other machines to connect; needs `server.bind` and `server.token`
    #[arg(long)]
    allow_remote: bool,
    /// What this process does; others do the rest
    #[arg(long, value_enum, default_value_t)]
    role: ServerRole,
    /// Sign every browser and every remote client out, and end
    #[arg(long, conflicts_with_all = ["port", "open", "allow_remote", "role"])]
    sign_out: bool,
}

impl ServeArgs {
    pub fn on_any_port() -> Self {
        Self { port: Some(0), open: false, allow_remote: false, role: ServerRole::All, sign_out: false }
    }
}

pub fn run(invocation: &Invocation, args: &ServeArgs) -> Result<ExitCode> {
    if args.sign_out {
        return sign_out(invocation);
    }
    if !args.role.serves() && (args.port.is_some() || args.open || args.allow_remote) {
        return Err(Error::invalid("a process that opens no port has no --port, --open or --allow-remote")
            .hint("`--role api` serves, `--role all` does everything"));
    }
    let config = invocation.load_config()?;
    serve_vaults(invocation, &invocation.open_vaults(&config)?, args)
}

/// Ends the sessions of all browsers and the grants of all remote clients. A server that is running asks for them anew with each request.
fn sign_out(invocation: &Invocation) -> Result<ExitCode> {
    let data = invocation.load_config()?.shared_data_folder()?;
    let (ended, clients) = (BrowserSessions::new(&data).end_all(None)?, Grants::new(&data).end_all()?);
    if invocation.output.json {
        invocation.output.object(&success(json!({ "ended": ended, "ended_remote_clients": clients })))?;
    } else {
        let remote = match clients {
            0 => String::new(),
            clients => format!(" and {}", counted(clients, "remote client", "remote clients")),
        };
        invocation.output.text(&format!("signed out {}{remote}", counted(ended, "browser", "browsers")))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Serves vaults that are open already.
pub fn serve_vaults(invocation: &Invocation, vaults: &OpenVaults, args: &ServeArgs) -> Result<ExitCode> {
    if !args.role.serves() {
        return run_in_background(invocation, vaults, args.role);
    }
    let (asked, end) = tokio::sync::oneshot::channel();
    signals::notify_on_signal(asked, invocation.output);
    let of_vaults = (MOST_TURNS + MOST_OF_WORKER) * vaults.all().count();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(MOST_WORK + of_vaults)
        .build()
        .map_err(|error| Error::failed(format!("could not start: {error}")))?;
    let server = runtime.block_on(HttpServer::bind(vaults, args.port, args.allow_remote))?;
    let sites: Vec<Arc<ServerContext>> = server.contexts().cloned().collect();
    let state = server.state.clone();
    if let Some(notice) = &state.token.notice {
        invocation.output.notice(notice);
    }
    // Ready at once: the index is made and followed behind.
    let follow = |site: &Arc<ServerContext>| start_follower(args.role, &site.app, &site.config);
    let followers: Vec<IndexFollower> = sites.iter().filter_map(follow).collect();
    let _changes = watch_changes(vaults);
    let of_worker = sites.iter().filter(|_| args.role.works());
    let working: Vec<JoinHandle<()>> =
        of_worker.map(|site| start_worker(&runtime, &site.worker, &site.config)).collect();
    announce(invocation, &state)?;
    let opened = args.open.then(|| RedirectPage::open(&state, &vaults.first.config)).transpose();
    let opened = opened.map_err(|error| invocation.output.notice(&format!("note: {error}")));
    let end = async {
        // Where signals can't be listened to, one ends the process as it always did.
        if end.await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    let left = runtime.block_on(async {
        let left = server.serve(async {
            end.await;
            // What is in hand is handed back while the last requests are served.
            sites.iter().for_each(|site| site.worker.request_stop());
        });
        let left = left.await;
        let ended = async {
            for working in working {
                let _ = working.await;
            }
        };
        let _ = tokio::time::timeout(left, ended).await;
        left
    });
    drop((opened, followers));
    // What was asked for and not waited for is finished all the same, and a change in hand in any case.
    runtime.shutdown_timeout(left);
    for vault in vaults.all() {
        vault.app.files.run_when_idle(true, &mut || ());
    }
    Ok(ExitCode::SUCCESS)
}

fn announce(invocation: &Invocation, server: &ServerState) -> Result<()> {
    let url = server.place.url();
    if invocation.output.json {
        let mut about = json!({ "url": url, "token_file": server.token.file });
        if let Some(remote) = &server.remote {
            about["public_mcp_url"] = json!(remote.resource(None));
        }
        return invocation.output.line(&success(about));
    }
    if let Some(remote) = &server.remote {
        invocation.output.notice(&format!("remote MCP clients connect by OAuth: {}", remote.resource(None)));
    }
    if invocation.output.is_interactive() {
        let link = server.links.issue(&server.place, None)?;
        return invocation.output.text(&format!("{url}  (in a browser, once: {link} )"));
    }
    // A link in a file would let in whoever reads it later.
    let token = server
        .token
        .file
        .as_ref()
        .map_or_else(|| "$TOKEN".to_owned(), |file| format!("$(cat '{}')", file.display()));
    invocation.output.notice(&format!(
        "for a browser, create a link that works once: \
         curl -s -H \"Authorization: Bearer {token}\" -H 'Content-Type: application/json' -d '{{}}' {url}/api/link"
    ));
    invocation.output.text(&url)
}

/// A page of the user's alone that leads a browser to the link. On the command line of the browser, others could read it.
struct RedirectPage(PathBuf);

impl RedirectPage {
    fn open(server: &ServerState, config: &Config) -> Result<Self> {
        let link = server.links.issue(&server.place, None)?;
        let folder = config.data_folder()?;
        let page =
            Self(folder.join(format!("open-{}.html", wellread_core::domain::id::OperationId::fresh())));
        let html = format!(
            "<!doctype html><meta http-equiv=\"refresh\" content=\"0; url={link}\"><a href=\"{link}\">Continue</a>\n"
        );
        create_private_file(&page.0)
            .and_then(|mut file| file.write_all(html.as_bytes()))
            .and_then(|()| open_in_browser(&page.0))
            .map_err(|error| Error::failed(format!("could not open the browser: {error}")))?;
        Ok(page)
    }
}

impl Drop for RedirectPage {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn open_in_browser(page: &Path) -> std::io::Result<()> {
    let opener = if cfg!(target_os = "macos") {
        "open"
    } else if cfg!(windows) {
        "explorer"
    } else {
        "xdg-open"
    };
    let mut child = silence_streams(Command::new(opener).arg(page)).spawn()?;
    // It ends on its own, sooner or later.
    std::thread::spawn(move || child.wait());
    Ok(())
}
