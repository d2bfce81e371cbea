//! The places that answer a question: chosen among what was named and what was found, and shown with their lines.

use serde_json::{Value, json};
use wellread_text::{FileRole, SourceIndex, to_comparable};

use super::rendering::{
    block_alone, code_block, doc_sentence, plain_line, rows, strip_line_suffix, text_field,
};
use super::{CodeBrief, RELEVANT_CODE};
use crate::Result;
use crate::code::inspect::find_message;
use crate::insight::keyless::{self, CodeText, FoundCode};
use crate::research::code::plan::QuestionPlan;

/// The most places, and the most lines that are shown of each.
const LINES_OF_PLACE: [usize; 3] = [14, 9, 6];
/// A longer definition that contains others is shown by the passage that was found, and not searched as a whole.
const LONGEST_CONTAINER: usize = 60;
const LONGEST: usize = 400;
/// The lines that are cited of a definition that is longer than that.
const LINES_OF_A_BEGINNING: usize = 2;
/// The longest signature that is shown on one line.
const LONGEST_SIGNATURE: usize = 160;
/// What a definition that the question names is worth more.
const NAMED: f32 = 1.2;

/// A place in code that may answer the question.
pub(super) struct CodePlace {
    path: String,
    /// The qualified name of the definition; `None` for code outside any.
    symbol: Option<String>,
    /// The lines that were found.
    lines: (usize, usize),
    /// The line that has what the question quotes.
    literal: Option<usize>,
    score: f32,
    /// The definition, if it was looked up already; otherwise the passage.
    row: Value,
}

impl CodePlace {
    fn from_row(row: &Value, symbol: Option<String>) -> Self {
        Self {
            path: text_field(row, "path").to_owned(),
            symbol,
            lines: (line(row, "start_line"), line(row, "end_line")),
            literal: row["line"].is_u64().then(|| line(row, "line")),
            score: 0.0,
            row: row.clone(),
        }
    }

    fn is_same(&self, other: &Self) -> bool {
        self.path == other.path
            && match (&self.symbol, &other.symbol) {
                (Some(one), Some(other)) => one == other,
                (None, None) => self.lines == other.lines,
                _ => false,
            }
    }
}

fn line(row: &Value, field: &str) -> usize {
    row[field].as_u64().and_then(|line| usize::try_from(line).ok()).unwrap_or(1)
}

/// The places to show, best first: each definition once. Lines with a text that the question quotes are what it is about;
/// they come sorted, before what it names and what was found.
pub(super) fn choose_places(
    question: &str,
    literals: &[Value],
    named: &[Value],
    hits: &[Value],
) -> Vec<CodePlace> {
    let defined = named.iter().map(|row| {
        let qualified = strip_line_suffix(text_field(row, "qualified_name")).to_owned();
        CodePlace::from_row(row, Some(qualified))
    });
    let found = hits.iter().map(|row| CodePlace::from_row(row, row["symbol"].as_str().map(str::to_owned)));
    let mut all: Vec<CodePlace> = defined.chain(found).collect();
    let codes: Vec<FoundCode<'_>> = all
        .iter()
        .map(|place| FoundCode {
            code: CodeText {
                path: &place.path,
                text: text_field(&place.row, "text"),
                first_line: place.lines.0,
                symbol: place.symbol.as_deref().unwrap_or_default(),
            },
            score: place.row["score"].as_f64().unwrap_or_default() as f32,
        })
        .collect();
    let ranked = keyless::rank_code(question, &codes);
    drop(codes);
    for (at, place) in all.iter_mut().enumerate() {
        let rank = ranked.iter().find(|ranked| ranked.of == at);
        let is_named = at < named.len();
        place.score = rank.map_or(if is_named { 0.1 } else { 0.0 }, |ranked| ranked.score);
        place.score += if is_named { NAMED } else { 0.0 };
    }
    all.retain(|place| place.score > 0.0);
    all.sort_by(|one, other| other.score.total_cmp(&one.score));
    let literals =
        literals.iter().map(|row| CodePlace::from_row(row, row["symbol"].as_str().map(str::to_owned)));
    let mut chosen: Vec<CodePlace> = Vec::new();
    for place in literals.chain(all) {
        // What the question names is shown beside what it quotes.
        let kept = usize::from(place.literal.is_some() && !named.is_empty());
        let is_room = chosen.len() < LINES_OF_PLACE.len() - kept;
        if is_room && !chosen.iter().any(|known| known.is_same(&place)) {
            chosen.push(place);
        }
    }
    // A test shows how a thing is used, and comes after what it is.
    chosen.sort_by_key(|place| FileRole::from_path(&place.path) == FileRole::Test);
    chosen
}

