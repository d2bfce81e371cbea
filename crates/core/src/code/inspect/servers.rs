//! Definition, references and hover of the name at a position: from a language server if one is switched on, otherwise
//! from the syntax index. The answer says which.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wellread_text::{Language, LineIndex};

use super::{Inspection, Inspector};
use crate::code::codebase::{CodeSymbol, SourceText};
use crate::code::graph::{Certainty, Graph};
use crate::domain::corpus::VaultPath;
use crate::domain::evidence::{NewEvidence, Provenance};
use crate::ports::{ServerAnswer, ServerQuestion, ServerQuestionKind};
use crate::{Error, Result};

const MOST_PLACES: usize = 100;
/// The most places of which the lines are included.
const SHOWN_PLACES: usize = 30;
const BY_SERVER: &str = "language server";
const BY_SYNTAX: &str = "syntax index";

/// A position in a file, or a symbol.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PositionArgs {
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

/// What to find out about a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PositionQuestion {
    /// Where the name is defined.
    Definition,
    /// Where the name is used.
    References,
    /// The name's type and documentation.
    Hover,
}

impl PositionQuestion {
    fn to_server_query(self) -> ServerQuestionKind {
        match self {
            Self::Definition => ServerQuestionKind::Definition,
            Self::References => ServerQuestionKind::References,
            Self::Hover => ServerQuestionKind::Hover,
        }
    }
}

/// The position of the name.
struct NamePosition {
    source: SourceText,
    line: usize,
    column: usize,
    /// The symbol, if the name was given instead of a position.
    symbol: Option<CodeSymbol>,
}

/// A place that was found, before its lines are read.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct LocatedPlace {
    path: VaultPath,
    lines: (usize, usize),
    certainty: Option<&'static str>,
}

/// The answer about a name.
#[derive(Debug, Serialize)]
pub struct PositionAnswer {
    /// What answered: `language server` or `syntax index`.
    pub by: String,
    /// The places found.
    pub places: Vec<PlaceRow>,
    /// The hover text, from the server or the syntax.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hover: Option<String>,
    /// Why the answer may be incomplete.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partial: Option<String>,
    /// A notice for the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
}

/// A place of a name; only the first ones have their text.
#[derive(Debug, Serialize)]
pub struct PlaceRow {
    /// The file's path.
    pub path: String,
    /// The first line, from 1.
    pub start_line: usize,
    /// The last line, from 1, included.
    pub end_line: usize,
    /// How certain the place is; absent if a language server named it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certainty: Option<&'static str>,
    /// The text of the lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

impl Inspector<'_> {
    /// Answers a question about a name: from a language server if one is on, otherwise from the syntax.
    pub async fn query_position(
        &self,
        question: PositionQuestion,
        args: &PositionArgs,
    ) -> Result<Inspection<PositionAnswer>> {
        let at = self.resolve_position(args)?;
        let (mut notice, mut hover, mut partial) = (None, None, None);
        let language = Language::detect(at.source.path.as_str(), &at.source.text).map(Language::name);
        let mut by = BY_SYNTAX;
        let mut spots = Vec::new();
        // A server's hover text may come from outside the scope; that of the syntax does not.
        let is_within = question != PositionQuestion::Hover || self.codebase.scope.is_all();
        if let Some(language) = language.filter(|language| is_within && self.servers.serves(language)) {
            match self.ask_server(question, language, &at).await {
                Ok(answer) => {
                    by = BY_SERVER;
                    partial = answer.partial.clone();
                    hover = answer.hover.as_ref().map(|hover| hover.expose().to_owned());
                    spots = places_from_answer(&answer);
                }
                Err(error) => notice = Some(format!("{}; answered from the syntax", error.message())),
            }
        }
        if by == BY_SYNTAX {
            let (found, shown, unknown) = self.answer_from_syntax(question, &at)?;
            (spots, hover) = (found, shown);
            partial = unknown;
        }
        self.build_inspection(by, spots, hover, partial, notice)
    }

