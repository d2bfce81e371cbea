//! The contract of [`Agendas`], and of what hangs on them.

use wellread_core::domain::id::{AgendaId, TaskId};
use wellread_core::ports::agenda::{Agenda, AgendaStatus, Counts, Happening, TaskStatus};
use wellread_core::ports::{
    Agendas, Alteration, Answers, Findings, JobEnd, Queue, Sketches, Suppressed, WhichAgendas, WhichFindings,
    Word,
};
use wellread_core::{Error, Kind, Result};

use super::{answers, findings, jobs};
use crate::agenda_fixtures::{agenda, approved, done, new_finding};
use crate::run_fixtures::second;

/// Everything that is kept of research behind everything else.
pub(super) trait Care: Agendas + Queue + Findings + Sketches + Suppressed + Answers {}

impl<T: Agendas + Queue + Findings + Sketches + Suppressed + Answers> Care for T {}

/// What the contract is asked of, and how an empty one is made.
pub fn agendas<A: Agendas + Queue + Findings + Sketches + Suppressed + Answers>(make: &dyn Fn() -> A) {
    an_empty_one_has_nothing(&make());
    what_is_proposed_is_read_as_it_was(&make());
    the_same_key_proposes_once(&make());
    agendas_are_listed_newest_first(&make());
    a_change_that_fails_changes_nothing(&make());
    the_same_word_once_more_changes_nothing(&make());
    an_agenda_that_is_not_there_is_not_found(&make());
    an_agenda_does_not_become_another(&make());
    cancelling_takes_the_jobs_away(&make());
    what_happened_is_told_in_order(&make());
    jobs::jobs(&|| make());
    findings::findings(&|| make());
    answers::answers(&|| make());
}

pub(super) fn alter(
    agendas: &dyn Agendas,
    id: &AgendaId,
    word: Word<'_>,
    change: impl FnMut(&mut Alteration) -> Result<()>,
) -> Result<Agenda> {
    let mut change = change;
    agendas.alter(id, word, &mut change)
}

fn approve(change: &mut Alteration) -> Result<()> {
    change.agenda.approve(&[], second(1))?;
    change.jobs = change.agenda.tasks.iter().map(|task| task.id.clone()).collect();
    Ok(())
}

fn an_empty_one_has_nothing(care: &dyn Care) {
    assert_eq!(care.agenda(&AgendaId::fresh()).unwrap(), None);
    assert_eq!(care.agendas(WhichAgendas::All, 10).unwrap(), []);
    assert_eq!(care.happened(0, 10).unwrap(), (Vec::new(), 0));
    assert_eq!(care.take("one", second(0), second(60)).unwrap(), None);
    assert_eq!(care.jobs().unwrap(), []);
    assert_eq!(care.findings(&WhichFindings::default(), 10).unwrap(), []);
    assert_eq!(care.counts().unwrap(), Counts::default());
    assert_eq!(care.topics().unwrap(), []);
    assert!(!care.allow("wax").unwrap());
}

fn what_is_proposed_is_read_as_it_was(care: &dyn Care) {
    let mut proposed = agenda(3);
    proposed.source_note_id = Some("Grüße \u{1f41d}.md".to_owned());
    proposed.message = Some("a \"message\"\nof two lines".to_owned());
    assert_eq!(care.propose(&proposed, None).unwrap(), proposed);
    assert_eq!(care.agenda(&proposed.id).unwrap(), Some(proposed.clone()));
    let again = care.propose(&proposed, None).unwrap_err();
    assert_eq!(again.kind(), Kind::Conflict, "an id is taken once: {again}");
    assert_eq!(care.counts().unwrap(), Counts { pending: 1, ..Counts::default() });
    assert_eq!(care.jobs().unwrap(), [], "nothing runs before it is approved");
}

fn the_same_key_proposes_once(care: &dyn Care) {
    let (first, second_one, other) = (agenda(1), agenda(2), agenda(1));
    assert_eq!(care.propose(&first, Some("k")).unwrap(), first);
    assert_eq!(care.propose(&second_one, Some("k")).unwrap(), first, "the key stands for the first");
    assert_eq!(care.agenda(&second_one.id).unwrap(), None);
    assert_eq!(care.propose(&other, Some("l")).unwrap(), other);
    assert_eq!(care.agendas(WhichAgendas::Key("k"), 10).unwrap(), std::slice::from_ref(&first));
    assert_eq!(care.agendas(WhichAgendas::Key("m"), 10).unwrap(), []);
    // As it is now, not as it was.
    let now = alter(care, &first.id, Word::User, approve).unwrap();
    assert_eq!(care.propose(&second_one, Some("k")).unwrap(), now);
    let (told, _) = care.happened(0, 100).unwrap();
    let proposed = |(_, told): &&(u64, Happening)| {
        matches!(told, Happening::Agenda { status: AgendaStatus::Pending, .. })
    };
    assert_eq!(told.iter().filter(proposed).count(), 2);
}

