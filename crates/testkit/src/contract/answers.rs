//! The contract of [`Answers`].
//!
//! [`Answers`]: wellread_core::ports::Answers

use wellread_core::ports::agenda::{Finding, Once};
use wellread_core::{Error, Kind};

use super::agendas::Care;
use super::findings::found;
use crate::run_fixtures::second;

pub(super) fn answers<A: Care>(make: &dyn Fn() -> A) {
    a_request_has_one_answer_for_good(&make());
    a_key_is_of_one_request(&make());
    a_decision_is_an_answer_as_a_whole(&make());
}

fn once(key: &str, asked: &str) -> Once {
    Once::new(key, "accept", &asked).unwrap()
}

fn a_request_has_one_answer_for_good(care: &dyn Care) {
    let first = once("k", "honey");
    assert_eq!(care.ask(&first).unwrap(), None);
    assert_eq!(care.ask(&first).unwrap(), None, "to ask is no answer");
    assert_eq!(care.answer(&first, "yes").unwrap(), "yes");
    assert_eq!(care.answer(&first, "no").unwrap(), "yes");
    assert_eq!(care.ask(&first).unwrap().as_deref(), Some("yes"));
    let second = once("l", "honey");
    assert_eq!(care.answer(&second, "").unwrap(), "", "unasked, and with nothing in it");
    assert_eq!(care.ask(&second).unwrap().as_deref(), Some(""));
}

fn a_key_is_of_one_request(care: &dyn Care) {
    let (asked, other) = (once("k", "honey"), once("k", "wax"));
    care.ask(&asked).unwrap();
    for answered in [false, true] {
        assert_eq!(care.ask(&other).unwrap_err().kind(), Kind::Conflict, "answered: {answered}");
        assert_eq!(care.answer(&other, "no").unwrap_err().kind(), Kind::Conflict);
        assert_eq!(care.answer(&asked, "yes").unwrap(), "yes");
    }
}

fn a_decision_is_an_answer_as_a_whole(care: &dyn Care) {
    let (_, new) = found(care, 2);
    let (id, other) = (&new[0].finding.id, &new[1].finding.id);
    let mut dismiss = |finding: &mut Finding| finding.dismiss(second(9)).map(|()| None);
    let failed = care.decide(id, Some(&once("k", "this")), &mut |_| Err(Error::refused("no")));
    assert_eq!(failed.unwrap_err().kind(), Kind::Refused);
    assert_eq!(care.ask(&once("k", "this")).unwrap(), None, "what failed was not answered");
    let decided = care.decide(id, Some(&once("k", "this")), &mut dismiss).unwrap();
    let answer = care.ask(&once("k", "this")).unwrap().unwrap();
    assert_eq!(serde_json::from_str::<Finding>(&answer).unwrap(), decided);
    // A key that is another's takes the decision back with it.
    assert_eq!(
        care.decide(other, Some(&once("k", "that")), &mut dismiss).unwrap_err().kind(),
        Kind::Conflict
    );
    assert_eq!(care.finding(other).unwrap().as_ref(), Some(&new[1].finding));
}
