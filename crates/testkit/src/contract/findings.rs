//! The contract of [`Findings`] and [`SuppressedTopics`].
//!
//! [`Findings`]: wellread_core::ports::Findings
//! [`SuppressedTopics`]: wellread_core::ports::Suppressed

use std::sync::atomic::{AtomicU32, Ordering};

use wellread_core::domain::id::{FindingId, OperationId};
use wellread_core::ports::agenda::{
    Agenda, AgendaCounts, AgendaEvent, FindingStatus, PendingAcceptance, SuppressedTopic,
};
use wellread_core::ports::{AgendaActor, EmbeddingModel, FindingFilter, NewFinding};
use wellread_core::{Error, ErrorKind, Result};
use wellread_text::{Shingles, Sketch};

use super::agendas::{AgendaStore, alter};
use crate::agenda_fixtures::{agenda, new_finding, propose_and_approve};
use crate::run_fixtures::event_time;

pub(super) fn check_findings<A: AgendaStore>(make: &dyn Fn() -> A) {
    what_is_found_is_read_as_it_was(&make());
    the_same_is_found_once(&make());
    no_more_is_kept_than_the_agenda_may_find(&make());
    findings_are_listed_newest_first_by_how_they_stand(&make());
    what_is_decided_is_kept_as_a_whole(&make());
    a_decision_that_fails_changes_nothing(&make());
    topics_are_suppressed_and_allowed_again(&make());
    what_findings_are_compared_by_is_kept_for_each_model(&make());
    what_texts_are_compared_by_is_kept_for_each_finding(&make());
    who_decides_is_alone(&make());
}

fn what_texts_are_compared_by_is_kept_for_each_finding(care: &dyn AgendaStore) {
    let agenda = propose_and_approve(care, &agenda(1));
    let found: Vec<NewFinding> =
        (0..3).map(|number| new_finding(&agenda.id, &agenda.tasks[0].id, &url(number))).collect();
    assert_eq!(care.findings_without_sketch(9).unwrap(), []);
    add_findings(care, &agenda, &found).unwrap();
    assert_eq!(
        (care.findings_without_sketch(2).unwrap().len(), care.findings_without_sketch(9).unwrap().len()),
        (2, 3)
    );
    let id = |number: usize| found[number].finding.id.clone();
    let sketch = |text: &str| Sketch::from_shingles(&Shingles::from_text(text));
    care.keep_sketches(&[(id(0), sketch("one two three four")), (id(1), sketch(""))]).unwrap();
    assert_eq!(care.findings_without_sketch(9).unwrap(), [found[2].finding.clone()]);
    care.keep_sketches(&[(id(1), sketch("five six seven eight nine"))]).unwrap();
    care.decide(&id(0), None, &mut |finding| finding.dismiss(event_time(9)).map(|()| None)).unwrap();
    let mut seen = Vec::new();
    care.for_each_sketch(&mut |id, sketch| seen.push((id.clone(), sketch.clone()))).unwrap();
    seen.sort_by(|one, other| one.0.cmp(&other.0));
    let mut wanted =
        vec![(id(0), sketch("one two three four")), (id(1), sketch("five six seven eight nine"))];
    wanted.sort_by(|one, other| one.0.cmp(&other.0));
    assert_eq!(seen, wanted, "what was dismissed is compared with as well");
    assert_eq!(care.findings_without_sketch(9).unwrap().len(), 1);
}

fn url(number: usize) -> String {
    format!("https://bees.example/{number}")
}

/// Adds these to the first task of the agenda.
fn add_findings(care: &dyn AgendaStore, agenda: &Agenda, new: &[NewFinding]) -> Result<Agenda> {
    alter(care, &agenda.id, AgendaActor::User, |change| {
        change.findings = new.to_vec();
        Ok(())
    })
}

/// So many findings of an agenda.
pub(super) fn approve_with_findings(care: &dyn AgendaStore, count: usize) -> (Agenda, Vec<NewFinding>) {
    let agenda = propose_and_approve(care, &agenda(2));
    let new: Vec<NewFinding> =
        (0..count).map(|number| new_finding(&agenda.id, &agenda.tasks[0].id, &url(number))).collect();
    let agenda = add_findings(care, &agenda, &new).unwrap();
    (agenda, new)
}

