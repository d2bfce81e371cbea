//! The page of the book that lists every setting: made from the declarations and from what `defaults.toml` says about them.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::{Value, json};
use wellread_testkit::check_generated;

use super::key::all_settings;
use super::{Config, DEFAULTS, Flags, SettingKey, SettingShape};

const PAGE: &str = "docs/book/src/reference/settings.md";

const INTRODUCTION: &str = "# Settings\n\n\
<!-- Generated from the declarations of the settings and from `defaults.toml`; a test compares the two. -->\n\n\
A value comes from the first of these that has one: a flag (`--vault`, `--data`), a variable of the environment, the settings \
file, the default. `wellread config show` shows every value and where it came from, `wellread config path` names the file, and \
`wellread config set NAME VALUE` writes a value to it. Items of a list are separated by commas.\n\n\
A setting that holds a key is never shown. Instead of the key itself, it may have `env:NAME`, a variable of the environment, or \
`file:PATH`, a file. Where a row names several variables, the last one that is set counts. `–` means empty.\n";

/// Settings that one comment of `defaults.toml` is about.
struct Described {
    comment: String,
    paths: Vec<String>,
}

/// What `defaults.toml` says, in its order. A comment is about the lines below it, up to a blank one or the next comment.
fn read_defaults() -> Vec<Described> {
    let (mut section, mut found) = (String::new(), Vec::<Described>::new());
    let mut comment = String::new();
    for line in DEFAULTS.lines() {
        if let Some(text) = line.strip_prefix("# ") {
            if !comment.is_empty() {
                comment.push(' ');
            }
            comment.push_str(text);
            continue;
        }
        let path = if let Some(name) = line.strip_prefix('[') {
            section = format!("{}.", name.trim_end_matches(']'));
            name.trim_end_matches(']').to_owned()
        } else {
            format!("{section}{}", line.split(" = ").next().unwrap_or_default())
        };
        if !all_settings().iter().any(|key| key.path == path) {
            comment.clear();
        } else if comment.is_empty() && !found.is_empty() {
            found.last_mut().unwrap().paths.push(path);
        } else {
            found.push(Described { comment: std::mem::take(&mut comment), paths: vec![path] });
        }
    }
    found
}

/// All settings: those of `defaults.toml`, and below the others of a section the ones that are empty by default.
fn described_settings() -> Vec<Described> {
    let mut described = read_defaults();
    let known: BTreeSet<String> = described.iter().flat_map(|one| one.paths.clone()).collect();
    for key in all_settings().iter().filter(|key| !known.contains(&*key.path)) {
        let entry = Described { comment: sentence(&key.about), paths: vec![key.path.to_string()] };
        let after = described.iter().rposition(|one| section(&one.paths[0]) == section(&key.path));
        described.insert(after.map_or(described.len(), |at| at + 1), entry);
    }
    described
}

fn section(path: &str) -> &str {
    path.split('.').next().unwrap_or_default()
}

fn sentence(about: &str) -> String {
    let mut letters = about.chars();
    letters.next().map_or_else(String::new, |first| format!("{}{}.", first.to_uppercase(), letters.as_str()))
}

fn render_page() -> String {
    let config = Config::from_flags(&Flags::default()).unwrap();
    let mut page = String::from(INTRODUCTION);
    let mut last = String::new();
    for Described { comment, paths } in described_settings() {
        if section(&paths[0]) != last {
            section(&paths[0]).clone_into(&mut last);
            let _ = write!(
                page,
                "\n## `{last}`\n\n| setting | variable | default | what |\n| --- | --- | --- | --- |\n"
            );
        }
        let keys: Vec<&SettingKey> = paths.iter().map(|path| SettingKey::find(path).unwrap()).collect();
        let column = |cell: &dyn Fn(&SettingKey) -> String| {
            keys.iter().map(|key| cell(key)).collect::<Vec<_>>().join("<br>")
        };
        let values: BTreeSet<String> = keys.iter().map(|key| allowed(key)).collect();
        let values = values.into_iter().collect::<Vec<_>>().join(" ");
        let _ = writeln!(
            page,
            "| {} | {} | {} | {} |",
            column(&|key| format!("`{}`", key.path)),
            column(&variables),
            column(&|key| default(&config, key)),
            format!("{} {values}", full_stop(&comment)).trim_end().replace('|', "\\|"),
        );
    }
    page
}

fn full_stop(text: &str) -> String {
    if text.ends_with('.') { text.to_owned() } else { format!("{text}.") }
}

fn variables(key: &SettingKey) -> String {
    let names = key.also.iter().map(|name| (*name).to_owned()).chain([key.variable_name()]);
    names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

fn default(config: &Config, key: &SettingKey) -> String {
    let (_, value, _) = config.entries().find(|(known, ..)| known.path == key.path).unwrap();
    match json!(value) {
        Value::String(text) if !text.is_empty() => format!("`{text}`"),
        Value::Number(number) => number.to_string(),
        Value::Array(items) if !items.is_empty() => {
            items.iter().map(|item| format!("`{}`", item.as_str().unwrap())).collect::<Vec<_>>().join(", ")
        }
        _ => "–".to_owned(),
    }
}

fn allowed(key: &SettingKey) -> String {
    let list = |words: &[&str]| words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
    match key.shape {
        SettingShape::OneOf(words) => format!("One of {}.", list(words)),
        SettingShape::Choices(words) => format!("Any of {}.", list(words)),
        SettingShape::Switch => "`on` or `off`.".to_owned(),
        SettingShape::Number(most) => format!("At most {most}."),
        _ => String::new(),
    }
}

#[test]
fn the_settings_in_the_book_are_those_of_the_code() {
    let page = render_page();
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `")?.split(" | ").next());
    let listed: Vec<&str> =
        rows.flat_map(|cell| cell.split("<br>")).map(|path| path.trim_matches('`')).collect();
    for key in all_settings() {
        assert_eq!(listed.iter().filter(|path| **path == key.path).count(), 1, "{}", key.path);
    }
    check_generated(PAGE, &page);
}
