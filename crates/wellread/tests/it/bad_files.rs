//! A vault with files of every bad kind: each is named with its reason, and every other file is served.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::os::unix::process::CommandExt;
use std::process::Command;

use serde_json::{Value, json};

use crate::desk::{BINARY, Desk, Ran, fifo};

const NOBODY: u32 = 65534;

/// The example vault and one of each.
fn hostile() -> Desk {
    let desk = Desk::new();
    let vault = desk.vault();
    desk.save("Bad/binary.md", [0u8, 159, 146, 150, 0, 255, 254]);
    desk.save("Bad/latin1.md", b"caf\xe9 au lait");
    desk.save("Bad/yaml.md", "---\ntags: [a, b\nkey: : :\n---\nText.\n");
    desk.save("Bad/empty.md", "");
    fs::File::create(vault.join("Bad/huge.md")).unwrap().set_len(40 << 20).unwrap();
    desk.save("Bad/bell\u{7}\nline.md", "control characters in the name");
    fs::write(vault.join("Bad").join(OsStr::from_bytes(b"byte\xff.md")), "not Unicode").unwrap();
    fs::create_dir(vault.join("Bad").join(OsStr::from_bytes(b"dir\xfe"))).unwrap();
    fifo(&vault.join("Bad/pipe.md"));
    symlink("loop b.md", vault.join("Bad/loop a.md")).unwrap();
    symlink("loop a.md", vault.join("Bad/loop b.md")).unwrap();
    symlink("..", vault.join("Bad/up")).unwrap();
    symlink("/etc/hostname", vault.join("Bad/out.md")).unwrap();
    symlink("/etc", vault.join("Bad/etc")).unwrap();
    symlink("gone.md", vault.join("Bad/dangling.md")).unwrap();
    symlink("../Home.md", vault.join("Bad/home again.md")).unwrap();
    desk
}

fn row<'a>(rows: &'a Value, path: &str) -> &'a str {
    let found = rows.as_array().unwrap().iter().find(|row| row["path"] == path);
    found.unwrap_or_else(|| panic!("{path} is not in {rows:#}"))["reason"].as_str().unwrap()
}

#[test]
fn the_status_names_every_bad_file_with_its_reason() {
    let desk = hostile();
    let before = desk.tree();
    let status = desk.run(["status", "--files", "--json"]).done();
    let (skipped, warnings) = (&status["skipped"], &status["warnings"]);
    for (path, reason) in [
        ("Bad/huge.md", "larger than 32 MiB"),
        ("Bad/bell\u{fffd}\u{fffd}line.md", "control character"),
        ("Bad/byte\u{fffd}.md", "not Unicode"),
        ("Bad/dir\u{fffd}", "not Unicode"),
        ("Bad/pipe.md", "not a regular file"),
        ("Bad/loop a.md", "too many links"),
        ("Bad/loop b.md", "too many links"),
        ("Bad/up", "a link to a folder"),
        ("Bad/out.md", "leads out of the vault"),
        ("Bad/etc", "leads out of the vault"),
        ("Bad/dangling.md", "a dangling link"),
    ] {
        assert!(row(skipped, path).contains(reason), "{path}: {}", row(skipped, path));
    }
    for (path, reason) in [
        ("Bad/binary.md", "not UTF-8"),
        ("Bad/latin1.md", "not UTF-8"),
        ("Bad/yaml.md", "the frontmatter can't be read"),
    ] {
        assert!(row(warnings, path).contains(reason), "{path}: {}", row(warnings, path));
    }
    let listed = status["file_list"].as_array().unwrap();
    let state = |path: &str| &listed.iter().find(|file| file["path"] == path).unwrap()["state"];
    assert_eq!(
        (state("Bad/home again.md"), state("Bad/empty.md"), state("Home.md")),
        (&json!("ok"), &json!("ok"), &json!("ok"))
    );
    assert_eq!(desk.tree(), before);

    let shown = desk.run(["status", "--files"]);
    assert!(!shown.stdout.contains('\u{7}'), "no control character reaches a terminal");
    assert!(shown.stdout.lines().all(|line| !line.is_empty()), "one line each");
    for channel in [&shown.stdout, &shown.stderr] {
        assert!(!channel.contains("root:"), "nothing from outside");
    }
}