fn agendas_are_listed_newest_first(care: &dyn Care) {
    let ids = ["0abc0000000000", "0abc0000000001", "0abd0000000000"];
    let all = ids.map(|id| Agenda { id: AgendaId::parse(id).unwrap(), ..agenda(0) });
    for at in [1, 2, 0] {
        care.propose(&all[at], None).unwrap();
    }
    let listed = |which, at_most| -> Vec<String> {
        let found = care.agendas(which, at_most).unwrap();
        found.into_iter().map(|agenda| agenda.id.to_string()).collect()
    };
    assert_eq!(listed(WhichAgendas::All, 10), [ids[2], ids[1], ids[0]]);
    assert_eq!(listed(WhichAgendas::All, 1), [ids[2]]);
    assert!(listed(WhichAgendas::All, 0).is_empty());
    alter(care, &all[1].id, Word::User, |change| change.agenda.cancel(second(1))).unwrap();
    assert_eq!(listed(WhichAgendas::Status(AgendaStatus::Pending), 10), [ids[2], ids[0]]);
    assert_eq!(listed(WhichAgendas::Status(AgendaStatus::Cancelled), 10), [ids[1]]);
}

fn a_change_that_fails_changes_nothing(care: &dyn Care) {
    let agenda = approved(care, &agenda(2));
    let id = &agenda.id;
    let task = &agenda.tasks[0].id;
    let before = (care.jobs().unwrap(), care.happened(0, 100).unwrap(), care.counts().unwrap());
    let trouble = Error::refused("no").hint("do something else").with("field", 7);
    let error = alter(care, id, Word::UserOnce("k"), |change| {
        change.agenda.begin(task, None)?;
        change.findings.push(new_finding(id, task, "https://bees.example/1"));
        change.ends.push((task.clone(), JobEnd::Over));
        Err(trouble.clone())
    });
    assert_eq!(error.unwrap_err(), trouble, "it is handed on as it is");
    let unknown = alter(care, id, Word::User, |change| {
        change.findings.push(new_finding(id, task, "https://bees.example/1"));
        change.ends.push((task.clone(), JobEnd::Over));
        change.jobs.push(TaskId::of(&AgendaId::fresh(), 1));
        Ok(())
    });
    assert_eq!(unknown.unwrap_err().kind(), Kind::Invalid, "a task that it has not");
    assert_eq!(care.agenda(id).unwrap().as_ref(), Some(&agenda));
    assert_eq!(care.findings(&WhichFindings::default(), 10).unwrap(), []);
    assert_eq!((care.jobs().unwrap(), care.happened(0, 100).unwrap(), care.counts().unwrap()), before);
    // Its key is not used up either.
    let said = alter(care, id, Word::UserOnce("k"), |change| change.agenda.begin(task, None).map(drop));
    assert_eq!(said.unwrap().status, AgendaStatus::Running);
}

fn the_same_word_once_more_changes_nothing(care: &dyn Care) {
    let (one, other) = (agenda(1), agenda(1));
    // The key of a proposal is none of an approval.
    care.propose(&one, Some("k")).unwrap();
    care.propose(&other, None).unwrap();
    let first = alter(care, &one.id, Word::UserOnce("k"), approve).unwrap();
    assert_eq!(first.status, AgendaStatus::Approved);
    let told = care.happened(0, 100).unwrap();
    let again = alter(care, &one.id, Word::UserOnce("k"), |_| panic!("it was said before")).unwrap();
    assert_eq!(again, first);
    assert_eq!(care.happened(0, 100).unwrap(), told);
    assert_eq!(alter(care, &one.id, Word::UserOnce("l"), approve).unwrap_err().kind(), Kind::Conflict);
    let elsewhere = alter(care, &other.id, Word::UserOnce("k"), approve).unwrap();
    assert_eq!(elsewhere.status, AgendaStatus::Approved, "of another agenda nothing was said");
}

fn an_agenda_that_is_not_there_is_not_found(care: &dyn Care) {
    let nowhere = AgendaId::fresh();
    for _ in 0..2 {
        for word in [Word::User, Word::UserOnce("k")] {
            let error = alter(care, &nowhere, word, |_| panic!("there is nothing to change")).unwrap_err();
            assert_eq!(error.kind(), Kind::NotFound, "{error}");
        }
        care.propose(&agenda(1), None).unwrap();
    }
}

