//! What a second opinion is asked for: the supported sentences of some reports, each with the evidence that it cites.

use std::collections::BTreeSet;

use wellread_text::{Splice, apply_splices, find_citations, to_comparable};

use crate::Result;
use crate::domain::evidence::Ledger;
use crate::domain::id::EvidenceId;
use crate::domain::untrusted::Untrusted;
use crate::domain::verdict::{CitedQuote, GateReport, Verdict};
use crate::trust::prompt::{Prompt, PromptDocument, SECOND_OPINION};

/// The most sentences of one question.
const MOST_SENTENCES: usize = 80;
/// The most bytes of evidence of one question. Evidence is shown as a whole or not at all: a part of it may lack just what
/// a sentence says.
const MOST_EVIDENCE: usize = 200_000;
/// The longest statement, in characters.
const LONGEST_STATEMENT: usize = 2_000;

/// The sentences that are asked about.
pub(super) struct Questions {
    pub asked: Vec<Question>,
    /// The evidence of all of them, each piece once.
    evidence: Vec<EvidenceId>,
    /// How many sentences there is no room for.
    pub left_out: usize,
}

/// A sentence that is asked about.
pub(super) struct Question {
    /// The number of its report, from 0.
    pub report: usize,
    /// Its number in the report, from 0.
    pub sentence: usize,
    /// The sentence on one line, without its citations. Its writer may have read anything.
    statement: Untrusted,
    comparable: String,
    /// The evidence that it cites.
    pub evidence: Vec<EvidenceId>,
}

impl Questions {
    /// The supported sentences of these reports.
    pub fn collect(reports: &[&mut GateReport], ledger: &Ledger) -> Self {
        let mut questions = Self { asked: Vec::new(), evidence: Vec::new(), left_out: 0 };
        let mut bytes = 0;
        for (report, judged) in reports.iter().enumerate() {
            let supported = judged.sentences.iter().enumerate();
            for (sentence, judged) in supported.filter(|(_, judged)| judged.verdict == Verdict::Supported) {
                let evidence = cited_ids(&judged.evidence);
                let new: Vec<&EvidenceId> =
                    evidence.iter().filter(|id| !questions.evidence.contains(id)).collect();
                let size = |id: &&EvidenceId| ledger.entry(id).map_or(0, |entry| entry.text.size());
                let more: usize = new.iter().map(size).sum();
                let is_known = evidence.iter().all(|id| ledger.entry(id).is_some());
                let fits = bytes + more <= MOST_EVIDENCE && questions.asked.len() < MOST_SENTENCES;
                if evidence.is_empty() || !is_known || !fits {
                    questions.left_out += 1;
                    continue;
                }
                bytes += more;
                let new: Vec<EvidenceId> = new.into_iter().cloned().collect();
                questions.evidence.extend(new);
                questions.asked.push(Question::new(report, sentence, &judged.text, evidence));
            }
        }
        questions
    }

    pub fn is_empty(&self) -> bool {
        self.asked.is_empty() && self.left_out == 0
    }

    /// The question for a model. Evidence and statements are behind barriers; which belong together is in our own words,
    /// by number.
    pub fn build_prompt(&self, ledger: &Ledger) -> Result<Prompt> {
        let number =
            |id: &EvidenceId| self.evidence.iter().position(|known| known == id).map_or(0, |at| at + 1);
        let pair = |(at, question): (usize, &Question)| {
            let cited: Vec<String> = question.evidence.iter().map(|id| format!("E{}", number(id))).collect();
            format!("- statement {}: evidence {}", at + 1, cited.join(", "))
        };
        let pairs: Vec<String> = self.asked.iter().enumerate().map(pair).collect();
        let mut prompt = Prompt::new(&SECOND_OPINION.fill(&[("pairs", &pairs.join("\n"))])?);
        for (at, id) in self.evidence.iter().enumerate() {
            let Some(entry) = ledger.entry(id) else { continue };
            let title = entry.source.page().and_then(|page| page.title.clone());
            let title = title.map(|title| format!(", {title}")).unwrap_or_default();
            let name = format!("evidence E{}: {}{title}", at + 1, entry.source.location());
            prompt = prompt.document(PromptDocument {
                who: "the author of a source",
                name: &name,
                text: &entry.text,
                cap: usize::MAX,
                id: None,
            });
        }
        let Some(statements) = self.numbered_statements() else { return Ok(prompt) };
        Ok(prompt.document(PromptDocument {
            who: "a model that read the evidence",
            name: "the statements",
            text: &statements,
            cap: usize::MAX,
            id: None,
        }))
    }

    /// The statements, one a line with their numbers. No statement can begin a line of its own.
    fn numbered_statements(&self) -> Option<Untrusted> {
        let numbered = self.asked.iter().zip(1..).map(|(question, number)| {
            Untrusted::from_outside(format!("{number}. ")).join("", &question.statement)
        });
        numbered.reduce(|all, next| all.join("\n", &next))
    }
}

impl Question {
    fn new(report: usize, sentence: usize, text: &str, evidence: Vec<EvidenceId>) -> Self {
        let cuts = find_citations(text).into_iter();
        let cuts: Vec<Splice> = cuts.map(|group| Splice { span: group.span, text: String::new() }).collect();
        let bare = apply_splices(text, &cuts).unwrap_or_else(|_| text.to_owned());
        let line = bare.split_whitespace().collect::<Vec<_>>().join(" ");
        let line: String = line.chars().take(LONGEST_STATEMENT).collect();
        let comparable = to_comparable(&line);
        Self { report, sentence, statement: Untrusted::from_outside(line), comparable, evidence }
    }

    /// Whether the sentence has these words itself, in any case; `words` are in comparable form.
    pub fn has_words(&self, words: &str) -> bool {
        self.comparable.to_lowercase().contains(&words.to_lowercase())
    }
}

/// The evidence that quotes come from, each once. A report on text without citations names evidence by its path.
fn cited_ids(quotes: &[CitedQuote]) -> Vec<EvidenceId> {
    let mut seen = BTreeSet::new();
    let id = |quote: &CitedQuote| quote.id.clone().or_else(|| EvidenceId::parse(&quote.path).ok());
    quotes.iter().filter_map(id).filter(|id| seen.insert(id.clone())).collect()
}