/// The lines of a file out of which some are shown.
struct CodeArea<'a> {
    path: &'a str,
    lines: (usize, usize),
    /// How many lines at the beginning are left out if there are others.
    skipped: usize,
    /// The line that has what the question quotes.
    literal: Option<usize>,
}

impl CodeBrief<'_> {
    /// Shows the places with their lines, and returns the ids of the definitions among them.
    pub(super) async fn show_places(
        &mut self,
        question: &str,
        plan: &QuestionPlan,
        places: &[CodePlace],
    ) -> Result<Vec<String>> {
        let (mut items, mut ids) = (Vec::new(), Vec::new());
        for (place, most) in places.iter().zip(LINES_OF_PLACE) {
            let number = items.len() + 1;
            match self.definition_of(place).await? {
                Some(row) => {
                    let Some(item) =
                        self.show_definition(question, plan, place, &row, (number, most)).await?
                    else {
                        continue;
                    };
                    items.push(item);
                    ids.push(text_field(&row, "id").to_owned());
                }
                None => {
                    let area = CodeArea {
                        path: &place.path,
                        lines: place.lines,
                        skipped: 0,
                        literal: place.literal,
                    };
                    let block = self.show_lines(question, plan, area, most).await?;
                    let file = plain_line(&place.path);
                    let forms = block.into_iter().flat_map(|(block, cited)| {
                        let led = format!("{number}. `{file}` {cited}:\n\n{block}");
                        [Some(led), block_alone(&block, &cited)].into_iter().flatten()
                    });
                    items.extend(self.first_that_passes(forms)?);
                }
            }
        }
        self.add_part(RELEVANT_CODE, items);
        Ok(ids)
    }

    /// The definition of a place, with its text and its evidence.
    async fn definition_of(&mut self, place: &CodePlace) -> Result<Option<Value>> {
        if place.row["evidence"].is_string()
            && place.row["signature"].is_string()
            && place.row["text"].is_string()
        {
            return Ok(Some(place.row.clone()));
        }
        let Some(symbol) = &place.symbol else { return Ok(None) };
        let name = format!("{}::{symbol}", place.path);
        let found = self.run_action("find_symbol", json!({ "name": name })).await?;
        let holds =
            |row: &&Value| line(row, "start_line") <= place.lines.1 && place.lines.0 <= line(row, "end_line");
        let rows = rows(&found, "definitions");
        Ok(rows.iter().find(holds).or(rows.first()).filter(|row| row["evidence"].is_string()).cloned())
    }

    /// A definition with its signature and its comment, and the lines of it that matter.
    async fn show_definition(
        &mut self,
        question: &str,
        plan: &QuestionPlan,
        place: &CodePlace,
        row: &Value,
        (number, most): (usize, usize),
    ) -> Result<Option<String>> {
        let (text, path) = (text_field(row, "text"), text_field(row, "path"));
        let Some(cited) = self.cite_definition(row).await? else { return Ok(None) };
        let leads = render_leads(row, number, &cited);
        let (start, end) = (line(row, "start_line"), line(row, "end_line"));
        // The text begins with the comment above, and is cut if it is long.
        if text.lines().count() <= most
            && end + 1 - start <= most
            && let Some(block) = code_block(path, text)
        {
            // The path comes after what names the definition.
            let (path, names) =
                leads.split_last().map_or((None, &[][..]), |(path, names)| (Some(path), names));
            let bare = names.iter().rev().chain(path).map(|lead| format!("{lead}:\n\n{block}"));
            return self.first_that_passes(bare.chain(block_alone(&block, &cited)));
        }
        let is_container = row["children"].as_array().is_some_and(|inside| !inside.is_empty());
        let whole = end + 1 - start;
        let lines = match is_container && whole > LONGEST_CONTAINER || whole > LONGEST {
            true => (place.lines.0.max(start), place.lines.1.min(end)),
            false => (start, end),
        };
        let skipped = if lines.0 == start { lines_of_docstring(row) } else { 0 };
        let area = CodeArea { path, lines, skipped, literal: place.literal };
        let block = self.show_lines(question, plan, area, most).await?;
        let alone = block.as_ref().and_then(|(block, cited)| block_alone(block, cited));
        let below = block.map(|(block, cited)| format!("{block}\n{cited}"));
        let lead_on = |lead: &String| match &below {
            Some(below) => format!("{lead}\n\n{below}"),
            None => lead.clone(),
        };
        self.first_that_passes(leads.iter().map(lead_on).chain(alone))
    }

    /// Cites a definition: all of its lines and the comment above it, however much of it was read; of one that is too
    /// long for that, the lines that it begins with.
    pub(super) async fn cite_definition(&mut self, row: &Value) -> Result<Option<String>> {
        let (start, end) = (line(row, "start_line"), line(row, "end_line"));
        let has_doc_above = lines_of_docstring(row) == 0;
        let above = if has_doc_above { text_field(row, "doc").lines().count() } else { 0 };
        if text_field(row, "text").lines().count() >= end + 1 - start + above {
            return Ok(self.cite(row));
        }
        let first = start.saturating_sub(above).max(1);
        let last = if end + 1 - first > LONGEST { start + LINES_OF_A_BEGINNING - 1 } else { end };
        let input = json!({ "file_path": text_field(row, "path"), "start_line": first, "end_line": last });
        let opened = self.run_action("open_span", input).await?;
        Ok(self.cite(&opened))
    }

    /// The lines of an area that matter, as a block, with their citation.
    async fn show_lines(
        &mut self,
        question: &str,
        plan: &QuestionPlan,
        area: CodeArea<'_>,
        most: usize,
    ) -> Result<Option<(String, String)>> {
        let path = area.path;
        let open =
            |first: usize, last: usize| json!({ "file_path": path, "start_line": first, "end_line": last });
        let opened = self.run_action("open_span", open(area.lines.0, area.lines.1)).await?;
        let text = text_field(&opened, "text");
        let skipped = if area.skipped + 2 < text.lines().count() { area.skipped } else { 0 };
        let body: Vec<&str> = text.lines().skip(skipped).collect();
        let body = body.join("\n");
        let mut lines = keyless::choose_excerpt(question, &body, most, plan.wants_value);
        if lines.is_empty() {
            return Ok(None);
        }
        let from = line(&opened, "start_line") + skipped;
        // The message that the question quotes is what was asked for.
        let literal = area.literal.and_then(|line| line.checked_sub(from));
        let message = || plan.messages.iter().find_map(|message| find_message(&body, message));
        let count = body.lines().count();
        if let Some(at) = literal.or_else(message).filter(|at| !lines.contains(at) && *at < count) {
            let start = at.saturating_sub(most / 2);
            lines = start..(start + most).min(count);
        }
        let shown = self.run_action("open_span", open(from + lines.start, from + lines.end - 1)).await?;
        let block = code_block(path, text_field(&shown, "text"));
        Ok(block.and_then(|block| Some((block, self.cite(&shown)?))))
    }
}