fn an_agenda_does_not_become_another(care: &dyn Care) {
    let (one, other) = (agenda(1), agenda(1));
    care.propose(&one, None).unwrap();
    care.propose(&other, None).unwrap();
    let error = alter(care, &one.id, Word::User, |change| {
        change.agenda = other.clone();
        Ok(())
    });
    assert_eq!(error.unwrap_err().kind(), Kind::Invalid);
    let error = alter(care, &one.id, Word::User, |change| {
        change.findings.push(new_finding(&other.id, &other.tasks[0].id, "https://bees.example"));
        Ok(())
    });
    assert_eq!(error.unwrap_err().kind(), Kind::Invalid, "a finding of another");
    assert_eq!(care.agendas(WhichAgendas::All, 10).unwrap().len(), 2);
}

fn cancelling_takes_the_jobs_away(care: &dyn Care) {
    let (agenda, other) = (approved(care, &agenda(3)), approved(care, &agenda(1)));
    let taken = care.take("one", second(2), second(60)).unwrap().unwrap();
    let set_aside = agenda.tasks[2].id.clone();
    alter(care, &agenda.id, Word::User, |change| {
        change.ends.push((set_aside.clone(), JobEnd::SetAside));
        Ok(())
    })
    .unwrap();
    let cancelled = alter(care, &agenda.id, Word::User, |change| change.agenda.cancel(second(3))).unwrap();
    assert_eq!(cancelled.status, AgendaStatus::Cancelled);
    let left: Vec<AgendaId> = care.jobs().unwrap().into_iter().map(|job| job.agenda).collect();
    assert_eq!(left, std::slice::from_ref(&other.id), "of the other nothing is taken");
    assert_eq!(care.counts().unwrap(), Counts { running: 1, ..Counts::default() });
    // Whoever was at it has lost it.
    for word in [Word::Worker(&taken.lease, second(4)), Word::Leaving(&taken.lease)] {
        let error = alter(care, &agenda.id, word, |_| panic!("nobody waits for this")).unwrap_err();
        assert_eq!(error.kind(), Kind::Conflict, "{error}");
    }
    assert_eq!(care.renew(&taken.lease, second(4), second(60)).unwrap_err().kind(), Kind::Conflict);
}

fn what_happened_is_told_in_order(care: &dyn Care) {
    let proposed = agenda(2);
    let (id, task) = (proposed.id.clone(), proposed.tasks[0].id.clone());
    approved(care, &proposed);
    let (told, last) = care.happened(0, 100).unwrap();
    assert_eq!(told.iter().map(|(number, _)| *number).collect::<Vec<_>>(), Vec::from_iter(1..=last));
    let of_agenda = |status| Happening::Agenda { id: id.clone(), status, message: None };
    let of_task = |at: usize, status| Happening::Task {
        agenda_id: id.clone(),
        task_id: proposed.tasks[at].id.clone(),
        status,
        message: None,
    };
    let counts =
        |pending, running, new| Happening::Counts(Counts { pending, running, new, ..Counts::default() });
    let told: Vec<Happening> = told.into_iter().map(|(_, happening)| happening).collect();
    assert_eq!(
        told,
        [
            of_agenda(AgendaStatus::Pending),
            counts(1, 0, 0),
            of_task(0, TaskStatus::Queued),
            of_task(1, TaskStatus::Queued),
            of_agenda(AgendaStatus::Approved),
            counts(0, 1, 0),
        ]
    );
    let made = new_finding(&id, &task, "https://bees.example/1");
    let found = Happening::Finding {
        id: made.finding.id.clone(),
        agenda_id: id.clone(),
        task_id: task.clone(),
        title: made.finding.title.clone(),
        url: made.finding.url.clone(),
    };
    let begun = alter(care, &id, Word::User, |change| {
        change.agenda.begin(&task, None)?;
        change.findings.push(made.clone());
        Ok(())
    });
    assert_eq!(begun.unwrap().findings, 1);
    let after = |number| care.happened(number, 100).unwrap().0.into_iter().map(|(_, told)| told);
    let expected =
        [of_task(0, TaskStatus::Running), of_agenda(AgendaStatus::Running), found, counts(0, 1, 1)];
    assert_eq!(after(last).collect::<Vec<_>>(), expected);
    // What changes nothing that is told, tells nothing.
    let now = care.happened(0, 0).unwrap();
    alter(care, &id, Word::User, |_| Ok(())).unwrap();
    assert_eq!((now.0.len(), care.happened(0, 0).unwrap().1), (0, now.1));
    alter(care, &id, Word::User, |change| change.agenda.end_task(&task, done(1), second(5))).unwrap();
    assert_eq!(after(now.1).collect::<Vec<_>>(), [of_task(0, TaskStatus::Done)]);
    let (some, end) = care.happened(1, 2).unwrap();
    assert_eq!((some.iter().map(|(number, _)| *number).collect::<Vec<_>>(), end), (vec![2, 3], now.1 + 1));
    assert_eq!(care.happened(end + 1000, 10).unwrap(), (Vec::new(), end));
}
