//! Findings that become notes: what that costs in a large vault, and what becomes of notes that were moved since.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use wellread_core::agendas::inbox::{FindingEdits, Inbox, ReopenedFinding};
use wellread_core::domain::corpus::{ChangeSet, CorpusName, Operation, VaultPath};
use wellread_core::domain::id::{FindingId, OperationId};
use wellread_core::domain::untrusted::Origin;
use wellread_core::library::indexing::{
    IndexSync, IndexSyncState, IndexedLinks, Library, ReindexingFiles, ScannedLinks,
};
use wellread_core::library::vault::Vault;
use wellread_core::ports::agenda::{Finding, FindingStatus, IdempotentRequest, PendingAcceptance};
use wellread_core::ports::{
    AgendaActor, AgendaChange, Agendas as _, Corpus, FileContent, FileEntry, FileIdentity, FileListing,
    Files, Findings as _, Index, IndexChange, IndexCoverage, IndexState, KnownFile, KnownFileFilter,
};
use wellread_core::research::Research;
use wellread_core::{ErrorKind, Result};
use wellread_testkit::agenda_fixtures::USER;
use wellread_testkit::{MemoryFiles, World, agenda_fixtures};

const PAGE: &str = "https://wax.example/1";
const PLACE: &str = "Inbox/Of wax, https wax.example 1.md";

/// A world with one finding in its inbox, which bears on `Bees.md` and on a note that is gone.
fn with_finding(world: &World) -> FindingId {
    let agenda = agenda_fixtures::agenda(1);
    world.agendas.propose(&agenda, None).unwrap();
    let mut new = agenda_fixtures::new_finding(&agenda.id, &agenda.tasks[0].id, PAGE);
    new.finding.related_notes = vec!["Bees.md".to_owned(), "Gone.md".to_owned()];
    new.finding.motivation = "`[[Hives/Bees]]` and [[Nobody]] say nothing of [[Mead]].".to_owned();
    let id = new.finding.id.clone();
    let add = |change: &mut AgendaChange| {
        change.findings = vec![new.clone()];
        Ok(())
    };
    world.agendas.change_agenda(&agenda.id, AgendaActor::User, &mut { add }).unwrap();
    id
}

/// What was asked of files and index.
#[derive(Debug, Default)]
struct Asked {
    lists: AtomicUsize,
    finds: AtomicUsize,
    reads: AtomicUsize,
    all_known: AtomicUsize,
}

impl Asked {
    fn counts(&self) -> [usize; 4] {
        [&self.lists, &self.finds, &self.reads, &self.all_known].map(|count| count.load(Ordering::Relaxed))
    }
}

fn count(counter: &AtomicUsize) {
    counter.fetch_add(1, Ordering::Relaxed);
}

struct Counted<T: ?Sized>(Arc<T>, Arc<Asked>);

impl Corpus for Counted<MemoryFiles> {
    fn list(&self) -> Result<FileListing> {
        count(&self.1.lists);
        self.0.list()
    }

    fn find(&self, path: &VaultPath) -> Result<Option<FileEntry>> {
        count(&self.1.finds);
        self.0.find(path)
    }

    fn read(&self, path: &VaultPath) -> Result<FileContent> {
        count(&self.1.reads);
        self.0.read(path)
    }

    fn identify(&self, path: &VaultPath) -> Result<FileIdentity> {
        self.0.identify(path)
    }
}

impl Files for Counted<MemoryFiles> {
    fn commit(&self, change: &ChangeSet) -> Result<OperationId> {
        self.0.commit(change)
    }

    fn operations(&self, at_most: usize) -> Result<Vec<Operation>> {
        self.0.operations(at_most)
    }
}

impl Index for Counted<dyn Index> {
    fn known_files(&self, corpus: &CorpusName, which: KnownFileFilter<'_>) -> Result<Vec<KnownFile>> {
        if matches!(which, KnownFileFilter::All) {
            count(&self.1.all_known);
        }
        self.0.known_files(corpus, which)
    }

    fn apply(&self, corpus: &CorpusName, changes: &[IndexChange]) -> Result<()> {
        self.0.apply(corpus, changes)
    }