fn what_is_found_is_read_as_it_was(care: &dyn AgendaStore) {
    let (agenda, new) = approve_with_findings(care, 2);
    for NewFinding { finding, .. } in &new {
        assert_eq!(care.finding(&finding.id).unwrap().as_ref(), Some(finding));
    }
    assert_eq!(agenda.findings, 2);
    assert_eq!(care.agenda(&agenda.id).unwrap(), Some(agenda.clone()));
    assert_eq!(care.counts().unwrap(), AgendaCounts { new: 2, running: 1, ..AgendaCounts::default() });
    let nowhere = FindingId::new(&agenda.tasks[1].id, "https://nowhere.example");
    assert_eq!(care.finding(&nowhere).unwrap(), None);
}

fn the_same_is_found_once(care: &dyn AgendaStore) {
    let (agenda, new) = approve_with_findings(care, 1);
    let dismissed =
        care.decide(&new[0].finding.id, None, &mut |finding| finding.dismiss(event_time(9)).map(|()| None));
    let told = care.events_after(0, 100).unwrap();
    let mut other_title = new[0].clone();
    other_title.finding.title = "Another".to_owned();
    // A page that another task of the agenda finds is still one page.
    let other_task = new_finding(&agenda.id, &agenda.tasks[1].id, &url(0));
    let after = add_findings(care, &agenda, &[other_title, other_task.clone(), new[0].clone()]).unwrap();
    assert_eq!(after.findings, 1, "what was known is not counted");
    assert_eq!(care.finding(&new[0].finding.id).unwrap().unwrap(), dismissed.unwrap(), "it is left as it is");
    assert_eq!(care.finding(&other_task.finding.id).unwrap(), None);
    assert_eq!(care.events_after(0, 100).unwrap(), told);
    // Another agenda does not find it again; twice in one change is once.
    let other = propose_and_approve(care, &crate::agenda_fixtures::agenda(1));
    let known = new_finding(&other.id, &other.tasks[0].id, &url(0));
    let new = new_finding(&other.id, &other.tasks[0].id, &url(9));
    assert_eq!(add_findings(care, &other, &[known, new.clone(), new]).unwrap().findings, 1);
    let address = Some(format!("{}#part", url(9)));
    let by_address = |address| FindingFilter { address, ..FindingFilter::default() };
    assert_eq!(care.findings(&by_address(Some(url(9))), 10).unwrap().len(), 1);
    assert!(care.findings(&by_address(address), 10).unwrap().is_empty(), "it is asked for as it is kept");
}

fn no_more_is_kept_than_the_agenda_may_find(care: &dyn AgendaStore) {
    let mut small = agenda(1);
    small.max_findings = 3;
    let small = propose_and_approve(care, &small);
    let new = |number| new_finding(&small.id, &small.tasks[0].id, &url(number));
    assert_eq!(add_findings(care, &small, &[new(0), new(1)]).unwrap().findings, 2);
    assert_eq!(add_findings(care, &small, &[new(0), new(2), new(3)]).unwrap().findings, 3);
    assert_eq!(add_findings(care, &small, &[new(4)]).unwrap().findings, 3);
    let all = FindingFilter { agenda: Some(small.id.clone()), ..FindingFilter::default() };
    let mut kept: Vec<String> =
        care.findings(&all, 10).unwrap().into_iter().map(|finding| finding.url).collect();
    kept.sort();
    assert_eq!(kept, [url(0), url(1), url(2)]);
    assert_eq!(care.counts().unwrap().new, 3);
    // How many there are is counted, not told.
    let told = alter(care, &small.id, AgendaActor::User, |change| {
        change.agenda.findings = 0;
        Ok(())
    });
    assert_eq!(told.unwrap().findings, 3);
}