#[test]
fn every_other_file_is_served_beside_bad_ones() {
    let desk = hostile();
    desk.tool("read_file", &json!({ "path": "Home" })).done();
    assert_eq!(
        desk.tool("read_file", &json!({ "path": "Bad/home again" })).done()["content"],
        desk.text("Home.md")
    );
    assert!(
        desk.tool("find_backlinks", &json!({ "note_name": "Varroa mite" })).done()["total"].as_u64()
            > Some(3)
    );
    let found = desk.tool("list_files_by_frontmatter", &json!({ "field": "tags", "value": "bees" })).done();
    assert!(found["total"].as_u64() > Some(3), "{found}");
    desk.tool("search_by_date_range", &json!({ "start_date": "2000-01-01", "end_date": "2100-01-01" }))
        .done();
    desk.tool("search_by_folder", &json!({ "folder": "", "recursive": true, "limit": 1000 })).done();
    desk.tool("move_file", &json!({ "source": "Bees/Varroa mite", "destination": "Bees/Mite" })).done();
    desk.tool("log_interaction", &json!({ "task_description": "t", "query": "q", "summary": "s" })).done();
    desk.run(["undo", "--json"]).done();
    desk.run(["doctor", "--json"]).done();
}

#[test]
fn a_linked_note_is_written_through_and_stays_a_link() {
    let desk = hostile();
    desk.tool("append_to_file", &json!({ "path": "Bad/home again", "content": "through the link" })).done();
    assert!(desk.text("Home.md").ends_with("through the link\n"));
    assert!(fs::symlink_metadata(desk.vault().join("Bad/home again.md")).unwrap().is_symlink());
    desk.run(["undo", "--json"]).done();
}

#[test]
fn what_can_not_be_read_for_lack_of_permission_is_named_and_passed_over() {
    let desk = Desk::new();
    let vault = desk.vault();
    desk.save("Shut/in.md", "inside a folder that is shut");
    desk.save("Locked.md", "[[Home]]");
    fs::create_dir(desk.data()).unwrap();
    // Root may read everything, so the binary runs as somebody who may not, from where that one can reach it.
    let root = rustix::process::geteuid().is_root();
    let binary = desk.folder().join("wellread");
    fs::copy(BINARY, &binary).unwrap();
    if root {
        for path in [desk.data(), desk.home()] {
            chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
        }
        fs::set_permissions(desk.folder(), fs::Permissions::from_mode(0o755)).unwrap();
    }
    let shut = |mode| {
        fs::set_permissions(vault.join("Locked.md"), fs::Permissions::from_mode(mode)).unwrap();
        fs::set_permissions(vault.join("Shut"), fs::Permissions::from_mode(mode)).unwrap();
    };
    shut(0o000);
    let run = |args: &[&str]| {
        let mut command = Command::new(&binary);
        command.env_clear().env("HOME", desk.home()).current_dir(desk.folder());
        command.args(["--vault", "vault", "--data", "data"]).args(args);
        if root {
            command.uid(NOBODY).gid(NOBODY);
        }
        Ran::of(&mut command)
    };
    let status = run(&["status", "--json"]).done();
    assert!(row(&status["skipped"], "Locked.md").contains("permission denied"), "{status:#}");
    assert!(row(&status["skipped"], "Shut").contains("permission denied"), "{status:#}");
    let said = run(&["tool", "read_file", "{\"path\": \"Locked\"}"]).failed(1);
    assert!(said["error"].as_str().unwrap().contains("permission denied"), "{said}");
    run(&["tool", "read_file", "{\"path\": \"Shut/in\"}"]).failed(1);
    run(&["tool", "read_file", "{\"path\": \"Home\"}"]).done();
    run(&["tool", "find_backlinks", "{\"note_name\": \"Home\"}"]).done();
    run(&["tool", "list_files_by_frontmatter", "{\"field\": \"tags\", \"value\": \"bees\"}"]).done();
    run(&["tool", "search_by_date_range", "{\"start_date\": \"2000-01-01\", \"end_date\": \"2100-01-01\"}"])
        .done();
    if root {
        // The vault is root's: nothing can be written, and that is said.
        let said = run(&["tool", "append_to_file", "{\"path\": \"Home\", \"content\": \"x\"}"]).failed(1);
        assert!(said["error"].as_str().unwrap().contains("permission denied"), "{said}");
        let doctor = run(&["doctor", "--json"]);
        assert_eq!(doctor.status, Some(1));
        assert!(doctor.stdout.contains("permission denied"), "{doctor:?}");
    }
    shut(0o755);
}

#[test]
fn folders_in_folders_without_end_are_cut_off_and_named() {
    let desk = Desk::bare();
    desk.save("Top.md", "x");
    let mut deep = desk.vault();
    for _ in 0..150 {
        deep.push("d");
        fs::create_dir(&deep).unwrap();
    }
    let status = desk.run(["status", "--json"]).done();
    assert_eq!(
        (status["notes"].as_u64(), status["skipped"].as_array().unwrap().len()),
        (Some(1), 1),
        "{status}"
    );
}
