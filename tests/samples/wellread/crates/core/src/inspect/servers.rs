//! Definition, references and hover of the name at a place: from a language server where one is switched on, else from the
//! syntax, and it says which.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use wellread_text::{Language, Lines};

use super::{Inspect, Seen, fields};
use crate::codebase::{SourceText, Symbol};
use crate::corpus::VaultPath;
use crate::evidence::{Found, Provenance};
use crate::graph::{Certainty, Graph};
use crate::ports::{ServerAnswer, ServerAsked, ServerQuestion};
use crate::{Error, Result};

const MOST_PLACES: usize = 100;
/// Of so many places the lines are shown.
const SHOWN_PLACES: usize = 30;
const BY_SERVER: &str = "language server";
const BY_SYNTAX: &str = "syntax index";

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AtArgs {
    /// The file, relative to the repository; left out where `symbol` is given.
    #[serde(default)]
    pub file_path: Option<String>,
    /// From 1.
    #[serde(default)]
    pub line: Option<usize>,
    /// From 1, in characters.
    #[serde(default)]
    pub column: Option<usize>,
    /// A symbol by its name, instead of a place.
    #[serde(default)]
    pub symbol: Option<String>,
}

/// What is asked about a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Question {
    Definition,
    References,
    Hover,
}

impl Question {
    fn asked(self) -> ServerAsked {
        match self {
            Self::Definition => ServerAsked::Definition,
            Self::References => ServerAsked::References,
            Self::Hover => ServerAsked::Hover,
        }
    }
}

/// Where the name stands that is asked about.
struct At {
    source: SourceText,
    line: usize,
    column: usize,
    /// Where it was asked for by name.
    symbol: Option<Symbol>,
}

/// A place that was found, before its lines are read.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Spot {
    path: VaultPath,
    lines: (usize, usize),
    certainty: Option<&'static str>,
}

#[derive(Debug, Serialize)]
struct Row {
    path: String,
    start_line: usize,
    end_line: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    certainty: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

impl Inspect<'_> {
    pub async fn at(&self, question: Question, args: &AtArgs) -> Result<Seen> {
        let at = self.position(args)?;
        let (mut notice, mut hover, mut partial) = (None, None, None);
        let language = Language::of(at.source.path.as_str(), &at.source.text).map(Language::name);
        let mut by = BY_SYNTAX;
        let mut spots = Vec::new();
        // What a server would show of a name may stand outside of the scope; what the syntax shows does not.
        let is_within = question != Question::Hover || self.codebase.scope.is_all();
        if let Some(language) = language.filter(|language| is_within && self.servers.serves(language)) {
            match self.asked(question, language, &at).await {
                Ok(answer) => {
                    by = BY_SERVER;
                    partial = answer.partial.clone();
                    hover = answer.hover.as_ref().map(|hover| hover.look().to_owned());
                    spots = spots_of(&answer);
                }
                Err(error) => notice = Some(format!("{}; answered from the syntax", error.message())),
            }
        }
        if by == BY_SYNTAX {
            let (found, shown, unknown) = self.by_syntax(question, &at)?;
            (spots, hover) = (found, shown);
            partial = unknown;
        }
        self.seen(by, spots, hover, partial, notice)
    }

    async fn asked(&self, question: Question, language: &str, at: &At) -> Result<ServerAnswer> {
        let asked = ServerQuestion {
            repository: self.codebase.name().to_owned(),
            language: language.to_owned(),
            path: at.source.path.clone(),
            text: at.source.text.clone(),
            line: at.line,
            column: at.column,
            what: question.asked(),
            limit: self.limit,
        };
        let mut answer = self.servers.ask(&asked).await?;
        // A server reads the whole repository; the scope is ours.
        let all = answer.places.len();
        answer.places.retain(|place| self.codebase.scope.holds(&place.path));
        let outside = all - answer.places.len();
        if outside > 0 {
            let left_out = format!("{outside} places outside the scope are left out");
            answer.partial =
                Some(answer.partial.map_or(left_out.clone(), |why| format!("{why}; {left_out}")));
        }
        Ok(answer)
    }

    fn position(&self, args: &AtArgs) -> Result<At> {
        if let Some(written) = args.symbol.as_deref().filter(|symbol| !symbol.trim().is_empty()) {
            let symbol = self.level(|| {
                let symbol = self.codebase.symbol_named(written)?;
                Ok((symbol.clone(), vec![symbol.path]))
            })?;
            let source = self.codebase.read(&symbol.path)?;
            let (line, column) = self.name_of(&source, &symbol);
            return Ok(At { source, line, column, symbol: Some(symbol) });
        }
        let (Some(path), Some(line)) = (args.file_path.as_deref(), args.line) else {
            return Err(Error::invalid("neither a place nor a symbol is given")
                .hint("give `file_path`, `line` and `column`, or `symbol`"));
        };
        let path = self.codebase.path(path)?;
        self.level(|| Ok(((), vec![path.clone()])))?;
        let source = self.codebase.read(&path)?;
        let (_, text) = source.lines(&self.codebase.corpus, line, line)?;
        let first = text.chars().take_while(|letter| letter.is_whitespace()).count() + 1;
        let column = args.column.filter(|column| *column > 0).unwrap_or(first);
        Ok(At { source, line, column, symbol: None })
    }

