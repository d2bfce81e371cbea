//! What a path really leads to, on a real disk: links to files and folders, other names of a file, nested repositories.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, symlink};
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use tempfile::TempDir;
use wellread_adapters::files::VaultFiles;
use wellread_core::domain::corpus::{PathRules, VaultPath};
use wellread_core::library::judge::{JudgeRules, VaultLayout};
use wellread_core::ports::{Corpus as _, NoOutsideText};
use wellread_text::Note;

fn save(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

struct OnDisk {
    folder: TempDir,
    files: VaultFiles,
    rules: JudgeRules,
}

fn path(written: &str) -> VaultPath {
    PathRules::new([], &[]).parse_file(written).unwrap()
}

impl OnDisk {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let vault = folder.path().join("vault");
        save(&vault, "Private/Diary.md", "The code is 4711.\n");
        save(&vault, "Private/Letter.md", "It has one name.\n");
        save(&vault, "Clippings/Page.md", "A page.\n");
        save(&vault, "Own.md", "Mine.\n");
        save(&vault, "Cloned/app/README.md", "Run this.\n");
        save(&vault, "Cloned/app/.git/HEAD", "ref: refs/heads/main\n");
        save(&vault, "Tree/README.md", "Run this.\n");
        save(&vault, "Tree/.git", "gitdir: elsewhere\n");
        save(&vault, ".git/HEAD", "the vault's own\n");
        symlink("Private/Diary.md", vault.join("Alias.md")).unwrap();
        symlink("Alias.md", vault.join("Twice.md")).unwrap();
        symlink("Private/Letter.md", vault.join("Letter.md")).unwrap();
        symlink("Circle.md", vault.join("Circle.md")).unwrap();
        symlink("Private", vault.join("Shelf")).unwrap();
        symlink(vault.join("Clippings"), vault.join("Cuts")).unwrap();
        fs::hard_link(vault.join("Private/Diary.md"), vault.join("Second name.md")).unwrap();
        fs::hard_link(vault.join("Clippings/Page.md"), vault.join("Cut out.md")).unwrap();
        let files = VaultFiles::open(&vault, &folder.path().join("data"), &[]).unwrap();
        let layout = VaultLayout { private_folders: vec!["private".to_owned()], ..VaultLayout::default() };
        let rules = JudgeRules { layout, outside: std::sync::Arc::new(NoOutsideText) };
        Self { folder, files, rules }
    }

    fn is_private(&self, written: &str) -> bool {
        self.rules.judge(&self.files).is_private(&path(written))
    }

    fn is_outside(&self, written: &str) -> bool {
        self.rules.judge(&self.files).is_outside_file(&path(written), &Note::parse("x\n"))
    }
}

#[test]
fn a_private_note_is_private_by_every_name() {
    let vault = OnDisk::new();
    for written in [
        "Private/Diary.md",
        "Alias.md",
        "Twice.md",
        "Letter.md",
        "Shelf/Letter.md",
        "Shelf/Diary.md",
        "Shelf/New.md",
        "Shelf/New folder/New.md",
        "Second name.md",
    ] {
        assert!(vault.is_private(written), "{written}");
    }
    assert!(!vault.is_private("Own.md"));
    let names = vault.files.identify(&path("Alias.md")).unwrap().other_paths;
    assert!(names.contains(&path("Private/Diary.md")), "{names:?}");
}

#[test]
fn a_file_instructs_models_by_every_name() {
    let vault = OnDisk::new();
    let root = vault.folder.path().join("vault");
    save(&root, "Preferences.md", "- Be brief.\n");
    save(&root, "Prompts/Daily.md", "x\n");
    symlink("Preferences.md", root.join("Habits.md")).unwrap();
    symlink("Prompts", root.join("Orders")).unwrap();
    fs::hard_link(root.join("Preferences.md"), root.join("Wishes.md")).unwrap();
    for written in ["Preferences.md", "Habits.md", "Wishes.md", "Orders/Daily.md", "Orders/New.md"] {
        assert!(vault.rules.judge(&vault.files).instructs_models(&path(written)), "{written}");
    }
    assert!(!vault.rules.judge(&vault.files).instructs_models(&path("Own.md")));
}

#[test]
fn a_link_that_leads_to_a_file_is_a_name_of_it() {
    let vault = OnDisk::new();
    let root = vault.folder.path().join("vault");
    for written in
        ["Config/House rules.md", "Texts/daily.md", "Team/Anna.md", "Kept/x.md", "Deep/x.md", "Open/x.md"]
    {
        save(&root, written, "x\n");
    }
    fs::create_dir_all(root.join("Inner/Folder")).unwrap();
    symlink("Config/House rules.md", root.join("CLAUDE.md")).unwrap();
    symlink("Not yet/New.md", root.join("AGENTS.md")).unwrap();
    symlink("Texts", root.join("Prompts")).unwrap();
    symlink("../Team/Anna.md", root.join("Private/Anna.md")).unwrap();
    symlink("../Kept", root.join("Clippings/Kept")).unwrap();
    // By a link in a folder that a link leads to, and by one that leads to itself.
    symlink("../Deep", root.join("Inner/Deep")).unwrap();
    symlink("../Inner", root.join("Private/Inner")).unwrap();
    symlink("../Open", root.join("Open/Again")).unwrap();
    let is_in_private =
        |written: &str| vault.rules.judge(&vault.files).find_private_place(&path(written)).is_some();
    let instructs = |written: &str| vault.rules.judge(&vault.files).instructs_models(&path(written));
    for written in ["Config/House rules.md", "Not yet/New.md", "Texts/daily.md", "Texts/sub/new.md"] {
        assert!(instructs(written) && !is_in_private(written), "{written}");
    }
    for written in ["Team/Anna.md", "Deep/x.md", "Inner/New.md", "Inner/Deep/x.md"] {
        assert!(is_in_private(written) && !instructs(written), "{written}");
    }
    assert!(vault.is_outside("Kept/x.md") && !vault.is_outside("Open/x.md"));
    assert!(!instructs("Config/Other.md") && !is_in_private("Team/Other.md") && !is_in_private("Open/x.md"));
    // Their judgments are not kept: by a link, they change unheard.
    let linked = |written: &str| vault.files.find(&path(written)).unwrap().unwrap().linked;
    assert!(linked("Team/Anna.md") && linked("Texts/daily.md") && !linked("Own.md"));
    let listed = vault.files.list().unwrap().files;
    let listed = |written: &str| listed.iter().find(|entry| entry.path == path(written)).unwrap().linked;
    assert!(listed("Team/Anna.md") && listed("Deep/x.md") && !listed("Own.md"));
    // The whole vault.
    symlink("..", root.join("Private/All")).unwrap();
    wait_for("the vault is private", || is_in_private("Own.md"));
}

