//! The definitions of a file, nested as they stand in it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wellread_text::{Definition, Language, Syntax, outline};

use super::{Inspect, Seen, fields};
use crate::Result;
use crate::codebase::{Codebase, SourceText, Symbol};
use crate::evidence::Provenance;
use crate::{Error, corpus::VaultPath};

/// Of so many definitions the first lines are evidence.
const MOST_EVIDENCE: usize = 40;
/// A signature is shown up to here, in characters.
const LONGEST_SIGNATURE: usize = 300;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OutlineArgs {
    /// The file, relative to the repository.
    pub file_path: String,
}

/// What a file defines.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Outlined {
    pub path: String,
    pub language: String,
    pub definitions: Vec<Defined>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
}

/// A definition, and those that stand in it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Defined {
    /// What tells it from all others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    pub name: String,
    pub qualified_name: String,
    pub kind: String,
    pub path: String,
    pub start_line: usize,
    pub end_line: usize,
    /// On one line.
    pub signature: String,
    /// The comment above it, or the documentation that it begins with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doc: Option<String>,
    /// Its lines, where they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Of the same shape.
    #[schemars(with = "Vec<serde_json::Value>")]
    pub children: Vec<Defined>,
}

/// The outline of a text.
pub fn outlined(path: &VaultPath, text: &str) -> Result<Outlined> {
    let language = Language::of(path.as_str(), text).ok_or_else(|| {
        Error::invalid(format!("`{path}` is in no language whose definitions are known"))
            .at(path.as_str())
            .hint("`wellread search --in code` finds text in any file")
    })?;
    let outline = outline(text, language);
    let notice = match outline.syntax {
        Syntax::Sound => None,
        Syntax::Broken => Some("in places it is not understood; definitions may be missing there"),
        Syntax::Unread => Some("it is too long or too hard to read: nothing is known of its definitions"),
    };
    let path = path.to_string();
    let definitions = nested(&path, text, &outline.definitions, None);
    Ok(Outlined {
        path,
        language: language.name().to_owned(),
        definitions,
        notice: notice.map(str::to_owned),
    })
}

fn nested(path: &str, text: &str, all: &[Definition], parent: Option<usize>) -> Vec<Defined> {
    // The children of one definition stand between it and its end, in order: each is looked at once for each level.
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); all.len()];
    let mut roots = Vec::new();
    for (at, found) in all.iter().enumerate() {
        match found.parent {
            Some(parent) => children[parent].push(at),
            None => roots.push(at),
        }
    }
    fn built(path: &str, text: &str, all: &[Definition], children: &[Vec<usize>], at: usize) -> Defined {
        let inside = children[at].iter().map(|&child| built(path, text, all, children, child)).collect();
        defined(path, text, &all[at], inside)
    }
    let first = parent.map_or(roots, |parent| children[parent].clone());
    first.iter().map(|&at| built(path, text, all, &children, at)).collect()
}

fn defined(path: &str, text: &str, found: &Definition, children: Vec<Defined>) -> Defined {
    let on_one_line = |span: &wellread_text::Span| {
        let line: String = text
            .get(span.clone())
            .unwrap_or_default()
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
            .chars()
            .take(LONGEST_SIGNATURE)
            .collect();
        line
    };
    Defined {
        id: None,
        name: found.name.clone(),
        qualified_name: found.qualified.clone(),
        kind: found.kind.name().to_owned(),
        path: path.to_owned(),
        start_line: found.lines.0,
        end_line: found.lines.1,
        signature: on_one_line(&found.signature),
        doc: found.doc.as_ref().and_then(|doc| text.get(doc.clone())).map(str::to_owned),
        text: None,
        children,
    }
}

/// One symbol as an outline shows it, with those that stand in it.
pub(super) fn row(codebase: &Codebase, source: &SourceText, symbol: &Symbol) -> Defined {
    let path = symbol.path.as_str();
    let stored = codebase.structure(&symbol.path).ok().flatten().filter(|stored| stored.hash == source.hash);
    let found = stored.as_ref().zip(symbol.at).and_then(|(stored, at)| {
        let all = &stored.structure.definitions;
        all.get(at).filter(|found| found.qualified == symbol.qualified)?;
        Some(defined(path, &source.text, all.get(at)?, nested(path, &source.text, all, Some(at))))
    });
    let mut found = found.unwrap_or_else(|| Defined {
        id: None,
        name: symbol.name.clone(),
        qualified_name: symbol.qualified.clone(),
        kind: symbol.kind.name().to_owned(),
        path: path.to_owned(),
        start_line: symbol.lines.0,
        end_line: symbol.lines.1,
        signature: String::new(),
        doc: None,
        text: None,
        children: Vec::new(),
    });
    found.id = Some(symbol.id.to_string());
    found
}

impl Inspect<'_> {
    /// The definitions of a file, from its text as it stands.
    pub fn outline(&self, args: &OutlineArgs) -> Result<Seen> {
        let path = self.codebase.path(&args.file_path)?;
        let source = self.codebase.read(&path)?;
        let outlined = outlined(&path, &source.text)?;
        let mut evidence = Vec::new();
        let mut pending: Vec<(String, &Defined)> = Vec::new();
        let list = |pointer: &str, all: &'_ [Defined]| -> Vec<String> {
            (0..all.len()).map(|n| format!("{pointer}/{n}")).collect()
        };
        pending
            .extend(list("/definitions", &outlined.definitions).into_iter().zip(&outlined.definitions).rev());
        let mut count = 0;
        while let Some((pointer, found)) = pending.pop() {
            count += 1;
            if evidence.len() < MOST_EVIDENCE
                && let Ok((place, text)) =
                    source.lines(&self.codebase.corpus, found.start_line, found.start_line)
            {
                let reason = format!("it defines `{}`", found.qualified_name);
                let found = self.evidence(&place, &text, &reason, Provenance::Syntax);
                evidence.push((pointer.clone(), found));
            }
            let inside = list(&format!("{pointer}/children"), &found.children);
            pending.extend(inside.into_iter().zip(&found.children).rev());
        }
        Ok(Seen { fields: fields(&outlined)?, evidence, summary: format!("{count} definitions in {path}") })
    }
}
