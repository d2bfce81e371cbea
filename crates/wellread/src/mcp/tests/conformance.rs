//! Runs the suite against our server with the fixtures, behind the guard and the HTTP layer of the program.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use wellread_testkit::mcp_suite::check_suite;

use super::fixture_server::{FixtureServer, extend_catalog};
use crate::app::{App, OpenVault, OpenVaults};
use crate::config::{Config, Flags};
use crate::mcp::McpServer;
use crate::server::{HttpServer, McpEndpoint, McpEndpoints};
use crate::wiring::NetworkOptions;

const TOKEN: &str = "a-token-for-the-suite";

/// A vault with the notes that addresses of the suite stand for, without the network, with every tool by its own name.
fn open_vault(folder: &Path) -> OpenVaults {
    let at = |name: &str| folder.join(name);
    fs::create_dir(at("notes")).unwrap();
    fs::write(at("notes/Home.md"), "# Home\n\nThis is the text of a note.\n").unwrap();
    fs::write(at("notes/123.md"), "The data of 123.\n").unwrap();
    let settings =
        format!("[server]\ntoken = \"{TOKEN}\"\n[mcp]\ntools = [\"all\"]\n[embedding]\nname = \"none\"\n");
    fs::write(at("config.toml"), settings).unwrap();
    let path = |name: &str| Some(at(name).display().to_string());
    let flags = Flags { config: Some(at("config.toml")), vault: path("notes"), data: path("data") };
    let config = Config::load(&flags).unwrap();
    let mut app = App::open(&config, NetworkOptions { offline: true, web: false }).unwrap();
    extend_catalog(&mut app);
    OpenVaults { first: OpenVault { config, app: Arc::new(app) }, others: Vec::new() }
}

#[tokio::test]
async fn the_conformance_suite_passes_with_fixtures() {
    let folder = tempfile::tempdir().unwrap();
    let vaults = open_vault(folder.path());
    let settings = vaults.first.config.mcp().unwrap();
    let server = FixtureServer(McpServer::new(&vaults.first, &[], &settings));
    let endpoint = McpEndpoint::of(move || FixtureServer(server.0.for_another_client()));
    let endpoint = McpEndpoints::with_local(&vaults.first, &[], endpoint).unwrap();
    let http = HttpServer::bind_with(&vaults, Some(0), false, endpoint).await.unwrap();
    let port = http.state.place.port();
    let (end, ended) = tokio::sync::oneshot::channel::<()>();
    let out = folder.path().join("out");
    let suite = async move {
        let ran = tokio::task::spawn_blocking(move || {
            check_suite(port, TOKEN, "What is left out even with fixtures, and why", &out);
        });
        let ran = ran.await;
        drop(end);
        ran
    };
    let (_, ran) = tokio::join!(http.serve(async { drop(ended.await) }), suite);
    ran.unwrap();
}
