//! `wellread serve`: the API, the page and the tools by MCP over HTTP, for programs and browsers of this machine.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::Arc;

use serde_json::json;
use wellread_core::domain::display::counted;
use wellread_core::{Error, Result};

use super::Invocation;
use crate::app::App;
use crate::config::Config;
use crate::output::{silence_streams, success};
use crate::server::{BrowserSessions, HttpServer, MOST_TURNS, MOST_WORK, ServerContext, create_private_file};
use crate::signals;
use crate::wiring::IndexFollower;
use crate::worker::{LANES, StopWhen};

/// Each lane has a task in hand and renews its lease; one thread more looks after the schedule.
const MOST_OF_WORKER: usize = 2 * LANES + 2;

/// Serve the API, the web page and MCP over HTTP, on this machine only
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Programs send the token from the file that `--json` names as `Authorization: Bearer …`; in a browser, open the \
printed link, which works once, or enter the token. For the API, see GET /api/openapi.json.\n\nExample:\n  wellread serve\n  \
wellread serve --port 0 --json\n  wellread serve --open\n  wellread serve --sign-out"
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
    /// Sign every browser out, and end
    #[arg(long, conflicts_with_all = ["port", "open", "allow_remote"])]
    sign_out: bool,
}

impl ServeArgs {
    pub fn on_any_port() -> Self {
        Self { port: Some(0), open: false, allow_remote: false, sign_out: false }
    }
}

pub fn run(invocation: &Invocation, args: &ServeArgs) -> Result<ExitCode> {
    if args.sign_out {
        return sign_out(invocation);
    }
    serve_app(invocation, invocation.load_config()?, &invocation.open_app_without_signals()?, args)
}

/// Ends the sessions of all browsers. A server that is running asks for them anew with each request.
fn sign_out(invocation: &Invocation) -> Result<ExitCode> {
    let ended = BrowserSessions::new(&invocation.load_config()?.shared_data_folder()?).end_all()?;
    if invocation.output.json {
        invocation.output.object(&success(json!({ "ended": ended })))?;
    } else {
        invocation.output.text(&format!("signed out {}", counted(ended, "browser", "browsers")))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Serves an app that is open already.
pub fn serve_app(
    invocation: &Invocation,
    config: Config,
    app: &Arc<App>,
    args: &ServeArgs,
) -> Result<ExitCode> {
    let (interval, schedule) = (config.rescan_interval(), config.schedule());
    let kept_for = config.runs_kept_for();
    let (asked, end) = tokio::sync::oneshot::channel();
    signals::notify_on_signal(asked, invocation.output);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(MOST_WORK + MOST_TURNS + MOST_OF_WORKER)
        .build()
        .map_err(|error| Error::failed(format!("could not start: {error}")))?;
    let server = runtime.block_on(HttpServer::bind(app.clone(), config, args.port, args.allow_remote))?;
    let site = server.site.clone();
    if let Some(notice) = &site.token.notice {
        invocation.output.notice(notice);
    }
    // Ready at once: the index is made and followed behind.
    let follower = IndexFollower::start(app, interval, |_| {});
    let worker = site.worker.clone();
    if schedule.is_none() {
        worker.disable_schedule();
    }
    if let Some(kept_for) = kept_for {
        let worker = worker.clone();
        runtime.spawn(async move { worker.forget_old_runs(kept_for).await });
    }
    let working = runtime.spawn(async move { worker.work(StopWhen::Told, schedule).await });
    announce(invocation, &site)?;
    let opened = args.open.then(|| RedirectPage::open(&site)).transpose();
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
            site.worker.request_stop();
        });
        let left = left.await;
        let _ = tokio::time::timeout(left, working).await;
        left
    });
    drop((opened, follower));
    // What was asked for and not waited for is finished all the same, and a change in hand in any case.
    runtime.shutdown_timeout(left);
    app.files.run_when_idle(true, &mut || ());
    Ok(ExitCode::SUCCESS)
}

fn announce(invocation: &Invocation, site: &ServerContext) -> Result<()> {
    let url = site.place.url();
    if invocation.output.json {
        return invocation.output.line(&success(json!({ "url": url, "token_file": site.token.file })));
    }
    if invocation.output.is_interactive() {
        let link = site.links.issue(&site.place)?;
        return invocation.output.text(&format!("{url}  (in a browser, once: {link} )"));
    }
    // A link in a file would let in whoever reads it later.
    let token = site
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
    fn open(site: &ServerContext) -> Result<Self> {
        let link = site.links.issue(&site.place)?;
        let folder = site.config.data_folder()?;
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
    let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let mut child = silence_streams(Command::new(opener).arg(page)).spawn()?;
    // It ends on its own, sooner or later.
    std::thread::spawn(move || child.wait());
    Ok(())
}
