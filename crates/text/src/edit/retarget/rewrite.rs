//! Rewrites the path of a link in its own style.

use crate::note::frontmatter::{ScalarStyle, style_at};
use crate::note::links::encode;
use crate::note::resolve::{folder, strip_md};
use crate::{FileNames, Frontmatter, Link, LinkForm, Resolution, Splice, apply_splices, fold};

use super::LinkingFile;

/// The new target of a link that meant `was` and must mean `must`, or why it cannot be written. `names` are the files
/// after the move.
pub(super) fn rewrite_target(
    place: &LinkingFile<'_>,
    names: &FileNames,
    link: &Link,
    was: &str,
    must: &str,
) -> Result<String, String> {
    let means_it = |path: &str| names.resolve(path, place.new_path) == Resolution::Found(must.to_owned());
    let path = candidates(place, names, link, was, must)
        .into_iter()
        .find(|path| means_it(path))
        .ok_or_else(|| format!("no path means `{must}` alone"))?;
    if link.form == LinkForm::Wiki {
        let special = path.contains(['[', ']', '|', '#', '^', '\\']) || path.contains("%%");
        if special || path.chars().any(char::is_control) || path.trim() != path {
            return Err(format!("`{path}` cannot be written in a wikilink"));
        }
        return if link.in_frontmatter { quote_for_yaml(place, link, &path) } else { Ok(path) };
    }
    let angled = place.text[..link.target_span.start].ends_with('<');
    let written = encode(&path, angled);
    if link.in_frontmatter { quote_for_yaml(place, link, &written) } else { Ok(written) }
}

/// Link paths to try, the most similar to the written one first.
fn candidates(place: &LinkingFile<'_>, names: &FileNames, link: &Link, was: &str, must: &str) -> Vec<String> {
    let written = link.target.as_str();
    // `.md` is kept if it was written.
    let bare = strip_md(written) == written && strip_md(was) != was;
    let named = |path: &str| if bare { strip_md(path).to_owned() } else { path.to_owned() };
    let relative = named(&relative_path(folder(place.new_path), must));
    let dotted = if relative.starts_with("../") { relative.clone() } else { format!("./{relative}") };
    let shortest = names.shortest_link(must, place.new_path);
    let shortest = if bare || strip_md(must) == must || shortest.ends_with(".md") {
        shortest
    } else {
        format!("{shortest}.md")
    };
    let full = named(must);
    let rooted = format!("/{full}");

    let nearest = if written.starts_with('/') {
        vec![rooted.clone()]
    } else if written.starts_with("./") {
        vec![dotted]
    } else if written.starts_with("../") {
        vec![relative]
    } else if is_same_path(written, was) && written.contains('/') {
        vec![full.clone()]
    } else if link.form != LinkForm::Wiki
        && is_same_path(written, &relative_path(folder(place.old_path), was))
    {
        vec![relative, dotted]
    } else {
        vec![shortest]
    };
    nearest.into_iter().chain([full, rooted, format!("/{must}")]).collect()
}

/// Whether a link path names this file, ignoring case and `.md`.
fn is_same_path(written: &str, path: &str) -> bool {
    fold(strip_md(written)) == fold(strip_md(path))
}

/// The relative path from a folder to a file, with `../` for parent folders.
fn relative_path(from: &str, to: &str) -> String {
    let from: Vec<&str> = from.split('/').filter(|part| !part.is_empty()).collect();
    let to: Vec<&str> = to.split('/').collect();
    let shared = from.iter().zip(&to[..to.len() - 1]).take_while(|(a, b)| a == b).count();
    let mut path = "../".repeat(from.len() - shared);
    path.push_str(&to[shared..].join("/"));
    path
}

/// Quotes the path for its place in the frontmatter, and checks that only this link changes.
fn quote_for_yaml(place: &LinkingFile<'_>, link: &Link, path: &str) -> Result<String, String> {
    let unreadable = || "the frontmatter cannot be read".to_owned();
    let frontmatter = place.parsed.frontmatter().ok_or_else(unreadable)?;
    let before = frontmatter.fields.as_ref().map_err(|_| unreadable())?;
    let written = match style_at(place.text, &frontmatter.inner, link.target_span.start) {
        ScalarStyle::Single => path.replace('\'', "''"),
        ScalarStyle::Double => path.replace('\\', "\\\\").replace('"', "\\\""),
        ScalarStyle::Plain | ScalarStyle::Block | ScalarStyle::Comment => path.to_owned(),
    };
    let change = Splice { span: link.target_span.clone(), text: written.clone() };
    let after =
        apply_splices(place.text, &[change]).ok().and_then(|text| Frontmatter::parse(&text)?.fields.ok());
    let old = yaml_text(&place.text[link.target_span.clone()], link);
    let differs_only_there = after.is_some_and(|after| {
        let (before, after) = (leaves(before), leaves(&after));
        before.len() == after.len()
            && before
                .iter()
                .zip(&after)
                .all(|(a, b)| a == b || (a.0 == b.0 && is_replaced(&a.1, &b.1, &old, path)))
            && before != after
    });
    if differs_only_there {
        Ok(written)
    } else {
        Err(format!("`{path}` cannot be written in the frontmatter there"))
    }
}

/// The link's target after YAML was parsed: decoded for a wikilink, encoded for a Markdown link.
fn yaml_text(written: &str, link: &Link) -> String {
    if link.form == LinkForm::Wiki { link.target.clone() } else { written.to_owned() }
}

/// Whether exactly one occurrence of `from` in the old text was replaced with `to`.
fn is_replaced(old: &str, new: &str, from: &str, to: &str) -> bool {
    old.match_indices(from).any(|(at, _)| {
        new.len() + from.len() == old.len() + to.len()
            && new.starts_with(&old[..at])
            && new[at..].starts_with(to)
            && new[at + to.len()..] == old[at + from.len()..]
    })
}

/// All scalars of the fields, each with its path.
fn leaves(fields: &serde_json::Map<String, serde_json::Value>) -> Vec<(String, String)> {
    fn walk(path: &str, value: &serde_json::Value, out: &mut Vec<(String, String)>) {
        match value {
            serde_json::Value::Array(items) => {
                out.push((format!("{path}[]"), items.len().to_string()));
                items.iter().enumerate().for_each(|(at, item)| walk(&format!("{path}[{at}]"), item, out));
            }
            serde_json::Value::Object(map) => {
                out.push((format!("{path}{{}}"), map.len().to_string()));
                map.iter().for_each(|(name, value)| walk(&format!("{path}.{name:?}"), value, out));
            }
            // The string "3" and the number 3 must differ.
            serde_json::Value::String(text) => out.push((format!("{path}\""), text.clone())),
            _ => out.push((path.to_owned(), value.to_string())),
        }
    }
    let mut out = vec![];
    fields.iter().for_each(|(name, value)| walk(&format!("{name:?}"), value, &mut out));
    out
}
