//! What git is asked, and that a repository makes it run nothing.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use wellread_core::ErrorKind;
use wellread_core::domain::corpus::{CorpusName, Hash};
use wellread_core::ports::{History as _, NoHistory};
use wellread_core::trust::recheck::filter_changed_since;

use crate::citing::Past;
use crate::citing::Where::{Code, GitVault, Plain};

fn head(past: &Past) -> String {
    wellread_adapters::repository::git_commit(&past.root()).unwrap()
}

#[test]
fn what_a_repository_says_to_run_is_not_run() {
    let past = Past::new(Code, &[("a.rs", "fn a() {}\n// one\n// two\n"), ("b.rs", "fn b() {}\n")]);
    let first = head(&past);
    past.rename("a.rs", "c.rs");
    past.commit();
    past.save("c.rs", "fn a() {}\n// one\n// three\n");
    past.git(&["add", "--all"]);
    past.save("b.rs", "fn b() { 1 }\n");
    // From here on nothing but what is tested runs git: the traps would go off.
    let (root, canary) = (past.root(), past.beside("canary"));
    let trap = past.beside("trap");
    fs::write(&trap, format!("#!/bin/sh\ntouch '{}'\ncat\n", canary.display())).unwrap();
    fs::set_permissions(&trap, fs::Permissions::from_mode(0o755)).unwrap();
    for hook in
        ["post-index-change", "post-checkout", "reference-transaction", "fsmonitor-watchman", "pre-auto-gc"]
    {
        fs::create_dir_all(root.join(".git/hooks")).unwrap();
        fs::copy(&trap, root.join(".git/hooks").join(hook)).unwrap();
    }
    let trap = trap.display();
    let config = format!(
        "[core]\n\trepositoryformatversion = 1\n\tfsmonitor = {trap}\n\tpager = {trap}\n\tsshCommand = {trap}\n\
         \tgitProxy = {trap}\n\teditor = {trap}\n\taskPass = {trap}\n\talternateRefsCommand = {trap}\n\
         [extensions]\n\tpartialClone = origin\n[remote \"origin\"]\n\turl = ssh://nowhere.invalid/x\n\tpromisor = true\n\
         [diff]\n\texternal = {trap}\n[diff \"evil\"]\n\ttextconv = {trap}\n\tcommand = {trap}\n\
         [filter \"evil\"]\n\tclean = {trap}\n\tsmudge = {trap}\n\tprocess = {trap}\n\trequired = true\n\
         [pager]\n\tlog = {trap}\n\tdiff = {trap}\n[interactive]\n\tdiffFilter = {trap}\n\
         [alias]\n\tlog = !{trap}\n\tdiff-index = !{trap}\n[log]\n\tshowSignature = true\n[gpg]\n\tprogram = {trap}\n\
         [credential]\n\thelper = {trap}\n[uploadpack]\n\tpackObjectsHook = {trap}\n"
    );
    fs::write(root.join(".git/config"), config).unwrap();
    fs::write(root.join(".git/info/attributes"), "* filter=evil diff=evil\n").unwrap();
    past.save(".gitattributes", "* filter=evil diff=evil\n");
    // A program of that name in the repository is no git.
    fs::copy(past.beside("trap"), root.join("git")).unwrap();
    let history = past.history();
    let corpus = past.corpus();
    let path = |written: &str| past.vault().rules().parse_file(written).unwrap();
    for since in [None, Some(first.as_str())] {
        let now = history.current_path(&corpus, &path("a.rs"), since).unwrap();
        assert_eq!(now, Some(path("c.rs")));
    }
    let changed = history.changed_since(&corpus, &first).unwrap().unwrap();
    assert_eq!(changed, ["a.rs", "b.rs", "c.rs", "git"].map(path));
    let was = "fn a() {}\n// one\n// two\n";
    for commit in [None, Some(first.as_str())] {
        let version = history.find_version(&corpus, &path("a.rs"), commit, Hash::compute(was.as_bytes()));
        let version = version.unwrap().unwrap();
        assert_eq!((version.commit.as_str(), version.bytes.as_slice()), (first.as_str(), was.as_bytes()));
    }
    assert_eq!(history.read_at(&corpus, &path("b.rs"), &first).unwrap().unwrap(), b"fn b() {}\n");
    assert_eq!(history.read_at(&corpus, &path("c.rs"), &first).unwrap(), None);
    assert!(!canary.exists(), "the repository had something run");
    // The trap is one: git as it is walks into it.
    let status = std::process::Command::new("git").arg("-C").arg(&root).args(["status", "--short"]).output();
    assert!(status.is_ok() && canary.exists());
}