#[test]
fn a_clipping_and_a_cloned_repository_come_from_outside_by_every_name() {
    let vault = OnDisk::new();
    for written in [
        "Clippings/Page.md",
        "Cuts/Page.md",
        "Cut out.md",
        "Cloned/app/README.md",
        "Cloned/app/docs/New.md",
        "Tree/README.md",
    ] {
        assert!(vault.is_outside(written), "{written}");
    }
    // Where it leads can't be known.
    assert!(vault.is_outside("Circle.md") && vault.is_private("Circle.md"));
    assert!(vault.rules.judge(&vault.files).instructs_models(&path("Circle.md")));
    // The vault itself may be a repository.
    assert!(!vault.is_outside("Own.md") && !vault.is_outside("Cloned/Note.md"));
}

/// Waits for what is noticed as soon as somebody looks again.
fn wait_for(what: &str, is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Duration::from_secs(10), "{what}");
    }
}

/// Waits until the times of a file are believed: by then it has to be known by them.
fn wait_until_settled(path: &Path) {
    let changed = fs::metadata(path).unwrap().ctime();
    let now = || SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs() as i64;
    while now() < changed + 4 {
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_name_that_moves_with_its_folder_is_noticed() {
    let vault = OnDisk::new();
    let root = vault.folder.path().join("vault");
    save(&root, "Own/x.md", "Mine.\n");
    save(&root, "Other/y.md", "Mine.\n");
    fs::create_dir_all(root.join("Archive")).unwrap();
    let outside = vault.folder.path().join("outside");
    fs::create_dir_all(&outside).unwrap();
    fs::hard_link(root.join("Own/x.md"), root.join("Archive/x.md")).unwrap();
    fs::hard_link(root.join("Other/y.md"), outside.join("y.md")).unwrap();
    // Neither this nor a file that has it for its target is one more name.
    symlink("y.md", root.join("Other/Link.md")).unwrap();
    wait_until_settled(&root.join("Other/y.md"));
    assert!(!vault.is_private("Own/x.md") && !vault.is_private("Other/y.md"));
    fs::rename(root.join("Archive"), root.join("Private/Archive")).unwrap();
    assert!(vault.is_private("Own/x.md"));
    fs::rename(root.join("Private/Archive"), root.join("Archive")).unwrap();
    assert!(!vault.is_private("Own/x.md"));
    // From outside: nothing is believed for longer than a list takes.
    fs::rename(&outside, root.join("Private/Outside")).unwrap();
    let begun = Instant::now();
    while !vault.is_private("Other/y.md") {
        assert!(begun.elapsed() < Duration::from_secs(10));
    }
}

#[test]
fn a_name_that_is_added_later_is_noticed() {
    let vault = OnDisk::new();
    // The names of the whole vault are known by now.
    assert!(!vault.is_private("Own.md") && vault.is_private("Second name.md"));
    let root = vault.folder.path().join("vault");
    fs::hard_link(root.join("Own.md"), root.join("Private/Own.md")).unwrap();
    assert!(vault.is_private("Own.md"));
}

#[test]
fn a_link_that_is_made_moved_or_removed_later_is_noticed() {
    let vault = OnDisk::new();
    let root = vault.folder.path().join("vault");
    save(&root, "Open/Folder/Other.md", "x\n");
    wait_until_settled(&root.join("Open/Folder"));
    for is_settled in [true, false] {
        assert!(!vault.is_private("Own.md"), "{is_settled}");
        symlink("../../Own.md", root.join("Open/Folder/Link.md")).unwrap();
        fs::rename(root.join("Open/Folder"), root.join("Private/Folder")).unwrap();
        wait_for("a folder with a link is moved", || vault.is_private("Own.md"));
        fs::rename(root.join("Private/Folder"), root.join("Open/Folder")).unwrap();
        wait_for("it is moved back", || !vault.is_private("Own.md"));
        fs::remove_file(root.join("Open/Folder/Link.md")).unwrap();
        symlink("../Own.md", root.join("Private/Link.md")).unwrap();
        wait_for("a link is made", || vault.is_private("Own.md"));
        fs::remove_file(root.join("Private/Link.md")).unwrap();
        wait_for("it is removed", || !vault.is_private("Own.md"));
    }
}