    /// Where a definition's own name stands: its line and column, from 1.
    fn name_of(&self, source: &SourceText, symbol: &Symbol) -> (usize, usize) {
        let stored = self.codebase.structure(&symbol.path).ok().flatten();
        let stored = stored.filter(|stored| stored.hash == source.hash).zip(symbol.at);
        let byte =
            stored.and_then(|(stored, at)| Some(stored.structure.definitions.get(at)?.name_span.start));
        let lines = Lines::of(&source.text);
        let Some(byte) = byte.filter(|byte| source.text.is_char_boundary(*byte)) else {
            return (symbol.lines.0, 1);
        };
        let line = lines.line_of(byte);
        let start = lines.span(line, line).map_or(byte, |span| span.start);
        (line, source.text[start..byte].chars().count() + 1)
    }

    /// Places, what a reader would be shown, and why there may be more.
    fn by_syntax(&self, question: Question, at: &At) -> Result<(Vec<Spot>, Option<String>, Option<String>)> {
        let graph = Graph::within(self.codebase, self.until())?;
        let mut certainty = Certainty::Certain;
        let (meant, may_be) = match &at.symbol {
            Some(symbol) => (vec![symbol.clone()], Vec::new()),
            None => {
                let found = graph.at(&at.source.path, at.line, at.column)?;
                let found = found.map(|found| (found.symbols, found.certainty));
                match found {
                    Some((symbols, Certainty::Unknown)) => (Vec::new(), symbols),
                    Some((symbols, sure)) => {
                        certainty = sure;
                        (symbols, Vec::new())
                    }
                    None => (Vec::new(), Vec::new()),
                }
            }
        };
        let unknown = (!may_be.is_empty()).then(|| {
            let ids: Vec<String> = may_be.iter().map(|symbol| symbol.id.to_string()).collect();
            format!("the syntax does not settle which is meant; it may be {}", ids.join(", "))
        });
        if meant.is_empty() && may_be.is_empty() {
            return Err(Error::not_found("nothing that the repository defines is named there")
                .hint("point at a name; lines and columns count from 1"));
        }
        let whole = |symbol: &Symbol| Spot {
            path: symbol.path.clone(),
            lines: symbol.lines,
            certainty: Some(if may_be.is_empty() { certainty.name() } else { "unknown" }),
        };
        let all: Vec<&Symbol> = meant.iter().chain(&may_be).collect();
        match question {
            Question::Definition => Ok((all.into_iter().map(whole).collect(), None, unknown)),
            Question::Hover => {
                let shown = all.first().map(|symbol| self.signature(symbol)).transpose()?;
                Ok((all.into_iter().take(1).map(whole).collect(), shown, unknown))
            }
            Question::References => {
                let Some(symbol) = meant.first() else { return Ok((Vec::new(), None, unknown)) };
                let until = self.until();
                let found = self.level(|| {
                    let found = Graph::within(self.codebase, until)?.references(symbol)?;
                    let files = found.places.iter().map(|place| VaultPath::from_index(place.path.clone()));
                    let files = files.collect();
                    Ok((found, files))
                })?;
                let spots = found.places.iter().map(|place| Spot {
                    path: VaultPath::from_index(place.path.clone()),
                    lines: (place.line, place.line),
                    certainty: Some(place.certainty.name()),
                });
                let open = found.unknown.len();
                let partial =
                    (open > 0).then(|| format!("{open} more uses of that name may be of something else"));
                Ok((spots.collect(), None, partial.or(unknown)))
            }
        }
    }

    fn signature(&self, symbol: &Symbol) -> Result<String> {
        let source = self.codebase.read(&symbol.path)?;
        let row = super::outline::row(self.codebase, &source, symbol);
        Ok(match row.doc {
            Some(doc) => format!("{}\n\n{doc}", row.signature),
            None => row.signature,
        })
    }

    fn seen(
        &self,
        by: &str,
        mut spots: Vec<Spot>,
        hover: Option<String>,
        partial: Option<String>,
        notice: Option<String>,
    ) -> Result<Seen> {
        spots.sort();
        spots.dedup();
        let count = spots.len();
        let provenance = if by == BY_SERVER { Provenance::Lsp } else { Provenance::Syntax };
        let (mut rows, mut evidence): (Vec<Row>, Vec<(String, Found)>) = (Vec::new(), Vec::new());
        for spot in spots.into_iter().take(MOST_PLACES) {
            let source = self.codebase.read(&spot.path)?;
            let (first, last) = (spot.lines.0, spot.lines.1.min(spot.lines.0 + super::LINES_OF_ONE - 1));
            let shown =
                source.lines(&self.codebase.corpus, first, last).ok().filter(|_| rows.len() < SHOWN_PLACES);
            if let Some((place, text)) = &shown {
                let found = self.evidence(place, text, &format!("the {by} names this place"), provenance);
                evidence.push((format!("/places/{}", rows.len()), found));
            }
            rows.push(Row {
                path: spot.path.to_string(),
                start_line: first,
                end_line: shown.as_ref().map_or(last, |(place, _)| place.lines.1),
                certainty: spot.certainty,
                text: shown.map(|(_, text)| text),
            });
        }
        let mut found = json!({ "by": by, "places": fields(&rows)? });
        let cut =
            (count > MOST_PLACES).then(|| format!("{count} places; the first {MOST_PLACES} are listed"));
        for (name, value) in [("hover", hover), ("partial", partial.or(cut)), ("notice", notice)] {
            if let Some(value) = value {
                found[name] = Value::String(value);
            }
        }
        Ok(Seen { fields: found, evidence, summary: format!("{count} places from the {by}") })
    }
}

fn spots_of(answer: &ServerAnswer) -> Vec<Spot> {
    let spot = |place: &crate::ports::ServerPlace| Spot {
        path: place.path.clone(),
        lines: place.whole.unwrap_or(place.lines),
        certainty: None,
    };
    answer.places.iter().map(spot).collect()
}
