//! Checks a text against whatever it cites: evidence of runs, lines of files, whole documents, and sources that are given
//! with it.

use std::collections::{HashMap, HashSet};

use wellread_text::{Claims, Language, Sentence, content_words, extract_claims, split_sentences};

use super::cited_text::{CitedText, Surroundings};
use super::given_sources::{self, GivenSource};
use super::judge::{is_connective, judge_by_texts, load_cited_text};
use super::places::EvidenceReader;
use super::sentence_check::SentenceChecker;
use crate::domain::evidence::Ledger;
use crate::domain::verdict::{GateReport, JudgedSentence, Verdict, VerdictReason};
use crate::ports::Verifier;

/// What the ids in a text stand for.
pub struct CitedSources<'a> {
    known: HashMap<String, Result<KnownText<'a>, VerdictReason>>,
    verifier: Option<&'a dyn Verifier>,
}

/// A text that an id stands for.
enum KnownText<'a> {
    /// The sentence must be borne out by exactly this.
    Exact(Box<CitedText>),
    /// The sentence must be borne out by a few lines of this.
    Document(Box<GivenSource<'a>>),
}

impl<'a> CitedSources<'a> {
    /// Nothing yet. A verifier reads each sentence beside what it cites; without one the rules alone decide.
    pub fn new(verifier: Option<&'a dyn Verifier>) -> Self {
        Self { known: HashMap::new(), verifier }
    }

    /// Adds every id in the text that is not known yet, as the ledger has it: its evidence, or why it can't be cited.
    pub fn add_evidence(&mut self, text: &str, ledger: &Ledger, places: &EvidenceReader<'_>) {
        let ids = split_sentences(text).into_iter().flat_map(|sentence| sentence.citations);
        for id in ids.map(|citation| citation.id) {
            let load = || load_cited_text(&id, ledger, places).map(|text| KnownText::Exact(Box::new(text)));
            self.known.entry(id.clone()).or_insert_with(load);
        }
    }

    /// Adds a range of lines, from 1, of a document (its name and its text). A sentence that cites lines which the document
    /// does not have is unknown.
    pub fn add_lines(&mut self, id: String, document: &(String, String), lines: (usize, usize)) {
        let (name, text) = document;
        let all: Vec<&str> = text.split('\n').collect();
        let count = all.len() - usize::from(text.ends_with('\n'));
        let (first, last) = lines;
        let known = if first == 0 || last < first || last > count {
            let because = format!("the file has {count} lines");
            Err(VerdictReason::PlaceUnreachable { id: format!("{name}:{first}-{last}"), because })
        } else {
            Ok(KnownText::Exact(Box::new(cited_lines(name, text, &all[first - 1..last].join("\n"), lines))))
        };
        self.known.insert(id, known);
    }

    /// Adds a whole document: its name and its text.
    pub fn add_document(&mut self, id: String, document: &'a (String, String)) {
        self.known.insert(id, Ok(KnownText::Document(Box::new(GivenSource::new(document)))));
    }

    /// Adds an id whose source can't be read.
    pub fn add_missing(&mut self, id: String, why: VerdictReason) {
        self.known.insert(id, Err(why));
    }
}

fn cited_lines(name: &str, whole: &str, text: &str, lines: (usize, usize)) -> CitedText {
    let language = Language::from_path(name);
    let around = Surroundings::find(whole, language, lines);
    let cited = CitedText::new(text.to_owned(), name, language.is_none(), around);
    CitedText { path: name.to_owned(), start_line: lines.0, ..cited }
}

/// Judges each sentence by what it cites; one that cites nothing known is searched for in the given sources (each a name
/// and a text), and is uncited without any.
pub fn judge_cited(text: &str, cited: &CitedSources<'_>, given: &[(String, String)]) -> GateReport {
    let given: Vec<GivenSource<'_>> = given.iter().map(GivenSource::new).collect();
    let given: Vec<&GivenSource<'_>> = given.iter().collect();
    let all = split_sentences(text);
    let claimed: Vec<Claims> = all.iter().map(extract_claims).collect();
    let mut checker = SentenceChecker::new(
        claimed.iter().flat_map(|claims| &claims.names).cloned().collect::<HashSet<_>>(),
        cited.verifier,
    );
    let judged = all.iter().zip(&claimed).map(|(sentence, claims)| {
        let is_cited = sentence.citations.iter().any(|citation| {
            cited.known.get(&citation.id).is_some_and(|known| known.is_ok() || given.is_empty())
        });
        if is_cited || given.is_empty() {
            judge_citing(sentence, claims, cited, &mut checker)
        } else {
            judge_searched(sentence, claims, &given, &mut checker)
        }
    });
    GateReport::new(judged.collect())
}

/// A sentence that cites: by the exact places together, and by the best window of each document beside them.
fn judge_citing(
    sentence: &Sentence,
    claims: &Claims,
    cited: &CitedSources<'_>,
    checker: &mut SentenceChecker<'_>,
) -> JudgedSentence {
    let (mut why, mut exact, mut documents, mut seen) = (Vec::new(), Vec::new(), Vec::new(), HashSet::new());
    for citation in sentence.citations.iter().filter(|citation| seen.insert(citation.id.as_str())) {
        match cited.known.get(&citation.id) {
            Some(Ok(KnownText::Exact(text))) => exact.push(text.as_ref()),
            Some(Ok(KnownText::Document(document))) => documents.push(document.as_ref()),
            Some(Err(trouble)) => why.push(trouble.clone()),
            None => why.push(VerdictReason::UnknownId { id: citation.id.clone() }),
        }
    }
    if exact.is_empty() && why.is_empty() && !documents.is_empty() {
        return given_sources::judge_sentence(sentence, claims, &documents, checker);
    }
    let words = content_words(sentence);
    let windows: Vec<CitedText> =
        documents.iter().filter_map(|document| document.best_window(claims, &words)).collect();
    exact.extend(&windows);
    judge_by_texts(sentence, claims, &exact, why, checker)
}

/// A sentence that cites nothing, searched for in the sources. A mere transition need not be there.
fn judge_searched(
    sentence: &Sentence,
    claims: &Claims,
    given: &[&GivenSource<'_>],
    checker: &mut SentenceChecker<'_>,
) -> JudgedSentence {
    let judged = given_sources::judge_sentence(sentence, claims, given, checker);
    if judged.verdict == Verdict::Unknown && is_connective(sentence, claims) {
        let (why, evidence) = (Vec::new(), Vec::new());
        return JudgedSentence { verdict: Verdict::Uncited, connective: true, why, evidence, ..judged };
    }
    judged
}