    async fn ask_server(
        &self,
        question: PositionQuestion,
        language: &str,
        at: &NamePosition,
    ) -> Result<ServerAnswer> {
        let request = ServerQuestion {
            repository: self.codebase.name().to_owned(),
            language: language.to_owned(),
            path: at.source.path.clone(),
            text: at.source.text.clone(),
            line: at.line,
            column: at.column,
            what: question.to_server_query(),
            limit: self.limit,
        };
        let mut answer = self.servers.ask(&request).await?;
        // A server reads the whole repository, so the scope is applied here.
        let all = answer.places.len();
        answer.places.retain(|place| self.codebase.scope.contains(&place.path));
        let outside = all - answer.places.len();
        if outside > 0 {
            let left_out = format!("{outside} places outside the scope were left out");
            answer.partial =
                Some(answer.partial.map_or(left_out.clone(), |why| format!("{why}; {left_out}")));
        }
        Ok(answer)
    }

    fn resolve_position(&self, args: &PositionArgs) -> Result<NamePosition> {
        if let Some(written) = args.symbol.as_deref().filter(|symbol| !symbol.trim().is_empty()) {
            let symbol = self.with_fresh_index(|| {
                let symbol = self.codebase.resolve_symbol(written)?;
                Ok((symbol.clone(), vec![symbol.path]))
            })?;
            let source = self.codebase.read(&symbol.path)?;
            let (line, column) = self.name_position(&source, &symbol);
            return Ok(NamePosition { source, line, column, symbol: Some(symbol) });
        }
        let (Some(path), Some(line)) = (args.file_path.as_deref(), args.line) else {
            return Err(Error::invalid("neither a place nor a symbol is given")
                .hint("give `file_path`, `line` and `column`, or `symbol`"));
        };
        let path = self.codebase.parse_path(path)?;
        self.with_fresh_index(|| Ok(((), vec![path.clone()])))?;
        let source = self.codebase.read(&path)?;
        let (_, text) = source.lines(&self.codebase.corpus, line, line)?;
        let first = text.chars().take_while(|letter| letter.is_whitespace()).count() + 1;
        let column = args.column.filter(|column| *column > 0).unwrap_or(first);
        Ok(NamePosition { source, line, column, symbol: None })
    }

    /// The position of a definition's name: line and column, from 1.
    fn name_position(&self, source: &SourceText, symbol: &CodeSymbol) -> (usize, usize) {
        let stored = self.codebase.structure(&symbol.path).ok().flatten();
        let stored = stored.filter(|stored| stored.hash == source.hash).zip(symbol.at);
        let byte =
            stored.and_then(|(stored, at)| Some(stored.structure.definitions.get(at)?.name_span.start));
        let lines = LineIndex::new(&source.text);
        let Some(byte) = byte.filter(|byte| source.text.is_char_boundary(*byte)) else {
            return (symbol.lines.0, 1);
        };
        let line = lines.line_of(byte);
        let start = lines.span(line, line).map_or(byte, |span| span.start);
        (line, source.text[start..byte].chars().count() + 1)
    }

    /// The places, the hover text, and why the answer may be incomplete.
    fn answer_from_syntax(
        &self,
        question: PositionQuestion,
        at: &NamePosition,
    ) -> Result<(Vec<LocatedPlace>, Option<String>, Option<String>)> {
        let (meant, may_be, certainty) = self.resolve_symbols(at)?;
        let unknown = (!may_be.is_empty()).then(|| {
            let ids: Vec<String> = may_be.iter().map(|symbol| symbol.id.to_string()).collect();
            format!("the syntax does not determine which is meant; it may be {}", ids.join(", "))
        });
        if meant.is_empty() && may_be.is_empty() {
            return Err(Error::not_found("the text names nothing that the repository defines")
                .hint("point at a name; lines and columns count from 1"));
        }
        let whole = |symbol: &CodeSymbol| LocatedPlace {
            path: symbol.path.clone(),
            lines: symbol.lines,
            certainty: Some(if may_be.is_empty() { certainty.name() } else { "unknown" }),
        };
        let all: Vec<&CodeSymbol> = meant.iter().chain(&may_be).collect();
        match question {
            PositionQuestion::Definition => Ok((all.into_iter().map(whole).collect(), None, unknown)),
            PositionQuestion::Hover => {
                let shown = all.first().map(|symbol| self.signature(symbol)).transpose()?;
                Ok((all.into_iter().take(1).map(whole).collect(), shown, unknown))
            }
            PositionQuestion::References => {
                let Some(symbol) = meant.first() else { return Ok((Vec::new(), None, unknown)) };
                let (places, partial) = self.references_from_syntax(symbol)?;
                Ok((places, None, partial.or(unknown)))
            }
        }
    }