    fn tidy(&self, corpora: &[CorpusName], rules: u64) -> Result<()> {
        self.0.tidy(corpora, rules)
    }

    fn read_state(&self) -> Result<IndexState> {
        self.0.read_state()
    }

    fn coverage(&self) -> Result<IndexCoverage> {
        self.0.coverage()
    }

    fn count_files(&self, most: usize) -> Result<Vec<(CorpusName, usize)>> {
        self.0.count_files(most)
    }
}

/// What one acceptance asks for in a vault with so many other notes, and the note that it makes. A server runs that hears
/// of every change and has answered before, or the index has still to be made.
fn cost(others: usize, followed: IndexSyncState) -> ([usize; 4], String) {
    let mut script = "-- Bees.md\n# Bees\n-- Mead.md\n# Mead\n-- Drinks/Mead.md\n# Mead\n".to_owned();
    for number in 0..others {
        script += &format!("-- Notes/Note {number}.md\nOf [[Bees]], number {number}.\n");
    }
    let world = World::new(&script);
    let long_ago = world.vault.clock.now().timestamp() - jiff::SignedDuration::from_hours(1);
    for path in world.files.tree().keys() {
        world.files.set_dates(path, long_ago, None);
    }
    world.search.library.update(false, &|_| {}).unwrap();
    let id = with_finding(&world);
    let asked = Arc::new(Asked::default());
    let files = Arc::new(Counted(world.files.clone(), asked.clone()));
    let library = Arc::new(Library {
        corpora: vec![(CorpusName::Vault, files.clone())],
        index: Arc::new(Counted(world.search.library.index.clone(), asked.clone())),
        ..(*world.search.library).clone()
    });
    let following = Arc::new(IndexSync::default());
    following.set_state(followed);
    following.set_catch_up(Some(Arc::new(|| true)));
    let files = Arc::new(ReindexingFiles::new(files, library.clone(), following.clone()));
    let scanned = ScannedLinks::new(files.clone());
    let links = Arc::new(IndexedLinks::new(library, scanned, following.clone()));
    let vault = Vault { links, files, ..(*world.vault).clone() };
    vault.links.sync().unwrap();
    following.note_changes(&[world.path("Bees.md")]);
    let before = asked.counts();
    let research = world.research();
    Inbox { research: &research, vault: &vault }.accept(USER, &id, &FindingEdits::default()).unwrap();
    let after = asked.counts();
    let counts = std::array::from_fn(|which| after[which] - before[which]);
    (counts, world.read_text(PLACE).replace(id.as_str(), "ID"))
}

#[test]
fn what_an_acceptance_asks_for_does_not_grow_with_the_vault() {
    let (small, note) = cost(3, IndexSyncState::UpToDate);
    let (large, same) = cost(400, IndexSyncState::UpToDate);
    assert_eq!(small, large, "lists, finds, reads and names of the whole vault");
    assert_eq!((large[0], large[3]), (0, 0), "{large:?}");
    assert_eq!(note, same);
    // And it knows what it has to: what is there, what is not, and what there is twice.
    assert!(note.contains("- [[Bees]]\n") && !note.contains("[[Gone]]"), "{note}");
    assert!(note.contains("nothing of [[Mead]]") && !note.contains("[[Nobody]]"), "{note}");
}

#[test]
fn without_an_index_the_names_are_listed_twice_and_the_note_is_the_same() {
    let (asked, note) = cost(50, IndexSyncState::Updating);
    // Once for what it bears on, and once for what it says.
    assert!(asked[0] == 2 && asked[2] < 10, "{asked:?}");
    assert_eq!(note, cost(50, IndexSyncState::UpToDate).1);
}

struct Bench {
    world: World,
    research: Research,
    id: FindingId,
}

impl Bench {
    fn new() -> Self {
        let world = World::new("-- Bees.md\n# Bees\n-- Hives/Old.md\nOld.\n");
        world.index();
        let id = with_finding(&world);
        let research = world.research();
        Self { world, research, id }
    }

