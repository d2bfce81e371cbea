//! The quality of main-content extraction: `cargo bench -p wellread-text --bench pages -- FOLDER`.
//!
//! The folder has a folder for each page: `source.html`, `expected.html` (the main content) and `metadata.json`. The
//! figure is the F1 of runs of four words against the expected text. Two others are shown for comparison: everything
//! visible on the page, and Readability alone.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::Value;
use wellread_text::read_html_page;

const ADDRESS: &str = "http://fakehost/test/page.html";

struct Page {
    name: String,
    source: String,
    expected: String,
    about: Value,
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let Some(folder) = arguments.find(|argument| !argument.starts_with('-')).map(PathBuf::from) else {
        return;
    };
    // Cargo runs a bench in the folder of its crate; the path is relative to the user's folder.
    let folder = if folder.exists() { folder } else { Path::new("../..").join(folder) };
    let pages = pages(&folder);
    let ours: fn(&str) -> String = |html| read_html_page(html, Some(ADDRESS)).text;
    let alone: fn(&str) -> String = |html| {
        legible::parse(html, Some(ADDRESS), None).map(|article| article.text_content).unwrap_or_default()
    };
    let ways = [("ours", ours), ("the extractor alone", alone), ("all visible text", all_text)];
    println!("| page | {} |", ways.map(|(name, _)| name).join(" | "));
    println!("| --- |{}", " ---: |".repeat(ways.len()));
    let mut sums = [0.0; 3];
    let mut times = [Duration::ZERO; 3];
    for page in &pages {
        let mut row = String::new();
        for (at, (_, way)) in ways.iter().enumerate() {
            let begun = Instant::now();
            let found = way(&page.source);
            times[at] += begun.elapsed();
            let score = f1(&found, &page.expected);
            sums[at] += score;
            row += &format!(" {score:.3} |");
        }
        println!("| {} |{row}", page.name);
    }
    let count = pages.len() as f64;
    println!("| mean |{}", sums.map(|sum| format!(" {:.3} |", sum / count)).concat());
    println!(
        "| pages a second |{}",
        times.map(|time| format!(" {:.0} |", count / time.as_secs_f64())).concat()
    );
    metadata(&pages);
}

fn pages(folder: &Path) -> Vec<Page> {
    let mut folders: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    folders
        .iter()
        .map(|page| {
            let read = |name: &str| fs::read_to_string(page.join(name)).unwrap();
            Page {
                name: page.file_name().unwrap().to_str().unwrap().to_owned(),
                source: read("source.html"),
                expected: all_text(&read("expected.html")),
                about: serde_json::from_str(&read("metadata.json")).unwrap(),
            }
        })
        .collect()
}

/// Everything between the tags except scripts and styles, read independently.
fn all_text(html: &str) -> String {
    let (mut text, mut rest) = (String::new(), html);
    while let Some(open) = rest.find('<') {
        text.push_str(&rest[..open]);
        text.push(' ');
        rest = &rest[open..];
        let head: String = rest.chars().take(9).collect::<String>().to_lowercase();
        let end = ["script", "style", "noscript", "template"]
            .iter()
            .find(|name| head.starts_with(&format!("<{name}")))
            .map(|name| format!("</{name}"))
            .or_else(|| head.starts_with("<!--").then(|| "-->".to_owned()));
        if let Some(end) = end {
            rest = rest.find(&end).map_or("", |at| &rest[at..]);
        }
        rest = rest.find('>').map_or("", |close| &rest[close + 1..]);
    }
    text.push_str(rest);
    let named =
        [("&nbsp;", " "), ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")];
    named.iter().fold(text, |text, (name, letter)| text.replace(name, letter))
}

fn f1(found: &str, expected: &str) -> f64 {
    let (found, expected) = (runs(found), runs(expected));
    let both: usize = found.iter().map(|(run, count)| *count.min(expected.get(run).unwrap_or(&0))).sum();
    let (all_found, all_expected) = (found.values().sum::<usize>(), expected.values().sum::<usize>());
    if both == 0 { 0.0 } else { 2.0 * both as f64 / (all_found + all_expected) as f64 }
}

/// The number of occurrences of each run of four words.
fn runs(text: &str) -> HashMap<Vec<String>, usize> {
    let words: Vec<String> = text
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let mut runs = HashMap::new();
    for run in words.windows(4) {
        *runs.entry(run.to_vec()).or_insert(0) += 1;
    }
    runs
}

/// How many of the expected fields are as expected.
fn metadata(pages: &[Page]) {
    println!("\n| field | as expected | of |\n| --- | ---: | ---: |");
    for (field, name) in [
        ("title", "title"),
        ("byline", "author"),
        ("publishedTime", "date"),
        ("siteName", "site"),
        ("lang", "language"),
    ] {
        let (mut right, mut all) = (0, 0);
        for page in pages {
            let Some(expected) = page.about[field].as_str().filter(|text| !text.is_empty()) else { continue };
            let found = read_html_page(&page.source, Some(ADDRESS));
            let found = match name {
                "title" => found.title,
                "author" => found.author,
                "date" => found.date,
                "site" => found.site,
                _ => found.language,
            };
            all += 1;
            let fold = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
            let is_right = found.as_deref().map(fold) == Some(fold(expected));
            right += usize::from(is_right);
            if !is_right {
                println!("<!-- {} {name}: {found:?}, not {expected:?} -->", page.name);
            }
        }
        println!("| {name} | {right} | {all} |");
    }
}