    /// The symbols that are meant, otherwise those that may be meant, and the certainty of the former.
    fn resolve_symbols(&self, at: &NamePosition) -> Result<(Vec<CodeSymbol>, Vec<CodeSymbol>, Certainty)> {
        if let Some(symbol) = &at.symbol {
            return Ok((vec![symbol.clone()], Vec::new(), Certainty::Certain));
        }
        let graph = Graph::with_deadline(self.codebase, self.deadline())?;
        let found = graph.resolve_position(&at.source.path, at.line, at.column)?;
        Ok(match found.map(|found| (found.symbols, found.certainty)) {
            Some((symbols, Certainty::Unknown)) => (Vec::new(), symbols, Certainty::Certain),
            Some((symbols, certainty)) => (symbols, Vec::new(), certainty),
            None => (Vec::new(), Vec::new(), Certainty::Certain),
        })
    }

    /// The uses of a symbol, and why there may be more.
    fn references_from_syntax(&self, symbol: &CodeSymbol) -> Result<(Vec<LocatedPlace>, Option<String>)> {
        let until = self.deadline();
        let found = self.with_fresh_index(|| {
            let found = Graph::with_deadline(self.codebase, until)?.references(symbol)?;
            let files = found.places.iter().map(|place| VaultPath::from_index(place.path.clone()));
            let files = files.collect();
            Ok((found, files))
        })?;
        let places = found.places.iter().map(|place| LocatedPlace {
            path: VaultPath::from_index(place.path.clone()),
            lines: (place.line, place.line),
            certainty: Some(place.certainty.name()),
        });
        let open = found.unknown.len();
        let partial =
            (open > 0).then(|| format!("{open} more uses of that name may refer to something else"));
        Ok((places.collect(), partial))
    }

    fn signature(&self, symbol: &CodeSymbol) -> Result<String> {
        let source = self.codebase.read(&symbol.path)?;
        let row = super::outline::symbol_entry(self.codebase, &source, symbol);
        Ok(match row.doc {
            Some(doc) => format!("{}\n\n{doc}", row.signature),
            None => row.signature,
        })
    }

    fn build_inspection(
        &self,
        by: &str,
        mut spots: Vec<LocatedPlace>,
        hover: Option<String>,
        partial: Option<String>,
        notice: Option<String>,
    ) -> Result<Inspection<PositionAnswer>> {
        spots.sort();
        spots.dedup();
        let count = spots.len();
        let provenance = if by == BY_SERVER { Provenance::Lsp } else { Provenance::Syntax };
        let (mut rows, mut evidence): (Vec<PlaceRow>, Vec<(String, NewEvidence)>) = (Vec::new(), Vec::new());
        for spot in spots.into_iter().take(MOST_PLACES) {
            let source = self.codebase.read(&spot.path)?;
            let (first, last) = (spot.lines.0, spot.lines.1.min(spot.lines.0 + super::LINES_OF_ONE - 1));
            let shown =
                source.lines(&self.codebase.corpus, first, last).ok().filter(|_| rows.len() < SHOWN_PLACES);
            if let Some((place, text)) = &shown {
                let found = self.evidence(place, text, &format!("the {by} names this place"), provenance);
                evidence.push((format!("/places/{}", rows.len()), found));
            }
            rows.push(PlaceRow {
                path: spot.path.to_string(),
                start_line: first,
                end_line: shown.as_ref().map_or(last, |(place, _)| place.lines.1),
                certainty: spot.certainty,
                text: shown.map(|(_, text)| text),
            });
        }
        let cut =
            (count > MOST_PLACES).then(|| format!("{count} places; the first {MOST_PLACES} are listed"));
        let found =
            PositionAnswer { by: by.to_owned(), places: rows, hover, partial: partial.or(cut), notice };
        Ok(Inspection { found, evidence, summary: format!("{count} places from the {by}") })
    }
}

fn places_from_answer(answer: &ServerAnswer) -> Vec<LocatedPlace> {
    let spot = |place: &crate::ports::ServerPlace| LocatedPlace {
        path: place.path.clone(),
        lines: place.whole.unwrap_or(place.lines),
        certainty: None,
    };
    answer.places.iter().map(spot).collect()
}
