//! Symbolic links: followed inside the vault, refused outside, never trusted.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use wellread_core::ErrorKind;
use wellread_core::domain::corpus::{Action, ChangeSet, Hash, Splice};
use wellread_core::domain::id::OperationId;
use wellread_core::ports::{Corpus, Files, FilesUpkeep as _};

use crate::ground::{Ground, path};

fn append(ground: &Ground, written: &str, text: &str) -> wellread_core::Result<()> {
    let files = ground.open();
    let content = files.read(&path(&files, written))?;
    let at = content.bytes.len();
    let splices = vec![Splice { span: at..at, text: text.to_owned() }];
    let edit = Action::Edit { path: path(&files, written), expect: content.hash, splices };
    files.commit(&ChangeSet::new("append", vec![edit])).map(|_| ())
}

#[test]
fn a_linked_note_is_written_through_where_its_target_is_inside_the_vault() {
    let ground = Ground::new(&[("real/note.md", "a\n")]);
    symlink("real/note.md", ground.vault().join("relative.md")).unwrap();
    symlink(ground.vault().join("real/note.md"), ground.vault().join("absolute.md")).unwrap();
    symlink("real", ground.vault().join("folder")).unwrap();
    symlink("../relative.md", ground.vault().join("real/around.md")).unwrap();
    for linked in ["relative.md", "absolute.md", "folder/note.md", "real/around.md", "folder/around.md"] {
        append(&ground, linked, "+").unwrap();
    }
    assert_eq!(ground.text("real/note.md"), "a\n+++++");
    assert!(fs::symlink_metadata(ground.vault().join("relative.md")).unwrap().is_symlink());
}

#[test]
fn a_new_note_behind_a_linked_folder_stands_where_the_link_leads() {
    let ground = Ground::new(&[("real/note.md", "a\n")]);
    symlink("real", ground.vault().join("folder")).unwrap();
    let files = ground.open();
    for written in ["folder/new.md", "folder/deep/er/new.md"] {
        files.commit(&create(&path(&files, written))).unwrap();
    }
    assert_eq!(
        (ground.text("real/new.md"), ground.text("real/deep/er/new.md")),
        ("x".to_owned(), "x".to_owned())
    );
}

#[test]
fn a_link_that_leads_out_or_into_an_excluded_folder_is_refused() {
    let ground = Ground::new(&[("a.md", "a"), (".obsidian/app.json", "{}"), ("node_modules/x.md", "x")]);
    fs::create_dir(ground.root().join("outside")).unwrap();
    fs::write(ground.root().join("outside/secret.md"), "canary").unwrap();
    let at = |name: &str| ground.vault().join(name);
    symlink("../outside/secret.md", at("out.md")).unwrap();
    symlink(ground.root().join("outside/secret.md"), at("abs.md")).unwrap();
    symlink("../outside", at("folder")).unwrap();
    symlink("..", at("up")).unwrap();
    symlink("/", at("root")).unwrap();
    symlink(".obsidian/app.json", at("settings.md")).unwrap();
    symlink(".obsidian", at("dots")).unwrap();
    symlink("node_modules", at("modules")).unwrap();
    symlink("loop.md", at("loop.md")).unwrap();
    symlink("two", at("one")).unwrap();
    symlink("one", at("two")).unwrap();
    let files = ground.open();
    for written in [
        "out.md",
        "abs.md",
        "folder/secret.md",
        "up/outside/secret.md",
        "root/etc/hostname",
        "settings.md",
        "dots/app.json",
        "modules/x.md",
        "loop.md",
        "one/x.md",
        "folder/new.md",
        "up/new.md",
        "dots/new.md",
    ] {
        let path = path(&files, written);
        for error in [
            files.read(&path).map(|_| ()).unwrap_err(),
            files.find(&path).map(|_| ()).unwrap_err(),
            files.commit(&create(&path)).map(|_| ()).unwrap_err(),
            files
                .commit(&ChangeSet::new(
                    "move",
                    vec![Action::Move { from: self::path(&files, "a.md"), to: path.clone() }],
                ))
                .map(|_| ())
                .unwrap_err(),
        ] {
            assert_eq!(error.kind(), ErrorKind::Refused, "{written}: {error}");
        }
    }
    assert_eq!(fs::read_to_string(ground.root().join("outside/secret.md")).unwrap(), "canary");
    assert_eq!(fs::read_dir(ground.root().join("outside")).unwrap().count(), 1);
    let listing = files.list().unwrap();
    assert_eq!(listing.files.iter().map(|entry| entry.path.as_str()).collect::<Vec<_>>(), ["a.md"]);
    assert_eq!(listing.skipped.len(), 11, "{:?}", listing.skipped);
}

fn create(path: &wellread_core::domain::corpus::VaultPath) -> ChangeSet {
    ChangeSet::new("create", vec![Action::Create { path: path.clone(), text: "x".to_owned() }])
}

