//! Variables of the environment that other programs take for proxies, seen from a process that has them.

use std::net::TcpListener;
use std::process::Command;

use wellread_testkit::scripted_server::http_reply;

use super::*;
use crate::http::{AsyncClient, BlockingClient, ServiceRequest};

const SERVER: &str = "WELLREAD_TEST_SERVER";

#[test]
fn no_client_takes_a_proxy_from_the_environment() {
    let proxy = TcpListener::bind("127.0.0.1:0").unwrap();
    proxy.set_nonblocking(true).unwrap();
    let address = format!("http://{}", proxy.local_addr().unwrap());
    let page = || http_reply(200, "content-type: text/plain\r\n", "Bees.");
    let server = ScriptedServer::start((0..5).map(|_| page()).collect());
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "http::tests::proxies::a_child_with_proxies", "--ignored", "--nocapture"]);
    for name in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"] {
        child.env(name, &address);
    }
    let child = child.env_remove("NO_PROXY").env_remove("no_proxy").env(SERVER, &server.base);
    let output = child.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
    let requests = server.into_requests();
    assert!(requests.iter().all(|request| !request.first_line().contains("http://")), "{requests:?}");
    // What each client called itself.
    let agents: Vec<_> = requests.iter().map(|request| request.header("user-agent").unwrap()).collect();
    assert_eq!(agents, ["Wellread/test", "Wellread/test", "Bees/1", "Bees/1", "Bees/1"]);
    assert!(proxy.accept().is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock));
}

#[test]
#[ignore = "a child of the test above"]
fn a_child_with_proxies() {
    let base = std::env::var(SERVER).unwrap();
    let host = base.strip_prefix("http://").unwrap().to_owned();
    let web = Web::new(WebSettings { allow: vec![host], ..settings() }).unwrap();
    assert_eq!(fetch(&web, &base).unwrap().bytes, b"Bees.");
    let asked =
        ServiceRequest { base: &base, path: "/".to_owned(), headers: vec![], body: None, limit: LONG };
    assert_eq!(wait(web.call_service(&asked)).unwrap().bytes, b"Bees.");
    let bees = identity("Bees/1", None);
    let client = BlockingClient::for_endpoint(&base, LONG, &bees).unwrap();
    assert_eq!(client.post("x", &[], Vec::new(), 100).unwrap().status, 200);
    assert_eq!(wait(AsyncClient::new(&base, &bees).unwrap().get("x")).unwrap().status, 200);
    let mut file = Vec::new();
    crate::http::download(&format!("{base}/x"), 100, &bees, &mut file, &|_, _| ()).unwrap();
    assert_eq!(file, b"Bees.");
}
