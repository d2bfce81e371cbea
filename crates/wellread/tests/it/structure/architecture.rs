//! The tables of ARCHITECTURE.md that are made from the sources: the floors of `core` and `text`, and the code map.
//!
//! `WELLREAD_BLESS=1 cargo test -p wellread --test it architecture` writes them anew.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use super::groups::{GROUPED, Grouped, ROOT};
use crate::desk::repository;

const BLESS: &str = "WELLREAD_BLESS=1 cargo test -p wellread --test it architecture";
const CRATES: [&str; 6] = ["text", "core", "encoder", "adapters", "wellread", "testkit"];

/// The modules of a folder of sources: the files in it, without tests and the crate's own file.
fn modules(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path());
    let sources = entries.filter(|path| path.extension().is_some_and(|ending| ending == "rs"));
    let names = sources.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned());
    let mut names: Vec<String> =
        names.filter(|name| !["lib", "main", "tests"].contains(&name.as_str())).collect();
    names.sort();
    names
}

/// The first sentence of a source's head.
fn head(text: &str) -> String {
    let lines = text.lines().map_while(|line| line.strip_prefix("//! "));
    let head = lines.collect::<Vec<_>>().join(" ");
    let begins = |rest: &str| rest.starts_with(|c: char| c.is_uppercase() || c == '`');
    let end = head.match_indices(". ").map(|(at, _)| at).find(|at| begins(&head[at + 2..]));
    end.map_or(head.clone(), |end| head[..end].to_owned()).trim_end_matches('.').to_owned()
}

/// The floors of a crate that is built in groups, from the top.
fn floors(grouped: &Grouped) -> String {
    let mut table = "| floor | group | holds | uses |\n| --- | --- | --- | --- |\n".to_owned();
    let quoted =
        |names: &[String]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" ");
    for group in grouped.groups.iter().rev() {
        let folder = repository().join(format!("crates/{}/src/{}", grouped.crate_name, group.name));
        let holds = match group.name {
            ROOT => grouped.root.iter().map(ToString::to_string).collect(),
            _ => modules(&folder),
        };
        let uses: Vec<String> = group.uses.iter().map(ToString::to_string).collect();
        let uses = if uses.is_empty() { "nothing".to_owned() } else { quoted(&uses) };
        writeln!(table, "| {} | `{}` | {} | {uses} |", group.floor, group.name, quoted(&holds)).unwrap();
    }
    let arrows: usize = grouped.groups.iter().map(|group| group.uses.len()).sum();
    let floors = grouped.groups.iter().map(|group| group.floor).max().unwrap_or_default();
    let groups = grouped.groups.len();
    writeln!(
        table,
        "\n{groups} groups on {floors} floors, {arrows} arrows, none up and none between groups of one floor."
    )
    .unwrap();
    table
}

/// The code map: a row for every module, of the groups' modules too, with what its head says.
fn map() -> String {
    let mut table = "| crate | module | what |\n| --- | --- | --- |\n".to_owned();
    for name in CRATES {
        let root = repository().join(format!("crates/{name}/src"));
        let in_groups = GROUPED.iter().any(|grouped| grouped.crate_name == name);
        let mut rows = Vec::new();
        for module in modules(&root) {
            let inner = if in_groups { modules(&root.join(&module)) } else { Vec::new() };
            rows.push(module.clone());
            rows.extend(inner.into_iter().map(|inner| format!("{module}/{inner}")));
        }
        for row in rows {
            let text = fs::read_to_string(root.join(format!("{row}.rs"))).unwrap();
            writeln!(table, "| `{name}` | `{row}` | {} |", head(&text).replace('|', "\\|")).unwrap();
        }
    }
    table
}

/// The document with what stands between the two marks of a table replaced.
fn with_table(document: &str, name: &str, table: &str) -> String {
    let (begin, end) = (format!("<!-- {name}: made from the sources -->\n"), format!("<!-- {name}: end -->"));
    let (before, rest) = document.split_once(&begin).unwrap_or_else(|| panic!("no mark {begin:?}"));
    let (_, after) = rest.split_once(&end).unwrap_or_else(|| panic!("no mark {end:?}"));
    format!("{before}{begin}\n{}\n\n{end}{after}", table.trim_end())
}

#[test]
fn the_tables_of_the_architecture_say_what_the_sources_say() {
    let file = repository().join("ARCHITECTURE.md");
    let kept = fs::read_to_string(&file).unwrap();
    let mut document = with_table(&kept, "map", &map());
    for grouped in &GROUPED {
        document = with_table(&document, &format!("floors of {}", grouped.crate_name), &floors(grouped));
    }
    if std::env::var_os("WELLREAD_BLESS").is_some() {
        fs::write(&file, document).unwrap();
    } else if let Some((kept, made)) = kept.lines().zip(document.lines()).find(|(kept, made)| kept != made) {
        panic!("ARCHITECTURE.md has\n  {kept}\nand the sources say\n  {made}\nwrite it anew: {BLESS}");
    } else {
        assert_eq!(kept.len(), document.len(), "ARCHITECTURE.md has other tables than the sources: {BLESS}");
    }
}

#[test]
fn a_head_is_cut_after_its_first_sentence() {
    assert_eq!(head("//! One\n//! thing. Another.\n//!\n//! More\nuse x;\n"), "One thing");
    assert_eq!(head("//! Reads `a.b` and 0.5 e.g. as is.\nuse x;\n"), "Reads `a.b` and 0.5 e.g. as is");
}

#[test]
fn a_table_is_replaced_between_its_marks_alone() {
    let document = "a\n<!-- map: made from the sources -->\nold\n<!-- map: end -->\nb\n";
    let expected = "a\n<!-- map: made from the sources -->\n\nnew\n\n<!-- map: end -->\nb\n";
    assert_eq!(with_table(document, "map", "new\n"), expected);
    assert_eq!(with_table(expected, "map", "new\n"), expected);
}