#[test]
fn what_is_no_ordinary_file_is_refused_and_listed_with_its_reason() {
    let ground = Ground::new(&[("a.md", "a")]);
    rustix::fs::mknodat(
        rustix::fs::CWD,
        ground.vault().join("pipe.md"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o644),
        0,
    )
    .unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(ground.vault().join("socket.md")).unwrap();
    fs::create_dir(ground.vault().join("folder.md")).unwrap();
    let files = ground.open();
    for (written, kind) in [
        ("pipe.md", ErrorKind::Refused),
        ("socket.md", ErrorKind::Refused),
        ("folder.md", ErrorKind::Invalid),
    ] {
        assert_eq!(files.read(&path(&files, written)).unwrap_err().kind(), kind, "{written}");
    }
    let skipped: Vec<String> =
        files.list().unwrap().skipped.into_iter().map(|skip| skip.path + ": " + &skip.reason).collect();
    assert_eq!(skipped, ["pipe.md: not a regular file", "socket.md: not a regular file"]);
}

#[test]
fn a_note_that_the_user_made_read_only_is_not_written() {
    let ground = Ground::new(&[("a.md", "a")]);
    fs::set_permissions(ground.vault().join("a.md"), fs::Permissions::from_mode(0o444)).unwrap();
    let error = append(&ground, "a.md", "b").unwrap_err();
    assert_eq!((error.kind(), error.message()), (ErrorKind::Refused, "`a.md` is read-only"));
    assert_eq!(ground.text("a.md"), "a");
}

#[test]
fn an_edit_keeps_the_notes_mode() {
    let ground = Ground::new(&[("a.md", "a")]);
    fs::set_permissions(ground.vault().join("a.md"), fs::Permissions::from_mode(0o640)).unwrap();
    append(&ground, "a.md", "b").unwrap();
    assert_eq!(fs::metadata(ground.vault().join("a.md")).unwrap().permissions().mode() & 0o7777, 0o640);
    assert_eq!(ground.tree().len(), 1, "nothing is left beside it");
}

#[test]
fn an_edit_and_a_move_keep_the_day_on_which_the_note_was_made() {
    let ground = Ground::on_disk(&[("a.md", "a")]);
    let files = ground.open();
    let born =
        files.find(&path(&files, "a.md")).unwrap().unwrap().created.expect("this disk knows birth times");
    append(&ground, "a.md", "b").unwrap();
    append(&ground, "a.md", "c").unwrap();
    let expect = files.read(&path(&files, "a.md")).unwrap().hash;
    let splices = vec![Splice { span: 0..0, text: "d".to_owned() }];
    let edit = Action::Edit { path: path(&files, "a.md"), expect, splices };
    let to_b = Action::Move { from: path(&files, "a.md"), to: path(&files, "b.md") };
    files.commit(&ChangeSet::new("move", vec![edit, to_b])).unwrap();
    for files in [files, ground.open()] {
        assert_eq!(files.find(&path(&files, "b.md")).unwrap().unwrap().created, Some(born));
        assert_eq!(files.list().unwrap().files[0].created, Some(born));
        assert_eq!(files.read(&path(&files, "b.md")).unwrap().entry.created, Some(born));
    }
    ground.save("c.md", b"new");
    let files = ground.open();
    assert!(files.find(&path(&files, "c.md")).unwrap().unwrap().created.unwrap() > born);
}

#[test]
fn a_note_that_is_not_utf8_is_never_written() {
    let ground = Ground::new(&[]);
    ground.save("a.md", b"caf\xe9\n");
    assert_eq!(append(&ground, "a.md", "x").unwrap_err().kind(), ErrorKind::Refused);
    assert_eq!(ground.tree()["a.md"], b"caf\xe9\n");
}

#[test]
fn a_file_that_is_too_large_is_refused_unread() {
    let ground = Ground::new(&[]);
    fs::File::create(ground.vault().join("huge.md")).unwrap().set_len(1 << 40).unwrap();
    let files = ground.open();
    assert_eq!(files.read(&path(&files, "huge.md")).unwrap_err().kind(), ErrorKind::Refused);
}

/// Found by fuzzing. Whoever can write such a record can write the notes, too; it is still no way out.
#[test]
fn a_record_of_the_journal_that_leads_out_of_the_vault_is_not_followed() {
    for path in ["../outside.md", "a/../../outside.md", "/outside.md", "./note.md"] {
        let ground = Ground::new(&[("note.md", "old\n"), ("a/note.md", "old\n")]);
        fs::write(ground.root().join("outside.md"), "old\n").unwrap();
        drop(ground.open());
        let (id, old, new) = (OperationId::fresh(), Hash::compute(b"new\n"), Hash::compute(b"old\n"));
        let step =
            format!(r#"{{"step":"edit","path":"{path}","old_text":"new\n","old":"{old}","new":"{new}"}}"#);
        let moved = r#"{"step":"move","from":"note.md","to":"../moved.md","inode":1}"#;
        for steps in [format!("[{step}]"), format!("[{step},{step}]"), format!("[{moved}]")] {
            let record =
                format!(r#"{{"id":"{id}","at":"2026-01-01T00:00:00Z","label":"edit","steps":{steps}}}"#);
            let record = format!("{}\n{record}", Hash::compute(record.as_bytes()));
            fs::write(ground.data().join(format!("journal/pending/{id}.json")), record).unwrap();
            let recovered = ground.open().recover().unwrap();
            assert_eq!((recovered.set_aside, recovered.taken_back, recovered.completed), (1, 0, 0), "{path}");
        }
        assert_eq!(fs::read_to_string(ground.root().join("outside.md")).unwrap(), "old\n", "{path}");
        assert_eq!(ground.text("note.md"), "old\n");
    }
}
