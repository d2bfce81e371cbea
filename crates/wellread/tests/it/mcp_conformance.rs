//! The public conformance suite of the Model Context Protocol, run against the program over HTTP: everything passes except what
//! `docs/mcp-conformance.md` leaves out, and what is left out there does fail. With fixtures of ours, more of it runs: see `src/mcp/tests`.

use wellread_testkit::mcp_suite::check_suite;

use crate::desk::Desk;
use crate::served::Served;

#[test]
fn the_conformance_suite_passes() {
    let (desk, out) = (Desk::new(), tempfile::tempdir().unwrap());
    let served = Served::start(&desk);
    check_suite(served.port, &served.token, "What the program leaves out, and why", out.path());
    served.end();
}