    fn inbox(&self) -> Inbox<'_> {
        Inbox { research: &self.research, vault: &self.world.vault }
    }

    fn accept(&self) -> Finding {
        self.inbox().accept(USER, &self.id, &FindingEdits::default()).unwrap()
    }

    fn undo(&self) -> Result<ReopenedFinding> {
        self.inbox().undo(USER, &self.id)
    }

    fn finding(&self) -> Finding {
        self.world.agendas.finding(&self.id).unwrap().unwrap()
    }

    /// As a file manager does it, behind the vault's back.
    fn rename(&self, from: &str, to: &str) {
        let bytes = self.world.read_bytes(from).unwrap();
        self.world.files.remove(&self.world.path(from));
        self.world.files.save(&self.world.path(to), &bytes);
    }

    fn tree(&self) -> Vec<String> {
        self.world.files.tree().keys().map(VaultPath::to_string).collect()
    }
}

#[test]
fn what_a_finding_says_is_text_from_outside_in_any_note() {
    let bench = Bench::new();
    bench.accept();
    let text = bench.world.read_text(PLACE);
    let body = text.splitn(3, "---\n").nth(2).unwrap();
    bench.world.save("Pasted.md", body);
    let origin = |path: &str| bench.world.vault.origin_of(&bench.world.path(path));
    assert_eq!(origin(PLACE), Origin::Outside, "{text}");
    assert_eq!(origin("Pasted.md"), Origin::Outside, "{body}");
}

#[test]
fn a_note_that_was_moved_is_taken_back_where_it_stands() {
    let bench = Bench::new();
    let before = bench.world.files.tree();
    assert_eq!(bench.accept().note_path.as_deref(), Some(PLACE));
    bench.rename(PLACE, "Hives/Wax, renamed.md");
    // Another that has its name now is nobody's business.
    bench.world.save(PLACE, "My own note of that name.\n");
    let back = bench.undo().unwrap();
    assert_eq!((back.finding.status, back.finding.note_path), (FindingStatus::New, None));
    assert_eq!(
        back.message.as_deref(),
        Some("its note had been moved to `Hives/Wax, renamed.md`, and was removed there")
    );
    assert_eq!(bench.world.read_text(PLACE), "My own note of that name.\n");
    bench.world.files.remove(&bench.world.path(PLACE));
    assert_eq!(bench.world.files.tree(), before);
    // It can be accepted again, and the undoing undone.
    bench.accept();
    assert_eq!(bench.tree().len(), before.len() + 1);
}

#[test]
fn a_note_that_was_moved_and_edited_stays_and_is_told_with_a_way_out() {
    let bench = Bench::new();
    bench.accept();
    let text = bench.world.read_text(PLACE) + "\nMore of mine.\n";
    bench.rename(PLACE, "Mine.md");
    bench.world.save("Mine.md", &text);
    let error = bench.undo().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict);
    assert!(error.message().contains("`Mine.md`, was edited after it was accepted"), "{error}");
    assert!(error.hint_text().unwrap().contains("delete it yourself and then undo again"), "{error:?}");
    assert_eq!((bench.world.read_text("Mine.md"), bench.finding().status), (text, FindingStatus::Accepted));
    // The way out.
    bench.world.files.remove(&bench.world.path("Mine.md"));
    let back = bench.undo().unwrap();
    assert_eq!(back.finding.status, FindingStatus::New);
    assert!(back.message.unwrap().contains("is not in the vault any more"));
}

#[test]
fn of_several_notes_that_say_they_are_it_none_is_taken() {
    let bench = Bench::new();
    bench.accept();
    let bytes = bench.world.read_bytes(PLACE).unwrap();
    bench.rename(PLACE, "One.md");
    bench.world.files.save(&bench.world.path("Two.md"), &bytes);
    let error = bench.undo().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict);
    assert!(error.message().contains("`One.md`, `Two.md`"), "{error}");
    assert_eq!(bench.finding().status, FindingStatus::Accepted);
    // In its own place it is known, whatever copies there are.
    bench.rename("One.md", PLACE);
    assert_eq!(bench.undo().unwrap().message, None);
    assert_eq!(bench.tree(), ["Bees.md", "Hives/Old.md", "Two.md"]);
}

#[test]
fn one_that_says_no_more_whose_it_is_stays() {
    let bench = Bench::new();
    bench.accept();
    bench.world.save(PLACE, "Mine alone.\n");
    assert_eq!(bench.undo().unwrap_err().kind(), ErrorKind::Conflict);
    assert_eq!(
        (bench.world.read_text(PLACE).as_str(), bench.finding().status),
        ("Mine alone.\n", FindingStatus::Accepted)
    );
}

