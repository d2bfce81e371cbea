//! The contract of [`Symbols`].

use wellread_core::ports::{Index, IndexedFile, StoredSymbol, Structure, Symbols};
use wellread_text::{Definition, ExprValue, Import, Mention, MentionRole, NameAccess, SymbolKind, Uses};

use super::index::{file, put, repository, vault};
use super::path;

/// What the contract is asked of, and how an empty one is made.
pub fn check_symbols<I: Index + Symbols>(make: &dyn Fn() -> I) {
    a_structure_is_read_back_as_it_was_put(&make());
    definitions_are_found_by_their_names(&make());
    files_are_found_by_what_they_use(&make());
    what_is_put_again_takes_the_place_of_the_first(&make());
}

/// A structure with these definitions, by qualified name, and calls of these names.
pub fn structure(defines: &[&str], calls: &[&str]) -> Structure {
    let definition = |(at, qualified): (usize, &&str)| Definition {
        name: qualified.rsplit('.').next().unwrap_or(qualified).to_owned(),
        name_span: at..at + 1,
        qualified: (*qualified).to_owned(),
        kind: SymbolKind::Function,
        span: at..at + 1,
        lines: (at + 1, at + 1),
        doc: None,
        signature: at..at + 1,
        parent: None,
        has_body: true,
        gives: Some(vec!["Jar".to_owned()]),
        takes: Some((0, None)),
    };
    let mention = |name: &&str| Mention {
        name: (*name).to_owned(),
        role: MentionRole::Call,
        reached: NameAccess::Member(ExprValue::Called(Box::new(ExprValue::Named(vec!["Jar".to_owned()])))),
        span: 3..7,
        line: 1,
        within: None,
        arguments: Some(2),
    };
    let import = Import {
        module: "./lib/wax.js".to_owned(),
        name: Some("comb".to_owned()),
        known_as: Some("cell".to_owned()),
        span: 0..1,
        line: 1,
        within: None,
        handed_on: true,
    };
    Structure {
        definitions: defines.iter().enumerate().map(definition).collect(),
        uses: Uses {
            mentions: calls.iter().map(mention).collect(),
            imports: if calls.is_empty() { Vec::new() } else { vec![import] },
            bases: Vec::new(),
        },
    }
}

fn code_file(written: &str, minute: i64, structure: Structure) -> IndexedFile {
    let mut file = file(written, minute, &["honey"]);
    file.language = Some("rust");
    file.structure = Some(structure);
    file
}

fn symbol_places(found: &[StoredSymbol]) -> Vec<String> {
    found.iter().map(|symbol| format!("{}#{} {}", symbol.path, symbol.at, symbol.qualified)).collect()
}

fn a_structure_is_read_back_as_it_was_put<I: Index + Symbols>(index: &I) {
    let put_in = code_file("src/jar.rs", 1, structure(&["Jar", "Jar.open"], &["comb"]));
    put(index, &repository(), std::slice::from_ref(&put_in));
    let read = index.structure(&repository(), &path("src/jar.rs")).unwrap().expect("it was put");
    assert_eq!((read.hash, read.language.as_str()), (put_in.hash, "rust"));
    assert_eq!(Some(&*read.structure), put_in.structure.as_ref());
    assert!(index.structure(&vault(), &path("src/jar.rs")).unwrap().is_none());
    assert!(index.structure(&repository(), &path("src/none.rs")).unwrap().is_none());
    put(index, &repository(), &[file("README.md", 1, &["honey"])]);
    assert!(index.structure(&repository(), &path("README.md")).unwrap().is_none(), "it is no code");
    assert_eq!(index.source_files(&repository()).unwrap(), [(path("src/jar.rs"), "rust".to_owned())]);
    assert!(index.source_files(&vault()).unwrap().is_empty());
}

fn definitions_are_found_by_their_names<I: Index + Symbols>(index: &I) {
    let files = [
        code_file("b.rs", 1, structure(&["open", "Lid.open"], &[])),
        code_file("a.rs", 1, structure(&["open_all", "Jar.OPEN", "open"], &[])),
    ];
    put(index, &repository(), &files);
    let defined = |name| symbol_places(&index.find_definitions(&repository(), name).unwrap());
    assert_eq!(defined("open"), ["a.rs#2 open", "b.rs#0 open", "b.rs#1 Lid.open"]);
    assert_eq!(defined("Lid"), [""; 0]);
    let alike =
        |part, limit| symbol_places(&index.find_definitions_containing(&repository(), part, limit).unwrap());
    assert_eq!(
        alike("oPe", 9),
        ["a.rs#1 Jar.OPEN", "a.rs#2 open", "b.rs#0 open", "b.rs#1 Lid.open", "a.rs#0 open_all"]
    );
    assert_eq!(alike("ope", 1), ["a.rs#1 Jar.OPEN"]);
    assert_eq!(alike("%", 9), [""; 0]);
    assert!(index.find_definitions(&vault(), "open").unwrap().is_empty());
}

fn files_are_found_by_what_they_use<I: Index + Symbols>(index: &I) {
    put(
        index,
        &repository(),
        &[
            code_file("b.rs", 1, structure(&[], &["open"])),
            code_file("a.rs", 1, structure(&[], &["open", "shut"])),
        ],
    );
    let using = |name: &str| index.find_using_files(&repository(), name).unwrap();
    assert_eq!(using("open"), [path("a.rs"), path("b.rs")]);
    assert_eq!(using("shut"), [path("a.rs")]);
    for imported in ["wax", "comb", "cell"] {
        assert_eq!(using(imported), [path("a.rs"), path("b.rs")], "{imported}");
    }
    assert!(using("Open").is_empty() && using("").is_empty());
}

fn what_is_put_again_takes_the_place_of_the_first<I: Index + Symbols>(index: &I) {
    put(index, &repository(), &[code_file("a.rs", 1, structure(&["open"], &["shut"]))]);
    put(index, &repository(), &[code_file("a.rs", 2, structure(&["close"], &["lid"]))]);
    assert!(index.find_definitions(&repository(), "open").unwrap().is_empty());
    assert!(index.find_using_files(&repository(), "shut").unwrap().is_empty());
    assert_eq!(symbol_places(&index.find_definitions(&repository(), "close").unwrap()), ["a.rs#0 close"]);
    index.tidy(&[vault()], 0).unwrap();
    assert!(index.structure(&repository(), &path("a.rs")).unwrap().is_none());
    assert!(index.find_definitions(&repository(), "close").unwrap().is_empty());
    assert!(index.find_using_files(&repository(), "lid").unwrap().is_empty());
}
