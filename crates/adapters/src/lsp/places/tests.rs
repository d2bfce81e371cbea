//! A server that points everywhere.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use super::*;

fn range(line: u32, from: u32, to: u32) -> Value {
    json!({"start": {"line": line, "character": from}, "end": {"line": line, "character": to}})
}

fn read(root: &Path, result: &Value) -> (Vec<String>, usize) {
    let repository = RepositoryFiles::open(root).unwrap();
    let root = root.canonicalize().unwrap();
    let written: RawPlaces = serde_json::from_value(result.clone()).unwrap();
    let mut reader = PlaceReader {
        repository: &repository,
        root: &root,
        units: ColumnUnits::Utf16,
        texts: HashMap::new(),
    };
    let (places, left_out) = reader.places(&written);
    let shown = |place: &ServerPlace| {
        let ((first, last), (begin, end)) = (place.lines, place.columns);
        let whole = place.whole.map(|(from, to)| format!(" in {from}-{to}")).unwrap_or_default();
        format!("{} {first}:{begin}-{last}:{end}{whole}", place.path)
    };
    (places.iter().map(shown).collect(), left_out)
}

/// A repository with a neighbor, and links between the two.
fn ground() -> tempfile::TempDir {
    let ground = tempfile::tempdir().unwrap();
    let root = ground.path().join("repo");
    for folder in ["repo/src", "repo/node_modules", "repository"] {
        fs::create_dir_all(ground.path().join(folder)).unwrap();
    }
    for (path, text) in [
        ("repo/src/a b.py", "🐝 = 1\nwax = 🐝\n"),
        ("repo/node_modules/x.js", "x\n"),
        ("repo/.gitignore", "secret.py\n"),
        ("repo/secret.py", "x\n"),
        ("repo/binary.py", "\u{0}"),
        ("repository/out.py", "x\n"),
        ("out.py", "x\n"),
    ] {
        fs::write(ground.path().join(path), text).unwrap();
    }
    fs::write(root.join("latin.py"), b"\xff\n").unwrap();
    symlink(ground.path().join("out.py"), root.join("link.py")).unwrap();
    symlink(ground.path(), root.join("up")).unwrap();
    symlink(root.join("src/a b.py"), root.join("inside.py")).unwrap();
    ground
}

#[test]
fn a_place_is_read_in_each_of_its_forms() {
    let ground = ground();
    let root = ground.path().join("repo");
    let uri = file_uri(&root.join("src/a b.py")).unwrap();
    assert!(uri.starts_with("file:///") && uri.ends_with("/src/a%20b.py"), "{uri}");
    let one = json!({"uri": uri, "range": range(1, 6, 8)});
    let link = json!({
        "targetUri": uri, "targetRange": {"start": {"line": 0, "character": 0}, "end": {"line": 1, "character": 8}},
        "targetSelectionRange": range(0, 0, 2), "originSelectionRange": range(9, 9, 9),
    });
    assert_eq!(read(&root, &one), (vec!["src/a b.py 2:7-2:8".to_owned()], 0));
    assert_eq!(read(&root, &Value::Null), (vec![], 0));
    let both = vec!["src/a b.py 1:1-1:2 in 1-2".to_owned(), "src/a b.py 2:7-2:8".to_owned()];
    assert_eq!(read(&root, &json!([one, link, one])), (both, 0));
}

#[test]
fn a_place_that_is_not_in_the_repository_is_left_out_and_counted() {
    let ground = ground();
    let root = ground.path().join("repo");
    let at = |path: &str| file_uri(&ground.path().join(path)).unwrap();
    let shown = root.display();
    let places: Vec<Value> = [
        "file:///etc/passwd".to_owned(),
        at("out.py"),
        at("repository/out.py"),
        at("repo/link.py"),
        at("repo/up/out.py"),
        format!("file://{shown}/../out.py"),
        format!("file://{shown}/%2e%2e/out.py"),
        format!("file://{shown}/src%2f..%2f..%2fout.py"),
        format!("file://{shown}/src/a%20b.py%00"),
        format!("file://elsewhere{shown}/src/a%20b.py"),
        format!("http://localhost{shown}/src/a%20b.py"),
        format!("{shown}/src/a b.py"),
        "jdt://contents/x.class".to_owned(),
        "x".repeat(100_000),
        at("repo/node_modules/x.js"),
        at("repo/secret.py"),
        at("repo/latin.py"),
        at("repo/src"),
        at("repo"),
        at("repo/gone.py"),
    ]
    .iter()
    .map(|uri| json!({"uri": uri, "range": range(0, 0, 1)}))
    .collect();
    assert_eq!(read(&root, &Value::from(places.clone())), (vec![], places.len()));
}

#[test]
fn a_link_inside_the_repository_leads_to_the_file_that_it_means() {
    let ground = ground();
    let uri = file_uri(&ground.path().join("repo/inside.py")).unwrap();
    let place = json!({"uri": uri, "range": range(1, 0, 3)});
    assert_eq!(read(&ground.path().join("repo"), &place), (vec!["src/a b.py 2:1-2:4".to_owned()], 0));
}

#[test]
fn lines_that_are_not_there_or_run_backwards_are_left_out() {
    let ground = ground();
    let root = ground.path().join("repo");
    let uri = file_uri(&root.join("src/a b.py")).unwrap();
    let backwards = json!({"start": {"line": 1, "character": 0}, "end": {"line": 0, "character": 0}});
    for range in [range(99, 0, 1), range(u32::MAX, 0, 1), range(1, 3, 1), backwards] {
        assert_eq!(read(&root, &json!({"uri": uri, "range": range})), (vec![], 1), "{range}");
    }
    assert_eq!(read(&root, &json!([{"uri": uri}, {"range": range(0, 0, 1)}, {}])), (vec![], 3));
    let behind = json!({"uri": uri, "range": range(1, 6, u32::MAX)});
    assert_eq!(read(&root, &behind).0, ["src/a b.py 2:7-2:8"]);
}

#[test]
fn of_very_many_places_only_so_many_are_kept() {
    let many: Vec<Value> =
        (0..MOST + 7).map(|line| json!({"uri": "file:///x", "range": range(line as u32, 0, 1)})).collect();
    let written: RawPlaces = serde_json::from_value(Value::from(many)).unwrap();
    assert_eq!((written.places.len(), written.count), (MOST, MOST + 7));
    for wrong in [json!("x"), json!(7), json!([7]), json!([{"uri": 7}]), json!({"uri": "x", "range": 7})] {
        assert!(serde_json::from_value::<RawPlaces>(wrong).is_err());
    }
}
