//! Files in memory with a ledger of evidence on them.

use std::sync::Arc;

use wellread_core::Result;
use wellread_core::domain::corpus::{CorpusName, Hash, VaultPath};
use wellread_core::domain::evidence::{FilePlace, Ledger, NewEvidence, PagePlace, Provenance, Source};
use wellread_core::domain::id::{EvidenceId, RunId};
use wellread_core::domain::untrusted::Untrusted;
use wellread_core::domain::verdict::GateReport;
use wellread_core::ports::{Corpus, Snapshots, Verifier};
use wellread_core::trust::gate::{EvidenceReader, judge};
use wellread_testkit::{MemoryFiles, path_rules};

/// The texts of pages, in memory.
#[derive(Default)]
pub struct Kept(pub Vec<String>);

impl Snapshots for Kept {
    fn keep(&self, _: &str) -> Result<Hash> {
        unreachable!("the gate keeps nothing")
    }

    fn load(&self, hash: Hash) -> Result<Option<String>> {
        Ok(self.0.iter().find(|text| Hash::compute(text.as_bytes()) == hash).cloned())
    }
}

/// Files with a ledger of evidence on them.
pub struct Library {
    pub files: Arc<MemoryFiles>,
    corpora: Vec<(CorpusName, Arc<dyn Corpus>)>,
    pub kept: Kept,
    pub ledger: Ledger,
}

impl Library {
    pub fn new() -> Self {
        let now = "2026-03-01T09:30:00Z".parse().unwrap();
        let files = Arc::new(MemoryFiles::new(now, []));
        let corpora: Vec<(CorpusName, Arc<dyn Corpus>)> =
            vec![(CorpusName::Vault, files.clone()), (CorpusName::Repository("wax".into()), files.clone())];
        Self { files, corpora, kept: Kept::default(), ledger: Ledger::new(RunId::fresh()) }
    }

    pub fn path(path: &str) -> VaultPath {
        path_rules().parse_file(path).unwrap()
    }

    /// Puts a file there, and the whole of these lines of it into the ledger.
    pub fn add(&mut self, path: &str, text: &str, lines: (usize, usize), is_shown: bool) -> EvidenceId {
        self.files.save(&Self::path(path), text.as_bytes());
        let span = wellread_text::LineIndex::new(text).span(lines.0, lines.1).unwrap();
        let place = FilePlace {
            path: Self::path(path),
            start_line: lines.0,
            end_line: lines.1,
            span: span.clone(),
            hash: Hash::compute(text.as_bytes()),
        };
        let source = if [".rs", ".py", ".ts", ".go"].iter().any(|ending| path.ends_with(ending)) {
            Source::Code { repository: "wax".into(), place, commit: None }
        } else {
            Source::Note(place)
        };
        self.enter(source, &text[span], is_shown)
    }

    pub fn add_page(&mut self, url: &str, title: &str, text: &str) -> EvidenceId {
        self.kept.0.push(text.to_owned());
        let place = PagePlace {
            url: url.into(),
            title: Some(title.into()),
            snapshot: Hash::compute(text.as_bytes()),
            span: 0..text.len(),
        };
        self.enter(Source::Page(place), text, true)
    }

    fn enter(&mut self, source: Source, text: &str, is_shown: bool) -> EvidenceId {
        let text = Untrusted::from_note(text);
        let found = NewEvidence {
            source,
            text,
            reason: String::new(),
            provenance: Provenance::Manual,
            score: None,
            symbol: None,
        };
        let (id, _) = self.ledger.add(found);
        if is_shown {
            self.ledger.mark_shown(&id);
        }
        id
    }

    pub fn judge(&self, answer: &str) -> GateReport {
        judge(answer, &self.ledger, &self.places())
    }

    /// The same with a verifier beside the rules.
    pub fn judge_with(&self, answer: &str, verifier: Option<&dyn Verifier>) -> GateReport {
        judge(answer, &self.ledger, &EvidenceReader { verifier, ..self.places() })
    }

    pub fn places(&self) -> EvidenceReader<'_> {
        EvidenceReader { corpora: &self.corpora, snapshots: &self.kept, verifier: None }
    }
}
