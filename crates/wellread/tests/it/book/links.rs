//! The table of contents names every page, and every link of the book and of README.md leads somewhere.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use toml_edit::DocumentMut;

use super::pages::{Page, book, pages};
use crate::desk::{Ran, repository};

#[test]
fn the_table_of_contents_names_every_page_once() {
    let contents = Page::read("SUMMARY.md");
    let listed: Vec<String> = contents.prose().iter().flat_map(|(_, line)| targets(line)).collect();
    let unique: BTreeSet<&String> = listed.iter().collect();
    assert_eq!(unique.len(), listed.len(), "a page is listed twice: {listed:?}");
    let there: Vec<String> = pages().into_iter().map(|page| page.name).collect();
    let there: BTreeSet<&String> = there.iter().filter(|name| *name != "SUMMARY.md").collect();
    assert_eq!(unique, there);
}

#[test]
fn every_link_of_the_book_leads_somewhere() {
    let mut wrong = Vec::new();
    for page in pages() {
        wrong.extend(broken(&page, &book().join("src").join(&page.name)));
    }
    let readme = Page::read("../../../README.md");
    wrong.extend(broken(&readme, &repository().join("README.md")));
    assert!(wrong.is_empty(), "these lead nowhere:\n{}", wrong.join("\n"));
}

/// The pages as mdBook gets them: what is not in the book's folder is not in the built book.
#[test]
fn links_that_leave_the_book_lead_to_the_repository() {
    let chapters: Vec<Value> = pages()
        .iter()
        .map(|page| json!({"Chapter": {"content": page.text, "path": page.name, "sub_items": []}}))
        .collect();
    let settings = fs::read_to_string(book().join("book.toml")).unwrap().parse::<DocumentMut>().unwrap();
    let address = settings["output"]["html"]["git-repository-url"].as_str().unwrap();
    let context = json!({"config": {"output": {"html": {"git-repository-url": address}}}});
    let mut command = Command::new("python3");
    command.arg(book().join("outside_links.py"));
    let given = json!([context, {"items": chapters}]).to_string();
    let built = Ran::fed(&mut command, given.as_bytes()).json();
    let mut led = 0;
    for item in built["items"].as_array().unwrap() {
        let chapter = &item["Chapter"];
        let page = Page::made_up(chapter["content"].as_str().unwrap());
        let folder = Path::new(chapter["path"].as_str().unwrap()).parent().unwrap().to_owned();
        for target in page.prose().iter().flat_map(|(_, line)| targets(line)) {
            if let Some(file) = target.strip_prefix(&format!("{address}/blob/main/")) {
                let file = file.split('#').next().unwrap();
                assert!(repository().join(file).exists(), "{target}");
                led += 1;
            } else if !target.contains("://") {
                let depth = folder.components().count();
                assert!(target.matches("../").count() <= depth, "{}: {target}", chapter["path"]);
            }
        }
    }
    assert!(led > 20, "{led} links lead to the repository");
}

#[test]
fn a_link_that_leads_nowhere_is_found() {
    let page =
        Page::made_up("# A title, with *marks*\n[a](#a-title-with-marks) [b](#b)\n[c](no.md) `[d](d.md)`\n");
    let wrong = broken(&page, &book().join("src/start.md"));
    assert_eq!(wrong, ["page.md:2: #b", "page.md:3: no.md"]);
}

fn broken(page: &Page, path: &Path) -> Vec<String> {
    let mut wrong = Vec::new();
    for (number, line) in page.prose() {
        for target in targets(line) {
            if target.contains("://") || target.starts_with("mailto:") {
                continue;
            }
            let (file, anchor) = target.split_once('#').unwrap_or((&target, ""));
            let file = file.replace("%20", " ");
            let there: PathBuf =
                if file.is_empty() { path.to_owned() } else { path.parent().unwrap().join(&file) };
            let text =
                if file.is_empty() { Some(page.text.clone()) } else { fs::read_to_string(&there).ok() };
            let found = match (&text, anchor) {
                (_, "") => there.exists(),
                (Some(text), anchor) => anchors(text).contains(anchor),
                (None, _) => false,
            };
            if !found {
                wrong.push(format!("{}:{number}: {target}", page.name));
            }
        }
    }
    wrong
}

/// Where the links and pictures of a line lead; what stands in code is no link.
fn targets(line: &str) -> Vec<String> {
    let outside_of_code: String = line.split('`').step_by(2).collect::<Vec<_>>().join("code");
    let after = outside_of_code.split("](").skip(1);
    after.filter_map(|rest| rest.split_once(')')).map(|(target, _)| target.to_owned()).collect()
}

/// The anchors of a page's headings.
fn anchors(text: &str) -> BTreeSet<String> {
    let page = Page::made_up(text);
    let mut anchors = BTreeSet::new();
    for (_, line) in page.prose() {
        let Some(title) = line.strip_prefix('#').map(|rest| rest.trim_start_matches('#').trim()) else {
            continue;
        };
        let title = title.to_lowercase();
        let kept = title.chars().filter(|c| c.is_alphanumeric() || ['-', '_', ' '].contains(c));
        let mut anchor: String = kept.map(|c| if c == ' ' { '-' } else { c }).collect();
        while anchors.contains(&anchor) {
            anchor += "-1";
        }
        anchors.insert(anchor);
    }
    anchors
}
