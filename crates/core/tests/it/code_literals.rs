//! Questions about code that quote a text, answered without a model: the lines that have it come first.

use crate::code_relations::shop;

fn answer(code: &str, question: &str) -> String {
    crate::code_relations::answer(&shop(code), question)
}

/// Checks that an answer has these pieces in this order.
#[track_caller]
fn check_order(answer: &str, pieces: &[&str]) {
    let mut rest = answer;
    for piece in pieces {
        let at = rest.find(piece).unwrap_or_else(|| panic!("no {piece} in order\n{answer}"));
        rest = &rest[at + piece.len()..];
    }
}

/// Files that speak of the words of a text in their own way.
fn crowd() -> String {
    let file = |number: usize| {
        format!(
            "-- queue_{number}.py\ndef wait_{number}(jars):\n    # many jars wait for too long\n    return jars\n"
        )
    };
    (0..9).map(file).collect()
}

const QUEUE: &str = "-- queue.py
class TooManyJars(Exception):
    def __str__(self):
        return \"too many jars\"
-- tests/test_queue.py
def test_it():
    assert str(TooManyJars()) == \"too many jars\"
";

#[test]
fn a_quoted_text_is_found_whatever_the_other_words_of_the_question_are() {
    let code = format!("{QUEUE}{}", crowd());
    for quoted in ["'too many jars'", "\"too many jars\"", "`too many jars`"] {
        let answer = answer(&code, &format!("where is {quoted} raised?"));
        check_order(
            &answer,
            &[
                "### Relevant code",
                "`queue.py:2-3`",
                "return \"too many jars\"",
                "tests/test_queue.py",
                "assert str",
            ],
        );
    }
}

#[test]
fn a_constant_that_holds_a_quoted_text_leads_to_what_throws_it() {
    let code = "-- limit.ts
const TOO_HEAVY = 'The Jar Is Too Heavy'

export function limit(jar: Jar) {
  if (jar.weight > 9) {
    throw new Error(TOO_HEAVY)
  }
}
-- types.ts
export type Reason = { text: 'The Jar Is Too Heavy' }
";
    let answer = answer(code, "where is 'The Jar Is Too Heavy' thrown?");
    check_order(&answer, &["throw new Error(TOO_HEAVY)", "const TOO_HEAVY = 'The Jar Is Too Heavy'"]);
}

#[test]
fn a_quoted_text_that_begins_like_a_call_is_a_text() {
    let code = "-- handler.ts
export interface Handler {
  next: (jar?: Jar) => Promise<Jar>
}
-- line.ts
export function fill(at: number, last: number) {
  if (at <= last) {
    throw new Error('next() called multiple times')
  }
}
";
    let answer = answer(code, "where is 'next() called multiple times' thrown?");
    check_order(&answer, &["1. `fill` (`line.ts:", "throw new Error('next() called multiple times')"]);
    assert!(!answer.contains("handler.ts"), "{answer}");
}

#[test]
fn a_quoted_word_that_nothing_is_named_is_a_text() {
    let code = "-- door.py\ndef knock(jar):\n    raise Refused(401, \"Unauthorized\")\n";
    let answer = answer(code, "where is 'Unauthorized' raised?");
    check_order(&answer, &["raise Refused(401, \"Unauthorized\")"]);
    assert!(!answer.contains("is not defined"), "{answer}");
}

#[test]
fn a_quoted_text_that_is_nowhere_is_said_to_be_missing() {
    let answer = answer(QUEUE, "where is 'no such honey here' raised?");
    assert!(answer.contains("- The text `no such honey here` is not in the searched files."), "{answer}");
}

#[test]
fn a_question_for_a_default_is_answered_by_the_lines_that_give_a_value() {
    let code = "-- settings.py
class Settings:
    def __init__(
        self,
        keep_alive: int = 5,
        wait: float = 0.5,
    ):
        self.keep_alive = keep_alive
        self.wait = wait
-- handler.py
class Handler:
    def __init__(self, settings):
        self.keep_alive = settings.keep_alive
-- types.d.ts
export interface Options { keep_alive?: number, lidLimit?: number }
-- usual.js
const usual = {
  lidLimit: 1024 * 1024
}

function open (options) {
  options.lidLimit = options.lidLimit || usual.lidLimit
}
-- tests/test_settings.py
def test_it():
    Settings(keep_alive=1)
";
    for (question, place, value) in [
        ("what is the default of keep_alive?", "1. `__init__` (`settings.py:", "keep_alive: int = 5,"),
        ("what is the default value of lidLimit?", "1. `usual` (`usual.js:", "lidLimit: 1024 * 1024"),
        ("What does wait default to?", "1. `__init__` (`settings.py:", "wait: float = 0.5,"),
    ] {
        let answer = answer(code, question);
        check_order(&answer, &["### Relevant code", place, value]);
        assert!(!answer.contains("keep_alive=1"), "{answer}");
    }
}