/// The first line about a definition, the most telling form first: its signature with the first sentence of its comment,
/// its signature, its name, its file. Each cites the definition.
fn render_leads(row: &Value, number: usize, cited: &str) -> Vec<String> {
    let (name, signature) = (plain_line(text_field(row, "name")), text_field(row, "signature"));
    let text = text_field(row, "text");
    let mut leads = Vec::new();
    if signature.len() <= LONGEST_SIGNATURE && signature.contains(&name) && !signature.contains('`') {
        let doc = doc_sentence(text_field(row, "doc")).filter(|doc| is_in(doc, text));
        if let Some(doc) = doc.and_then(|doc| keyless::to_quotation(&doc)) {
            leads.push(format!("{number}. `{signature}` {doc} {cited}"));
        }
        leads.push(format!("{number}. `{signature}` {cited}"));
    }
    leads.push(format!("{number}. `{name}` {cited}"));
    leads.push(format!("{number}. `{}` {cited}", plain_line(text_field(row, "path"))));
    leads
}

/// How many lines of a definition, its signature included, are before the end of the documentation inside of it.
fn lines_of_docstring(row: &Value) -> usize {
    let (doc, text) = (text_field(row, "doc"), text_field(row, "text"));
    let Some(at) = text.find(doc).filter(|&at| at > 0 && !doc.is_empty()) else { return 0 };
    let signature = text_field(row, "name");
    // A comment above comes before the name.
    if !text[..at].contains(signature) {
        return 0;
    }
    text[..at + doc.len()].lines().count()
}

fn is_in(sentence: &str, text: &str) -> bool {
    SourceIndex::new(text, false).find_quotation(&to_comparable(sentence)).is_some()
}
