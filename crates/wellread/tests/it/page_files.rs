//! Files that the page shows beside notes: attachments of notes, and files of codebases.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::Value;

use crate::desk::Desk;
use crate::paths::CANARY;
use crate::served::{Reply, Served};

const PICTURE: &str = "GIF89a\u{1}\u{0}\u{1}\u{0}\u{0}\u{0}\u{0};";

fn attachment(served: &Served, name: &str) -> Reply {
    let encoded: String = name.bytes().map(|byte| format!("%{byte:02X}")).collect();
    served.get(&format!("/api/attachments?name={encoded}&note=Bees.md"))
}

#[test]
fn an_attachment_is_found_as_the_note_names_it_and_never_served_as_a_document() {
    let desk = Desk::bare();
    desk.save("Bees.md", "# Bees\n\n![[hive.gif]] ![[plan.svg]] ![[talk.pdf]]\n");
    desk.save("Attachments/hive.gif", PICTURE);
    desk.save("Drawings/plan.svg", "<svg xmlns='http://www.w3.org/2000/svg'><script>1</script></svg>");
    desk.save("talk.pdf", "%PDF-1.4\n<script>1</script>");
    let served = Served::start(&desk);
    for (name, media_type) in [
        ("hive.gif", "image/gif"),
        ("Attachments/hive.gif", "image/gif"),
        ("plan.svg", "image/svg+xml"),
        ("Drawings/plan.svg", "image/svg+xml"),
        ("talk.pdf", "application/octet-stream"),
    ] {
        let reply = attachment(&served, name);
        assert_eq!(
            (reply.status, reply.header("content-type")),
            (200, Some(media_type)),
            "{name}: {reply:?}"
        );
        assert_eq!(reply.header("content-disposition"), Some("attachment"), "{name}");
        assert_eq!(reply.header("x-content-type-options"), Some("nosniff"));
        let policy = reply.header("content-security-policy").unwrap();
        assert!(
            policy.contains("img-src 'self' blob:;") && policy.contains("script-src 'self';"),
            "{policy}"
        );
    }
    assert_eq!(attachment(&served, "hive.gif").body, PICTURE);
    attachment(&served, "none.gif").problem(404);
    for name in ["Bees.md", "Bees", "", "x.html", "x.js", "hive.gif.html"] {
        attachment(&served, name).problem(400);
    }
    served.get("/api/attachments?name=hive.gif&note=None.md").problem(404);
    served.get("/api/attachments?name=hive.gif").problem(400);
    served.end();
}

#[test]
fn no_attachment_is_served_from_where_the_vault_ends() {
    let desk = Desk::bare();
    desk.save("Bees.md", "# Bees\n");
    let outside = desk.folder().join("outside");
    fs::create_dir_all(&outside).unwrap();
    fs::write(outside.join("secret.png"), CANARY).unwrap();
    fs::write(desk.data().join("secret.png"), CANARY).unwrap_or_default();
    desk.save(".obsidian/secret.png", CANARY);
    desk.save("node_modules/secret.png", CANARY);
    fs::create_dir_all(desk.vault().join("Attachments")).unwrap();
    symlink(outside.join("secret.png"), desk.vault().join("Attachments/link.png")).unwrap();
    symlink(&outside, desk.vault().join("Shelf")).unwrap();
    let served = Served::start(&desk);
    let absolute = outside.join("secret.png").display().to_string();
    for name in [
        "../outside/secret.png",
        "../../outside/secret.png",
        "Attachments/../../outside/secret.png",
        "..\\outside\\secret.png",
        &absolute,
        "~/secret.png",
        "secret.png",
        ".obsidian/secret.png",
        "node_modules/secret.png",
        "link.png",
        "Attachments/link.png",
        "Shelf/secret.png",
        "secret.png\0.gif",
        "file:///etc/passwd.png",
    ] {
        let reply = attachment(&served, name);
        assert!(matches!(reply.status, 400 | 403 | 404), "{name}: {reply:?}");
        assert!(!reply.body.contains(CANARY), "{name}");
    }
    served.goes_on();
    served.end();
}

#[test]
fn lines_of_a_codebase_are_read_within_it_alone() {
    let desk = Desk::new();
    desk.add_code();
    let code = desk.code();
    let name = desk.run(["repo", "list", "--json"]).done()["repos"][0]["name"].as_str().unwrap().to_owned();
    fs::write(code.join("long.py"), (1..=5000).map(|n| format!("x = {n}\n")).collect::<String>()).unwrap();
    fs::write(code.parent().unwrap().join("secret.py"), CANARY).unwrap();
    let served = Served::start(&desk);
    let file =
        |path: &str, line: &str| served.get(&format!("/api/code/file?repository={name}&path={path}{line}"));
    let whole = file("long.py", "").done();
    assert_eq!((&whole["start_line"], &whole["end_line"]), (&Value::from(1), &Value::from(1001)), "{whole}");
    let middle = file("long.py", "&line=3000").done();
    assert_eq!((&middle["start_line"], &middle["lines_of_file"]), (&Value::from(2000), &Value::from(5000)));
    assert!(middle["text"].as_str().unwrap().starts_with("x = 2000\n"), "{middle}");
    // What was cited may have gone since.
    assert_eq!(file("long.py", "&line=99999999").done()["end_line"], 5000);
    for path in ["../secret.py", "..%2Fsecret.py", "/etc/passwd", ".git/config", "none.py", ""] {
        let reply = file(path, "");
        assert!(matches!(reply.status, 400 | 403 | 404), "{path}: {reply:?}");
        assert!(!reply.body.contains(CANARY));
    }
    served.get("/api/code/file?repository=nowhere&path=long.py").problem(404);
    file("long.py", "&line=-1").problem(400);
    served.end();
}
