//! The definitions of a file, nested as in the source.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wellread_text::{Definition, Language, SymbolKind, SyntaxState, outline_code};

use super::{Inspection, Inspector};
use crate::Error;
use crate::Result;
use crate::code::codebase::{CodeSymbol, Codebase, SourceText};
use crate::domain::corpus::VaultPath;
use crate::domain::evidence::Provenance;

/// The most definitions whose first line becomes evidence.
const MOST_EVIDENCE: usize = 40;
/// The longest signature that is shown, in characters.
const LONGEST_SIGNATURE: usize = 300;

/// The arguments of outlining a file.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OutlineArgs {
    /// The file, relative to the repository.
    pub file_path: String,
}

/// What a file defines.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct FileOutline {
    /// The file's path.
    pub path: String,
    /// The file's language.
    pub language: String,
    /// The definitions, in order.
    pub definitions: Vec<OutlineNode>,
    /// A notice for the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
}

/// A definition with those nested in it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct OutlineNode {
    /// The symbol's id; absent in the outline of a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The definition's name.
    pub name: String,
    /// The name, qualified with the names of the definitions around it.
    pub qualified_name: String,
    /// The kind of definition.
    pub kind: String,
    /// The file's path.
    pub path: String,
    /// The first line, from 1.
    pub start_line: usize,
    /// The last line, from 1, included.
    pub end_line: usize,
    /// The signature, on one line and shortened.
    pub signature: String,
    /// Whether it is a function without a body, as a declaration is.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub without_body: bool,
    /// The comment above it, or the documentation that it begins with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doc: Option<String>,
    /// The text of its lines; absent in the outline of a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The definitions nested in it.
    #[schemars(with = "Vec<serde_json::Value>")]
    pub children: Vec<OutlineNode>,
}

/// The outline of a source text. An error if its language is not known.
pub fn outline_text(path: &VaultPath, text: &str) -> Result<FileOutline> {
    let language = Language::detect(path.as_str(), text).ok_or_else(|| {
        Error::invalid(format!("`{path}` is in no language whose definitions are known"))
            .with_path(path.as_str())
            .hint("`wellread search --in code` finds text in any file")
    })?;
    let outline = outline_code(text, language);
    let notice = match outline.syntax {
        SyntaxState::Sound => None,
        SyntaxState::Broken => Some("parts of it can't be parsed; definitions may be missing there"),
        SyntaxState::Unread => Some("it is too long or too complex to parse: its definitions are not known"),
    };
    let path = path.to_string();
    let definitions = nest_definitions(&path, text, &outline.definitions, None);
    Ok(FileOutline {
        path,
        language: language.name().to_owned(),
        definitions,
        notice: notice.map(str::to_owned),
    })
}

fn nest_definitions(path: &str, text: &str, all: &[Definition], parent: Option<usize>) -> Vec<OutlineNode> {
    // Children are grouped by their parent in one pass.
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); all.len()];
    let mut roots = Vec::new();
    for (at, found) in all.iter().enumerate() {
        match found.parent {
            Some(parent) => children[parent].push(at),
            None => roots.push(at),
        }
    }
    fn built(path: &str, text: &str, all: &[Definition], children: &[Vec<usize>], at: usize) -> OutlineNode {
        let inside = children[at].iter().map(|&child| built(path, text, all, children, child)).collect();
        build_entry(path, text, &all[at], inside)
    }
    let first = parent.map_or(roots, |parent| children[parent].clone());
    first.iter().map(|&at| built(path, text, all, &children, at)).collect()
}

fn build_entry(path: &str, text: &str, found: &Definition, children: Vec<OutlineNode>) -> OutlineNode {
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
    OutlineNode {
        id: None,
        name: found.name.clone(),
        qualified_name: found.qualified.clone(),
        kind: found.kind.name().to_owned(),
        path: path.to_owned(),
        start_line: found.lines.0,
        end_line: found.lines.1,
        signature: on_one_line(&found.signature),
        without_body: !found.has_body && matches!(found.kind, SymbolKind::Function | SymbolKind::Method),
        doc: found.doc.as_ref().and_then(|doc| text.get(doc.clone())).map(str::to_owned),
        text: None,
        children,
    }
}

/// A symbol as an entry of an outline, with the definitions nested in it.
pub(super) fn symbol_entry(codebase: &Codebase, source: &SourceText, symbol: &CodeSymbol) -> OutlineNode {
    let path = symbol.path.as_str();
    let stored = codebase.structure(&symbol.path).ok().flatten().filter(|stored| stored.hash == source.hash);
    let found = stored.as_ref().zip(symbol.at).and_then(|(stored, at)| {
        let all = &stored.structure.definitions;
        all.get(at).filter(|found| found.qualified == symbol.qualified)?;
        Some(build_entry(
            path,
            &source.text,
            all.get(at)?,
            nest_definitions(path, &source.text, all, Some(at)),
        ))
    });
    let mut found = found.unwrap_or_else(|| OutlineNode {
        id: None,
        name: symbol.name.clone(),
        qualified_name: symbol.qualified.clone(),
        kind: symbol.kind.name().to_owned(),
        path: path.to_owned(),
        start_line: symbol.lines.0,
        end_line: symbol.lines.1,
        signature: String::new(),
        without_body: false,
        doc: None,
        text: None,
        children: Vec::new(),
    });
    found.id = Some(symbol.id.to_string());
    found
}

impl Inspector<'_> {
    /// The definitions of a file, from its current text.
    pub fn outline(&self, args: &OutlineArgs) -> Result<Inspection<FileOutline>> {
        let path = self.codebase.parse_path(&args.file_path)?;
        let source = self.codebase.read(&path)?;
        let outlined = outline_text(&path, &source.text)?;
        let mut evidence = Vec::new();
        let mut pending: Vec<(String, &OutlineNode)> = Vec::new();
        let list = |pointer: &str, all: &'_ [OutlineNode]| -> Vec<String> {
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
        Ok(Inspection { found: outlined, evidence, summary: format!("{count} definitions in {path}") })
    }
}
