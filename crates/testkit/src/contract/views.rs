//! The contract of [`RecordViews`]: what belongs to one user does not exist for another.

use std::sync::Arc;

use serde_json::json;
use wellread_core::ErrorKind;
use wellread_core::domain::id::RunId;
use wellread_core::domain::rights::UserName;
use wellread_core::ports::agenda::IdempotentRequest;
use wellread_core::ports::event::{RunEvent, RunKind};
use wellread_core::ports::{AgendaFilter, RecordViewer, RecordViews, Records, StoredSession};

use crate::agenda_fixtures::{agenda, propose_and_approve};
use crate::run_fixtures::{event_time, events, record_run};

/// What the contract is asked of, and how an empty one is made.
pub fn check_views<R: RecordViews>(make: &dyn Fn() -> R) {
    runs_of_one_do_not_exist_for_another(&make());
    conversations_of_one_do_not_exist_for_another(&make());
    answers_of_one_are_not_given_to_another(&make());
    what_is_the_vaults_is_everybodys(&make());
    a_page_is_kept_as_long_as_anybody_cites_it(&make());
}

/// As a user of this name sees the records.
pub fn user(name: &str) -> RecordViewer {
    RecordViewer::user(&UserName::parse(name).unwrap(), 0)
}

/// Everybody who is not this user, but for the vault itself.
fn others(of: &RecordViewer) -> Vec<RecordViewer> {
    let anna = UserName::parse("anna").unwrap();
    let all = [RecordViewer::owner(), user("anna"), user("bob"), RecordViewer::user(&anna, 1)];
    all.into_iter().filter(|viewer| viewer != of).collect()
}

fn begin_run(records: &Arc<dyn Records>) -> RunId {
    let run = RunId::fresh();
    record_run(&**records, &run, RunKind::Ask, "Honey", &events(&run, RunKind::Ask, "Honey"));
    run
}

fn runs_of_one_do_not_exist_for_another(views: &impl RecordViews) {
    for owner in [RecordViewer::owner(), user("anna")] {
        let own = views.seen_by(&owner);
        let run = begin_run(&own);
        let length = own.events(&run).unwrap().len() as u64;
        let counted = own.totals().unwrap().runs;
        assert!(own.runs(run.as_str(), 10).unwrap().len() == 1 && counted == 1);
        for viewer in others(&owner) {
            let other = views.seen_by(&viewer);
            assert!(other.runs("", 10).unwrap().iter().all(|seen| seen.id != run), "{viewer:?}");
            assert_eq!(other.events(&run).unwrap_err().kind(), ErrorKind::NotFound, "{viewer:?}");
            let appended = other.append(&run, length, event_time(99), &RunEvent::Resumed);
            assert_eq!(appended.unwrap_err().kind(), ErrorKind::NotFound, "{viewer:?}");
            let forgotten = other.forget_runs(std::slice::from_ref(&run), event_time(99));
            assert_eq!(forgotten.unwrap_err().kind(), ErrorKind::NotFound, "{viewer:?}");
            let header = own.runs(run.as_str(), 1).unwrap().remove(0);
            let taken = other.begin(&header, &events(&run, RunKind::Ask, "x")[0]);
            assert_eq!(taken.unwrap_err().kind(), ErrorKind::Conflict, "an id is taken once");
        }
        assert_eq!(own.events(&run).unwrap().len() as u64, length);
        own.append(&run, length, event_time(99), &RunEvent::Resumed).unwrap();
        let all = views.seen_by(&RecordViewer::vault());
        assert_eq!(all.events(&run).unwrap().len() as u64, length + 1);
    }
}

fn conversation(id: &str, said: &str) -> StoredSession {
    let active_file = Some("Bees.md".to_owned());
    StoredSession { id: id.to_owned(), active_file, last: event_time(1), state: json!({ "said": said }) }
}

fn conversations_of_one_do_not_exist_for_another(views: &impl RecordViews) {
    let anna = user("anna");
    let own = views.seen_by(&anna);
    own.keep_session(&conversation("s", "hers")).unwrap();
    for viewer in others(&anna) {
        let other = views.seen_by(&viewer);
        assert_eq!(other.session("s").unwrap(), None, "{viewer:?}");
        assert_eq!(other.latest_session_about(Some("Bees.md")).unwrap(), None, "{viewer:?}");
        assert_eq!(other.sessions(10).unwrap(), [], "{viewer:?}");
        assert!(!other.forget_session("s").unwrap(), "{viewer:?}");
        assert!(other.keep_session(&conversation("s", "mine now")).is_err(), "{viewer:?}");
        assert_eq!(other.totals().unwrap().sessions, 0, "{viewer:?}");
    }
    own.keep_session(&conversation("s", "hers, later")).unwrap();
    assert_eq!(own.session("s").unwrap().unwrap().state["said"], "hers, later");
    assert!(own.forget_session("s").unwrap());
}

fn answers_of_one_are_not_given_to_another(views: &impl RecordViews) {
    let anna = user("anna");
    let own = views.seen_by(&anna);
    let request = |viewer: &RecordViewer| {
        IdempotentRequest::new(&viewer.scope_key("key"), "accept", &json!({ "id": 1 })).unwrap()
    };
    assert_eq!(own.record_request(&request(&anna)).unwrap(), None);
    own.keep_answer(&request(&anna), "hers").unwrap();
    for viewer in others(&anna) {
        let other = views.seen_by(&viewer);
        // The same key of their own, and hers as it is.
        assert_eq!(other.record_request(&request(&viewer)).unwrap(), None, "{viewer:?}");
        assert_eq!(other.keep_answer(&request(&viewer), "theirs").unwrap(), "theirs");
        assert!(other.record_request(&request(&anna)).is_err(), "{viewer:?}");
        assert!(other.keep_answer(&request(&anna), "theirs").is_err(), "{viewer:?}");
    }
    assert_eq!(own.record_request(&request(&anna)).unwrap().as_deref(), Some("hers"));
}

fn what_is_the_vaults_is_everybodys(views: &impl RecordViews) {
    let vault = views.seen_by(&RecordViewer::vault());
    let (run, length) = (begin_run(&vault), 0);
    let proposed = propose_and_approve(&*views.seen_by(&user("anna")), &agenda(1));
    for viewer in [RecordViewer::owner(), user("anna"), user("bob")] {
        let seen = views.seen_by(&viewer);
        let events = seen.events(&run).unwrap().len();
        assert!(events > length && seen.runs("", 10).unwrap().len() == 1, "{viewer:?}");
        assert_eq!(seen.agendas(AgendaFilter::All, 10).unwrap()[0].id, proposed.id, "{viewer:?}");
        let appended = seen.append(&run, events as u64, event_time(99), &RunEvent::Resumed);
        assert_eq!(appended.is_ok(), viewer == RecordViewer::owner(), "{viewer:?}: a user only looks at it");
    }
}

/// To forget a run of one user removes no page that a run of another refers to.
fn a_page_is_kept_as_long_as_anybody_cites_it(views: &impl RecordViews) {
    let (anna, bob) = (views.seen_by(&user("anna")), views.seen_by(&user("bob")));
    let page = anna.keep("Wax melts at 62 degrees.").unwrap();
    let cite = |records: &Arc<dyn Records>, id: &str| {
        let mut said = conversation(id, "x");
        said.state = json!({ "page": page.to_string() });
        records.keep_session(&said).unwrap();
    };
    cite(&bob, "his");
    let run = begin_run(&anna);
    anna.forget_runs(&[run], event_time(99)).unwrap();
    assert!(bob.load(page).unwrap().is_some(), "his conversation refers to it");
}
