//! The contract of [`IdempotencyStore`].
//!
//! [`IdempotencyStore`]: wellread_core::ports::IdempotencyStore

use wellread_core::ports::agenda::{Finding, IdempotentRequest};
use wellread_core::{Error, ErrorKind};

use super::agendas::AgendaStore;
use super::findings::approve_with_findings;
use crate::run_fixtures::event_time;

pub(super) fn check_answers<A: AgendaStore>(make: &dyn Fn() -> A) {
    a_request_has_one_answer_for_good(&make());
    a_key_is_of_one_request(&make());
    a_decision_is_an_answer_as_a_whole(&make());
    an_answer_is_forgotten_and_its_key_stays(&make());
}

fn idempotent_request(key: &str, asked: &str) -> IdempotentRequest {
    IdempotentRequest::new(key, "accept", &asked).unwrap()
}

fn a_request_has_one_answer_for_good(care: &dyn AgendaStore) {
    let first = idempotent_request("k", "honey");
    assert_eq!(care.record_request(&first).unwrap(), None);
    assert_eq!(care.record_request(&first).unwrap(), None, "to ask is no answer");
    assert_eq!(care.keep_answer(&first, "yes").unwrap(), "yes");
    assert_eq!(care.keep_answer(&first, "no").unwrap(), "yes");
    assert_eq!(care.record_request(&first).unwrap().as_deref(), Some("yes"));
    let second = idempotent_request("l", "honey");
    assert_eq!(care.keep_answer(&second, "").unwrap(), "", "unasked, and with nothing in it");
    assert_eq!(care.record_request(&second).unwrap().as_deref(), Some(""));
}

fn a_key_is_of_one_request(care: &dyn AgendaStore) {
    let (asked, other) = (idempotent_request("k", "honey"), idempotent_request("k", "wax"));
    care.record_request(&asked).unwrap();
    for answered in [false, true] {
        assert_eq!(
            care.record_request(&other).unwrap_err().kind(),
            ErrorKind::Conflict,
            "answered: {answered}"
        );
        assert_eq!(care.keep_answer(&other, "no").unwrap_err().kind(), ErrorKind::Conflict);
        assert_eq!(care.keep_answer(&asked, "yes").unwrap(), "yes");
    }
}

fn a_decision_is_an_answer_as_a_whole(care: &dyn AgendaStore) {
    let (_, new) = approve_with_findings(care, 2);
    let (id, other) = (&new[0].finding.id, &new[1].finding.id);
    let mut dismiss = |finding: &mut Finding| finding.dismiss(event_time(9)).map(|()| None);
    let failed = care.decide(id, Some(&idempotent_request("k", "this")), &mut |_| Err(Error::refused("no")));
    assert_eq!(failed.unwrap_err().kind(), ErrorKind::Refused);
    assert_eq!(
        care.record_request(&idempotent_request("k", "this")).unwrap(),
        None,
        "what failed was not answered"
    );
    let decided = care.decide(id, Some(&idempotent_request("k", "this")), &mut dismiss).unwrap();
    let answer = care.record_request(&idempotent_request("k", "this")).unwrap().unwrap();
    assert_eq!(serde_json::from_str::<Finding>(&answer).unwrap(), decided);
    // A key that is another's takes the decision back with it.
    assert_eq!(
        care.decide(other, Some(&idempotent_request("k", "that")), &mut dismiss).unwrap_err().kind(),
        ErrorKind::Conflict
    );
    assert_eq!(care.finding(other).unwrap().as_ref(), Some(&new[1].finding));
}

fn an_answer_is_forgotten_and_its_key_stays(care: &dyn AgendaStore) {
    assert_eq!(care.forget_answers(&|_| true).unwrap(), 0, "there is none");
    let (honey, wax) = (idempotent_request("k", "honey"), idempotent_request("l", "wax"));
    care.keep_answer(&honey, "sweet").unwrap();
    care.keep_answer(&wax, "hard").unwrap();
    assert_eq!(care.forget_answers(&|answer| answer == "sweet").unwrap(), 1);
    assert_eq!(care.record_request(&honey).unwrap(), None);
    assert_eq!(care.record_request(&wax).unwrap().as_deref(), Some("hard"));
    let other = care.record_request(&idempotent_request("k", "wax")).unwrap_err();
    assert_eq!(other.kind(), ErrorKind::Conflict, "the key is still of its request");
    assert_eq!(care.keep_answer(&honey, "thick").unwrap(), "thick");
}
