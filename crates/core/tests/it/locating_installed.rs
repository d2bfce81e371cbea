//! Where the frames of an installed copy of a package lead: to the files that the copy was made from.

use wellread_core::code::codebase::{Codebase, Scope};
use wellread_core::code::locate::{LocateAnswer, locate};
use wellread_testkit::World;

fn led_in(code: &str, text: &str) -> LocateAnswer {
    let world = World::new("-- Home.md\n# Home\n").with_repository("checkout", code);
    world.index();
    let codebase =
        Codebase::new(world.search.library.clone(), "checkout", Scope::parse("").unwrap()).unwrap();
    locate(&world.search, &codebase, text, 10).unwrap()
}

/// The files that a frame of the trace is in, each with its reason.
fn framed(located: &LocateAnswer) -> Vec<String> {
    let of_trace = |reason: &&String| reason.starts_with("named in the stack trace");
    let files = located.files.iter();
    files
        .flat_map(|file| file.reasons.iter().filter(of_trace).map(|reason| format!("{} {reason}", file.path)))
        .collect()
}

const JARS: &str = "-- package.json
{ \"name\": \"jars\", \"workspaces\": [\"packages/*\"] }
-- lib/reply.js
function safeFill () {
  return 1
}
-- packages/lids/package.json
{ \"name\": \"@bees/lids\" }
-- packages/lids/lib/lid.js
function close () {
  return 1
}
-- packages/bare/lib/wax.js
function melt () {
  return 1
}
";

#[test]
fn a_frame_in_an_installed_package_of_node_leads_to_its_source() {
    for (place, file, name) in [
        ("/app/node_modules/jars/lib/reply.js", "lib/reply.js", "safeFill"),
        ("/app/node_modules/x/node_modules/jars/lib/reply.js", "lib/reply.js", "safeFill"),
        ("/app/node_modules/.pnpm/jars@1.2.3/node_modules/jars/lib/reply.js", "lib/reply.js", "safeFill"),
        ("C:\\app\\node_modules\\jars\\lib\\reply.js", "lib/reply.js", "safeFill"),
        ("webpack:///./node_modules/jars/lib/reply.js", "lib/reply.js", "safeFill"),
        ("/app/node_modules/@bees/lids/lib/lid.js", "packages/lids/lib/lid.js", "close"),
    ] {
        let located = led_in(JARS, &format!("Error: bad\n    at {name} ({place}:2:9)\n"));
        let expected = format!("{file} named in the stack trace, frame 1: line 2 in `{name}`");
        assert_eq!(framed(&located), [expected], "{place}");
    }
}

#[test]
fn a_frame_in_a_built_copy_leads_to_the_source_by_its_function() {
    let code = "-- package.json\n{ \"name\": \"jars\" }\n-- src/lid/close.ts\nexport class Lid {\n  open () {}\n  \
                close () {}\n}\n-- src/lid/close.css\na {}\n";
    let trace = "Error: bad\n    at Lid.close (file:///app/node_modules/jars/dist/esm/lid/close.js:2:9)\n";
    let reason = "src/lid/close.ts named in the stack trace, frame 1: `Lid.close`";
    assert_eq!(framed(&led_in(code, trace)), [reason]);
}

#[test]
fn a_frame_in_a_package_of_somebody_else_leads_nowhere() {
    for place in [
        "/app/node_modules/other/lib/reply.js",
        "/app/node_modules/@bees/jars/lib/reply.js",
        "/app/node_modules/jars/node_modules/other/lib/reply.js",
        "/app/node_modules/lids/lib/lid.js",
        "/app/node_modules/bare/lib/wax.js",
    ] {
        let located = led_in(JARS, &format!("Error: bad\n    at open ({place}:2:9)\n"));
        assert!(framed(&located).is_empty(), "{place}: {located:?}");
    }
}

const CRATES: &str = "-- Cargo.toml
[package]
name = \"wax-press\"
-- src/press.rs
fn squeeze() {
    panic!();
}
-- crates/lids/Cargo.toml
[package]
name = \"wax-lids\"
-- crates/lids/src/lid.rs
fn close() {
    panic!();
}
";

#[test]
fn a_frame_in_an_installed_crate_leads_to_its_source() {
    for (place, file) in [
        (
            "/home/u/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/wax-press-0.13.5/src/press.rs",
            "src/press.rs",
        ),
        (
            "/usr/local/cargo/registry/src/github.com-1ecc6299db9ec823/wax-lids-2.0.0-rc.1/src/lid.rs",
            "crates/lids/src/lid.rs",
        ),
        ("/home/u/.cargo/git/checkouts/wax-press-0a1b2c3d4e5f6071/1a2b3c4/src/press.rs", "src/press.rs"),
        (
            "/home/u/.cargo/git/checkouts/wax-press-0a1b2c3d4e5f6071/1a2b3c4/crates/lids/src/lid.rs",
            "crates/lids/src/lid.rs",
        ),
        ("/src/app/vendor/wax-press/src/press.rs", "src/press.rs"),
    ] {
        let located = led_in(CRATES, &format!("thread 'main' panicked at {place}:2:5:\noh\n"));
        let files: Vec<String> =
            framed(&located).iter().map(|framed| framed.split(' ').next().unwrap().to_owned()).collect();
        assert_eq!(files, [file], "{place}");
    }
    for place in [
        "/home/u/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/wax-0.13.5/src/press.rs",
        "/home/u/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/wax-lids-0.1.0/src/press.rs",
        "/home/u/.cargo/git/checkouts/honey-0a1b2c3d4e5f6071/1a2b3c4/src/press.rs",
        "/src/app/vendor/honey/src/press.rs",
    ] {
        let located = led_in(CRATES, &format!("thread 'main' panicked at {place}:2:5:\noh\n"));
        assert!(framed(&located).is_empty(), "{place}: {located:?}");
    }
}

#[test]
fn a_frame_with_a_path_of_modules_leads_to_no_other_module() {
    let body = "pub struct Client;\n\nimpl Client {\n    pub fn execute(&self) {}\n}\n";
    let code = format!(
        "-- Cargo.toml\n[package]\nname = \"honey\"\n-- src/blocking/client.rs\n{body}-- src/later/client.rs\n{body}\
         -- src/wasm/mod.rs\n{body}"
    );
    let trace = |name: &str| {
        format!("stack backtrace:\n   0: core::panicking::panic_fmt\n   1: {name}\n   2: app::main\n")
    };
    for (name, file) in [
        ("honey::blocking::client::Client::execute", "src/blocking/client.rs"),
        ("honey::later::client::Client::execute", "src/later/client.rs"),
        ("honey::wasm::Client::execute", "src/wasm/mod.rs"),
    ] {
        let located = led_in(&code, &trace(name));
        let reason = format!("{file} named in the stack trace, frame 2: defines `Client.execute`");
        assert_eq!(framed(&located), [reason], "{name}");
    }
}

#[test]
fn a_contraction_is_no_name() {
    let code = "-- src/shoulder.py\ndef shoulder(jar):\n    return jar\n\ndef should(jar):\n    return shoulder(jar)\n";
    for text in [
        "Shouldn't a jar be enough?",
        "Shouldn’t a jar be enough?",
        "It couldn't. It wouldn't. It doesn't close the jar",
    ] {
        let located = led_in(code, text);
        let notice = located.notice.unwrap_or_default();
        assert!(!notice.contains("spelled like"), "{text}: {notice}");
    }
}