#[test]
fn a_note_that_was_moved_is_not_made_again() {
    let bench = Bench::new();
    let accepted = bench.accept();
    bench.rename(PLACE, "Moved.md");
    assert_eq!(bench.accept(), accepted);
    assert_eq!(bench.tree(), ["Bees.md", "Hives/Old.md", "Moved.md"]);
    // Cut off before the finding knew: it is found where it stands, and taken back there.
    for undo in [false, true] {
        let begun = PendingAcceptance {
            group: format!("finding-{}", bench.id),
            path: PLACE.to_owned(),
            title: None,
            summary: None,
            words: None,
            once: None,
        };
        let cut_off = |finding: &mut Finding| {
            finding.reopen()?;
            finding.accepting = Some(begun.clone());
            Ok(None)
        };
        bench.world.agendas.decide(&bench.id, None, &mut { cut_off }).unwrap();
        if undo {
            bench.undo().unwrap();
            assert_eq!(bench.tree(), ["Bees.md", "Hives/Old.md"]);
        } else {
            assert_eq!(bench.inbox().resume_acceptances().unwrap(), 1);
            assert_eq!(bench.finding().note_path.as_deref(), Some("Moved.md"));
            assert_eq!(bench.tree(), ["Bees.md", "Hives/Old.md", "Moved.md"]);
        }
    }
}

#[test]
fn a_request_that_comes_again_is_answered_as_before_whatever_happened_since() {
    let bench = Bench::new();
    let once = |key: &str, asked: &str| IdempotentRequest::new(key, "accept", &asked).unwrap();
    let accept = |once: &IdempotentRequest| {
        bench.inbox().accept_once(USER, &bench.id, &FindingEdits::default(), Some(once))
    };
    let first = accept(&once("k", "")).unwrap();
    assert_eq!(accept(&once("k", "")).unwrap(), first);
    bench.undo().unwrap();
    assert_eq!(accept(&once("k", "")).unwrap(), first, "as it was answered");
    assert_eq!(accept(&once("k", "another title")).unwrap_err().kind(), ErrorKind::Conflict);
    assert_eq!((bench.finding().status, bench.tree().len()), (FindingStatus::New, 2), "and nothing is made");
    // Another key is another request.
    let second = accept(&once("l", "")).unwrap();
    assert_eq!((second.status, bench.tree().len()), (FindingStatus::Accepted, 3));
    assert_ne!(second.operation, first.operation);
    // One that came when it was accepted already is answered for good, too.
    let third = accept(&once("m", "")).unwrap();
    bench.undo().unwrap();
    bench.inbox().dismiss(USER, &bench.id, false).unwrap();
    assert_eq!((accept(&once("m", "")).unwrap(), accept(&once("l", "")).unwrap()), (third, second));
    assert_eq!(accept(&once("n", "")).unwrap_err().kind(), ErrorKind::Conflict, "it was dismissed");
}

#[test]
fn a_request_that_was_cut_off_is_answered_by_whoever_goes_on_with_it() {
    let bench = Bench::new();
    let once = IdempotentRequest::new("k", "accept", &"").unwrap();
    let begun = PendingAcceptance {
        group: format!("finding-{}", bench.id),
        path: PLACE.to_owned(),
        title: Some("Of wax".to_owned()),
        summary: None,
        words: None,
        once: Some(once.clone()),
    };
    let cut_off = |finding: &mut Finding| {
        finding.accepting = Some(begun.clone());
        Ok(None)
    };
    bench.world.agendas.decide(&bench.id, None, &mut { cut_off }).unwrap();
    assert_eq!(bench.inbox().resume_acceptances().unwrap(), 1);
    let accepted = bench.finding();
    assert_eq!(accepted.note_path.as_deref(), Some("Inbox/Of wax.md"));
    bench.undo().unwrap();
    let again = bench.inbox().accept_once(USER, &bench.id, &FindingEdits::default(), Some(&once)).unwrap();
    assert_eq!((again, bench.tree().len()), (accepted, 2));
}
