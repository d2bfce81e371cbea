//! Reads an Obsidian canvas: a JSON file of cards, which show files of the vault or have text of their own.
//!
//! A canvas is never rebuilt from what was read: links and text are found as byte ranges of the file, so that an edit
//! changes a path and nothing else.

mod json_strings;

use std::collections::HashSet;

use json_strings::{JsonString, json_strings, written_offsets};

use crate::{LineIndex, Link, LinkForm, Note, Span, fold};

/// The links and the text of a canvas.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Canvas {
    /// Its file cards, and the links in the text of other cards, in the order of the file.
    pub links: Vec<Link>,
    /// Its text: cards, the labels of groups and arrows, and web addresses.
    pub texts: Vec<CanvasText>,
    /// The tags in the text of its cards, without `#`, each once; case is ignored.
    pub tags: Vec<String>,
}

/// A text on a canvas: that of a card, a group or an arrow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CanvasText {
    /// The text as it is shown.
    pub text: String,
    /// Its place in the file: what is written between the quotation marks, with its escapes.
    pub span: Span,
}

impl CanvasText {
    /// The places in the file of these parts of the text.
    pub(crate) fn places(&self, file: &str, parts: Vec<Span>) -> Vec<Span> {
        let offsets = written_offsets(file, &self.span, &self.text);
        parts.into_iter().map(|part| offsets[part.start]..offsets[part.end]).collect()
    }
}

impl Canvas {
    /// Parses the whole text of a canvas, or says why it is none. An empty file is an empty canvas.
    pub fn parse(text: &str) -> Result<Canvas, String> {
        let mut canvas = Canvas::default();
        let body = text.strip_prefix(crate::BOM).unwrap_or(text);
        if body.trim().is_empty() {
            return Ok(canvas);
        }
        let strings = json_strings(text)?;
        let lines = LineIndex::new(text);
        for found in strings {
            let [list, field] = found.path.as_slice() else { continue };
            match (list.as_str(), field.as_str()) {
                ("nodes", "file") => canvas.links.extend(card_link(&found, &lines)),
                ("nodes", "text") => canvas.add_card(text, &lines, &found),
                ("nodes", "label" | "url") | ("edges", "label") => canvas.add_text(&found),
                _ => {}
            }
        }
        let mut seen = HashSet::new();
        canvas.tags.retain(|tag| seen.insert(fold(tag)));
        Ok(canvas)
    }

    fn add_card(&mut self, text: &str, lines: &LineIndex, found: &JsonString) {
        let note = Note::parse(&found.text);
        self.tags.extend(note.all_tags());
        if !note.links.is_empty() {
            let offsets = written_offsets(text, &found.span, &found.text);
            let place = |span: &Span| offsets[span.start]..offsets[span.end];
            self.links.extend(note.links.into_iter().map(|link| Link {
                span: place(&link.span),
                target_span: place(&link.target_span),
                line: lines.line_of(found.span.start),
                in_frontmatter: false,
                ..link
            }));
        }
        self.add_text(found);
    }

    fn add_text(&mut self, found: &JsonString) {
        if !found.text.trim().is_empty() {
            self.texts.push(CanvasText { text: found.text.clone(), span: found.span.clone() });
        }
    }
}

/// The link of a file card. A card names its file by the path from the vault's root.
fn card_link(found: &JsonString, lines: &LineIndex) -> Option<Link> {
    (!found.text.is_empty()).then(|| Link {
        form: LinkForm::Card,
        embed: true,
        in_frontmatter: false,
        target: format!("/{}", found.text),
        subpath: None,
        alias: None,
        span: found.span.clone(),
        target_span: found.span.clone(),
        line: lines.line_of(found.span.start),
    })
}

/// Text as it is written between the quotation marks of a JSON string.
pub(crate) fn escape_json(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    quoted.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(text).to_owned()
}

#[cfg(test)]
mod tests;