fn findings_are_listed_newest_first_by_how_they_stand(care: &dyn AgendaStore) {
    let agenda = propose_and_approve(care, &agenda(1));
    let other = propose_and_approve(care, &crate::agenda_fixtures::agenda(1));
    let new = |agenda: &Agenda, number: usize, at| {
        let mut new = new_finding(&agenda.id, &agenda.tasks[0].id, &url(number));
        new.finding.created = event_time(at);
        new
    };
    let all = [new(&agenda, 0, 5), new(&agenda, 1, 9), new(&agenda, 2, 7)];
    add_findings(care, &agenda, &all).unwrap();
    add_findings(care, &other, &[new(&other, 3, 8)]).unwrap();
    let listed = |which: FindingFilter, at_most| -> Vec<String> {
        care.findings(&which, at_most).unwrap().into_iter().map(|finding| finding.url).collect()
    };
    let anything = FindingFilter::default;
    assert_eq!(listed(anything(), 10), [url(1), url(3), url(2), url(0)]);
    assert_eq!(listed(anything(), 2), [url(1), url(3)]);
    let of_agenda = || FindingFilter { agenda: Some(agenda.id.clone()), ..anything() };
    assert_eq!(listed(of_agenda(), 10), [url(1), url(2), url(0)]);
    care.decide(&all[2].finding.id, None, &mut |finding| finding.dismiss(event_time(20)).map(|()| None))
        .unwrap();
    care.decide(&all[1].finding.id, None, &mut |finding| {
        let (group, path) = ("g".to_owned(), "Inbox/Wax.md".to_owned());
        finding.accepting =
            Some(PendingAcceptance { group, path, title: None, summary: None, words: None, once: None });
        Ok(None)
    })
    .unwrap();
    let status = |status| FindingFilter { status: Some(status), ..of_agenda() };
    assert_eq!(listed(status(FindingStatus::New), 10), [url(1), url(0)]);
    assert_eq!(listed(status(FindingStatus::Dismissed), 10), [url(2)]);
    assert_eq!(listed(FindingFilter { accepting: true, ..anything() }, 10), [url(1)]);
    assert!(listed(status(FindingStatus::Accepted), 10).is_empty());
}

fn what_is_decided_is_kept_as_a_whole(care: &dyn AgendaStore) {
    let (_, new) = approve_with_findings(care, 2);
    let id = &new[0].finding.id;
    let last = care.events_after(0, 0).unwrap().1;
    let operation = OperationId::fresh();
    let accepted = care.decide(id, None, &mut |finding| {
        finding.accept("Inbox/Wax.md", operation, event_time(8)).map(|()| None)
    });
    let accepted = accepted.unwrap();
    assert_eq!(accepted.note_path.as_deref(), Some("Inbox/Wax.md"));
    assert_eq!(care.finding(id).unwrap(), Some(accepted));
    let counts = AgendaCounts { new: 1, accepted: 1, running: 1, ..AgendaCounts::default() };
    assert_eq!(care.counts().unwrap(), counts);
    assert_eq!(care.events_after(last, 10).unwrap().0, [(last + 1, AgendaEvent::Counts(counts))]);
    care.decide(id, None, &mut |_| Ok(None)).unwrap();
    assert_eq!(care.events_after(last, 10).unwrap().1, last + 1, "what is as it was is not told");
}