#[test]
fn names_are_followed_through_commits_in_their_order() {
    let text = |of: &str| format!("# {of}\n\nWhat is said about {of}.\nAnd more about {of}.\n");
    let past = Past::new(GitVault, &[("a.md", &text("ants")), ("b.md", &text("bees"))]);
    let first = head(&past);
    // Two notes change names with each other, by way of a third name.
    for (from, to) in [("a.md", "x.md"), ("b.md", "a.md"), ("x.md", "b.md")] {
        past.rename(from, to);
        past.commit();
    }
    let second = head(&past);
    past.rename("b.md", "deep/er/ä b.md");
    past.commit();
    past.rename("a.md", "gone.md");
    past.commit();
    past.remove("gone.md");
    past.commit();
    let history = past.history();
    let path = |written: &str| past.vault().rules().parse_file(written).unwrap();
    let renamed = |from: &str, since: Option<&str>| {
        let now = history.current_path(&CorpusName::Vault, &path(from), since).unwrap();
        now.map(|now| now.as_str().to_owned())
    };
    let deep = Some("deep/er/ä b.md".to_owned());
    assert_eq!(renamed("a.md", Some(&first)), deep);
    assert_eq!(renamed("b.md", Some(&first)), None, "it was deleted under its last name");
    assert_eq!(renamed("b.md", Some(&second)), deep);
    assert_eq!(renamed("b.md", None), deep);
    assert_eq!(renamed("a.md", None), None);
    assert_eq!(renamed("never.md", None), None);
    assert_eq!(renamed("a.md", Some("deadbeef")), None, "a commit that is not there is as none");
}

#[test]
fn a_corpus_may_be_a_folder_of_its_repository() {
    let past = Past::new(Code, &[("notes/a.md", "# A\n\nOne and two and three.\n"), ("top.rs", "")]);
    let first = head(&past);
    past.rename("notes/a.md", "notes/deep/b.md");
    past.commit();
    past.save("top.rs", "fn f() {}\n");
    let rules = past.vault().rules().clone();
    let inside = vec![(CorpusName::Vault, past.root().join("notes"), rules.clone())];
    let history = wellread_adapters::repository::GitHistory::new(&past.beside("scratch"), inside);
    let path = |written: &str| rules.parse_file(written).unwrap();
    assert_eq!(
        history.current_path(&CorpusName::Vault, &path("a.md"), None).unwrap(),
        Some(path("deep/b.md"))
    );
    let changed = history.changed_since(&CorpusName::Vault, &first).unwrap();
    assert_eq!(changed, Some(vec![path("a.md"), path("deep/b.md")]));
}

