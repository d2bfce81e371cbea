//! What the repository's documents say about a question.

use serde_json::{Value, json};
use wellread_text::{FileRole, SourceIndex, to_comparable};

use super::CodeBrief;
use super::rendering::text_field;
use crate::Result;
use crate::insight::keyless::{self, Passage};

const DOCUMENTS_HEADING: &str = "What the documents say";
const QUOTES: usize = 2;
/// A sentence with a lower score shares a word or two with the question and does not answer it.
const MIN_SCORE: f32 = 0.55;
/// Documents that list what happened, or say who may do what, and explain nothing.
const NOT_QUOTED: [&str; 8] =
    ["change", "history", "news", "license", "copying", "authors", "pkg-info", "contributing"];

impl CodeBrief<'_> {
    /// Quotes the sentences of documents that answer the question best.
    pub(super) async fn quote_documents(&mut self, question: &str, hits: &[Value]) -> Result<()> {
        let documents: Vec<&Value> = hits.iter().filter(|row| is_document(text_field(row, "path"))).collect();
        let passages: Vec<Passage<'_>> = documents.iter().map(|row| passage(row)).collect();
        let mut items = Vec::new();
        for quote in keyless::find_quotes(question, &passages, QUOTES, 1) {
            if quote.score < MIN_SCORE {
                continue;
            }
            let path = passages[quote.passage].source;
            let input = json!({ "file_path": path, "start_line": quote.lines.0, "end_line": quote.lines.1 });
            let opened = self.run_action("open_span", input).await?;
            let source = SourceIndex::new(text_field(&opened, "text"), path.ends_with(".md"));
            let words = to_comparable(quote.quoted.trim_matches(['"', '“', '”']));
            if source.find_quotation(&words).is_some()
                && let Some(cited) = self.cite(&opened)
            {
                let item = format!("- {} {cited}", quote.quoted);
                items.extend(self.first_that_passes([item].into_iter())?);
            }
        }
        self.add_part(DOCUMENTS_HEADING, items);
        Ok(())
    }
}

fn is_document(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    FileRole::from_path(path) == FileRole::Prose && !NOT_QUOTED.iter().any(|known| name.starts_with(known))
}

fn passage(row: &Value) -> Passage<'_> {
    let first_line = row["start_line"].as_u64().and_then(|line| usize::try_from(line).ok()).unwrap_or(1);
    Passage {
        source: text_field(row, "path"),
        text: text_field(row, "text"),
        start: 0,
        first_line,
        headings: &[],
        is_prose: true,
    }
}