fn a_decision_that_fails_changes_nothing(care: &dyn AgendaStore) {
    let (agenda, new) = approve_with_findings(care, 1);
    let id = &new[0].finding.id;
    let told = care.events_after(0, 100).unwrap();
    let trouble = Error::conflict("no").hint("do something else");
    let failed = care.decide(id, None, &mut |finding| {
        finding.dismiss(event_time(9))?;
        Err(trouble.clone())
    });
    assert_eq!(failed.unwrap_err(), trouble, "it is handed on as it is");
    let topic = SuppressedTopic { topic: "wax".to_owned(), at: event_time(9), finding_id: None };
    let another = care.decide(id, None, &mut |finding| {
        finding.url = url(7);
        Ok(Some(topic.clone()))
    });
    assert_eq!(another.unwrap_err().kind(), ErrorKind::Invalid, "it can't become another");
    assert_eq!(care.finding(id).unwrap().as_ref(), Some(&new[0].finding));
    assert_eq!(care.topics().unwrap(), []);
    assert_eq!(care.events_after(0, 100).unwrap(), told);
    let nowhere = FindingId::new(&agenda.tasks[1].id, "https://nowhere.example");
    let error = care.decide(&nowhere, None, &mut |_| panic!("there is nothing to decide")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
}

fn topics_are_suppressed_and_allowed_again(care: &dyn AgendaStore) {
    let (_, new) = approve_with_findings(care, 3);
    for (NewFinding { finding, .. }, (topic, at)) in new.iter().zip([("wax", 5), ("Grüße", 7), ("wax", 6)])
    {
        let suppressed = SuppressedTopic {
            topic: topic.to_owned(),
            at: event_time(at),
            finding_id: Some(finding.id.clone()),
        };
        let change = care.decide(&finding.id, None, &mut |finding| {
            finding.dismiss(event_time(at))?;
            Ok(Some(suppressed.clone()))
        });
        assert_eq!(change.unwrap().status, FindingStatus::Dismissed);
    }
    let topics: Vec<(String, Option<FindingId>)> =
        care.topics().unwrap().into_iter().map(|topic| (topic.topic, topic.finding_id)).collect();
    let of = |at: usize| Some(new[at].finding.id.clone());
    assert_eq!(topics, [("Grüße".to_owned(), of(1)), ("wax".to_owned(), of(2))], "each once");
    assert!(!care.allow("Wax").unwrap());
    assert!(care.allow("wax").unwrap());
    assert!(!care.allow("wax").unwrap());
    assert_eq!(care.topics().unwrap().len(), 1);
}

fn what_findings_are_compared_by_is_kept_for_each_model(care: &dyn AgendaStore) {
    let model = |name: &str, hash: &str, dimension| EmbeddingModel {
        name: name.to_owned(),
        hash: hash.to_owned(),
        dimension,
    };
    let (one, newer, wider) = (model("m", "a", 3), model("m", "b", 3), model("m", "a", 4));
    let agenda = propose_and_approve(care, &agenda(1));
    let with = |number: usize, made: Option<(&EmbeddingModel, &[f32])>| NewFinding {
        embedding: made.map(|(model, vector)| (model.clone(), vector.to_vec())),
        ..new_finding(&agenda.id, &agenda.tasks[0].id, &url(number))
    };
    let hard = [0.1_f32 + 0.2, -1.0 / 3.0, 1e-40];
    let new = [
        with(0, Some((&one, &hard))),
        with(1, Some((&newer, &[1.0, 0.0, 0.0]))),
        with(2, None),
        with(3, Some((&one, &[0.0, 1.0, 0.0]))),
    ];
    add_findings(care, &agenda, &new).unwrap();
    // One that is not kept has nothing to be compared by; one that is dismissed still has.
    add_findings(care, &agenda, &[with(0, Some((&one, &[9.0, 9.0, 9.0])))]).unwrap();
    care.decide(&new[0].finding.id, None, &mut |finding| finding.dismiss(event_time(9)).map(|()| None))
        .unwrap();
    let of = |model: &EmbeddingModel| {
        let mut found = care.embeddings(model).unwrap();
        found.sort_by(|one, other| one.0.cmp(&other.0));
        found
    };
    let mut expected =
        [(new[0].finding.id.clone(), hard.to_vec()), (new[3].finding.id.clone(), vec![0.0, 1.0, 0.0])];
    expected.sort_by(|one, other| one.0.cmp(&other.0));
    assert_eq!(of(&one), expected);
    assert_eq!(of(&newer), [(new[1].finding.id.clone(), vec![1.0, 0.0, 0.0])]);
    assert_eq!(of(&wider), []);
}

/// Many threads, each of which looks, waits for the others to do something wrong, and writes.
fn who_decides_is_alone(care: &dyn AgendaStore) {
    const TURNS: u32 = 50;
    const THREADS: u32 = 4;
    let (_, new) = approve_with_findings(care, 2);
    let [one, other] = [0, 1].map(|at: usize| &new[at].finding.id);
    let _elsewhere = care.lock_finding(other).unwrap();
    let (inside, turns) = (AtomicU32::new(0), AtomicU32::new(0));
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                for _ in 0..TURNS {
                    let alone = care.lock_finding(one).unwrap();
                    assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0, "somebody else is at it");
                    std::thread::yield_now();
                    turns.fetch_add(1, Ordering::SeqCst);
                    assert_eq!(inside.fetch_sub(1, Ordering::SeqCst), 1, "somebody else came in");
                    drop(alone);
                }
            });
        }
    });
    assert_eq!(turns.into_inner(), THREADS * TURNS);
}
