//! What the kernel says of a tree, and what it does not.

use std::fs;

use rustix::fs::{CWD, RenameFlags, renameat_with};

use super::*;

#[test]
fn where_no_more_folders_can_be_watched_the_rest_is_and_it_says_so() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a", "b", "c/d", "e"] {
        fs::create_dir_all(folder.path().join(name)).unwrap();
    }
    let gathered = Arc::new(PendingHints::default());
    let excluded = Exclusion(Arc::new(|_, _: &str, _| false));
    let root = folder.path().to_owned();
    let mut tree = WatchTree::with_limit(3, 0, root, excluded, gathered.clone()).unwrap();
    assert_eq!(tree.by_path.len(), 3);
    assert!(gathered.limit().unwrap().starts_with("3 folders of "));
    fs::write(folder.path().join("x.md"), "x").unwrap();
    tree.read_events();
    assert!(gathered.touch_again(0, "x.md"));
    tree.most = 10;
    assert!(tree.refresh());
    assert_eq!((tree.by_path.len(), gathered.limit()), (6, None));
}

#[test]
fn a_refresh_finds_what_was_moved_unheard() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir_all(at("a/inner")).unwrap();
    fs::create_dir(at("b")).unwrap();
    let gathered = Arc::new(PendingHints::default());
    let excluded = Exclusion(Arc::new(|_, _: &str, _| false));
    let mut tree = WatchTree::new(0, folder.path().to_owned(), excluded, gathered.clone()).unwrap();
    fs::rename(at("a"), at("c")).unwrap();
    fs::create_dir(at("a")).unwrap();
    fs::remove_dir(at("b")).unwrap();
    assert!(tree.refresh());
    assert_eq!(tree.by_path.keys().collect::<Vec<_>>(), ["", "a", "c", "c/inner"]);
    fs::write(at("c/inner/x.md"), "x").unwrap();
    // The old news comes first, and does no harm.
    tree.read_events();
    assert!(tree.by_path.contains_key("c/inner") && !tree.by_path.contains_key("b"));
    assert!(gathered.next().unwrap().rescan);
}

fn watch(root: &Path) -> (WatchTree, Arc<PendingHints>) {
    let gathered = Arc::new(PendingHints::default());
    let excluded = Exclusion(Arc::new(|_, _: &str, _| false));
    let tree = WatchTree::new(0, root.to_owned(), excluded, gathered.clone()).unwrap();
    (tree, gathered)
}

/// Whether everything has to be looked at.
fn wants_look(gathered: &PendingHints) -> bool {
    gathered.take().is_some_and(|hints| hints.rescan)
}

#[test]
fn a_folder_that_could_not_be_read_is_not_watched_and_makes_a_look_due() {
    let folder = tempfile::tempdir().unwrap();
    let (mut tree, gathered) = watch(folder.path());
    assert!(tree.hears_every_change());
    for trouble in [Errno::MFILE, Errno::IO, Errno::ACCESS] {
        tree.list_entries = match trouble {
            Errno::MFILE => |_| Err(Errno::MFILE.into()),
            Errno::IO => |_| Err(Errno::IO.into()),
            _ => |_| Err(Errno::ACCESS.into()),
        };
        fs::create_dir(folder.path().join("new")).unwrap();
        fs::create_dir(folder.path().join("new/inner")).unwrap();
        tree.read_events();
        assert!(wants_look(&gathered), "{trouble}: what is in it is not known");
        assert_eq!(tree.by_path.keys().collect::<Vec<_>>(), [""]);
        // What is not ours to read is not listed either; in any other folder something may change unheard.
        assert_eq!(tree.hears_every_change(), trouble == Errno::ACCESS);
        // It is tried again.
        tree.list_entries = list_entries;
        if let Some(due) = &mut tree.refresh_due {
            *due = Instant::now();
        } else {
            fs::set_permissions(
                folder.path().join("new"),
                fs::metadata(folder.path()).unwrap().permissions(),
            )
            .unwrap();
            tree.read_events();
        }
        tree.refresh_if_due();
        assert_eq!(tree.by_path.keys().collect::<Vec<_>>(), ["", "new", "new/inner"]);
        assert!(tree.hears_every_change());
        fs::remove_dir_all(folder.path().join("new")).unwrap();
        tree.read_events();
        gathered.take();
    }
}

#[test]
fn folders_that_change_places_are_both_watched_where_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir_all(at("a/inner")).unwrap();
    fs::create_dir_all(at("b")).unwrap();
    let (mut tree, gathered) = watch(folder.path());
    renameat_with(CWD, at("a"), CWD, at("b"), RenameFlags::EXCHANGE).unwrap();
    tree.read_events();
    assert!(wants_look(&gathered));
    assert_eq!(tree.by_path.keys().collect::<Vec<_>>(), ["", "a", "b", "b/inner"]);
    for path in ["a/x.md", "b/x.md", "b/inner/x.md"] {
        fs::write(at(path), "x").unwrap();
        tree.read_events();
        let heard = gathered.take().unwrap();
        assert_eq!((heard.touched, heard.rescan), (vec![(0, path.to_owned())], false));
    }
}

#[test]
fn what_is_unmounted_is_no_more_heard_of_until_all_watches_are_put_on_anew() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("disk")).unwrap();
    let (mut tree, gathered) = watch(folder.path());
    tree.handle_event(tree.by_path["disk"], ReadFlags::UNMOUNT, None);
    assert!(wants_look(&gathered) && !tree.hears_every_change());
    tree.refresh_if_due();
    assert!(tree.hears_every_change());
    tree.mounts.push("1 0:1 / somewhere".to_owned());
    tree.check_mounts();
    assert!(wants_look(&gathered) && !tree.hears_every_change(), "the table of mounts is another one");
}