#[test]
fn a_worktree_and_long_hashes_are_known() {
    let past = Past::new(Code, &[("a.rs", "fn a() {}\n// one\n")]);
    let tree = past.beside("tree");
    past.git(&["worktree", "add", "--quiet", "-b", "topic", tree.to_str().unwrap()]);
    past.git(&["-C", tree.to_str().unwrap(), "mv", "a.rs", "b.rs"]);
    let rules = past.vault().rules().clone();
    let path = |written: &str| rules.parse_file(written).unwrap();
    let at = |root| {
        let folders = vec![(CorpusName::Vault, root, rules.clone())];
        wellread_adapters::repository::GitHistory::new(&past.beside("scratch"), folders)
    };
    let renamed = |root| at(root).current_path(&CorpusName::Vault, &path("a.rs"), None).unwrap();
    assert_eq!((renamed(tree), renamed(past.root())), (Some(path("b.rs")), None));
    past.git(&[
        "init",
        "--quiet",
        "--object-format=sha256",
        "--initial-branch=main",
        past.beside("long").to_str().unwrap(),
    ]);
    let long = past.beside("long").to_str().unwrap().to_owned();
    fs::write(past.beside("long").join("a.rs"), "fn a() {}\n// one\n").unwrap();
    past.git(&["-C", &long, "add", "a.rs"]);
    past.git(&["-C", &long, "commit", "--quiet", "--message=one"]);
    past.git(&["-C", &long, "mv", "a.rs", "c.rs"]);
    past.git(&["-C", &long, "commit", "--quiet", "--message=two"]);
    assert_eq!(renamed(past.beside("long")), Some(path("c.rs")));
}

#[test]
fn since_a_commit_means_what_changed_after_it() {
    let files: Vec<(String, String)> =
        (0..6).map(|n| (format!("f{n}.rs"), format!("fn f{n}() {{ long_enough({n}) }}\n"))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let past = Past::new(Code, &files);
    let cited: Vec<_> = files.iter().map(|(path, text)| past.cite(path, text)).collect();
    past.save("f0.rs", "fn other() {}\n");
    past.commit();
    past.git(&["tag", "v1"]);
    past.save("f1.rs", "fn other() {}\n");
    past.commit();
    past.rename("f2.rs", "g2.rs");
    past.commit();
    past.save("f3.rs", "fn staged() {}\n");
    past.git(&["add", "--all"]);
    past.save("f4.rs", "fn not_staged_and_longer() {}\n");
    past.save("new.rs", "fn untracked() {}\n");
    let mut cited = cited;
    cited.push(past.cite("new.rs", "fn untracked() {}\n"));
    let (history, corpora) = (past.history(), [CorpusName::Vault, past.corpus()]);
    let paths = |commit: &str| -> Vec<String> {
        let meant = filter_changed_since(&cited, commit, &corpora, &history).unwrap();
        meant.iter().map(|one| one.source.file().unwrap().1.path.as_str().to_owned()).collect()
    };
    let later = ["f1.rs", "f2.rs", "f3.rs", "f4.rs", "new.rs"];
    for commit in ["v1", "HEAD~2", "@^^", "main~2", "tags/v1"] {
        assert_eq!(paths(commit), later, "{commit}");
    }
    assert_eq!(paths("HEAD"), ["f3.rs", "f4.rs", "new.rs"]);
    assert_eq!(paths(&head(&past)[..10]), ["f3.rs", "f4.rs", "new.rs"]);
    for unknown in ["v2", "", "--all", "HEAD..v1", "HEAD:f0.rs", "deadbeef", "../x", "v1^{/x}", "HEAD@{1}"] {
        let error = filter_changed_since(&cited, unknown, &corpora, &history).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound, "{unknown}");
    }
    assert!(filter_changed_since(&cited, "HEAD", &corpora, &NoHistory).is_err());
}

#[test]
fn without_a_repository_there_is_no_history() {
    let past = Past::new(Plain, &[("a.rs", "")]);
    let (history, corpus) = (past.history(), past.corpus());
    let path = past.vault().rules().parse_file("a.rs").unwrap();
    assert_eq!(history.current_path(&corpus, &path, None).unwrap(), None);
    assert_eq!(history.changed_since(&corpus, "HEAD").unwrap(), None);
    assert_eq!(history.changed_since(&CorpusName::Vault, "HEAD").unwrap(), None);
    // A folder that only looks like one.
    past.save(".git/HEAD", "0123456789abcdef0123456789abcdef01234567\n");
    assert_eq!(history.current_path(&corpus, &path, None).unwrap(), None);
    assert_eq!(history.changed_since(&corpus, "HEAD").unwrap(), None);
}
