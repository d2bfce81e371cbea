//! The proof of the gate: correct citations are never refused, and changes that matter are always caught.
//!
//! A change matters where it makes another claim than the evidence: the words of a quotation are no run of the
//! evidence's words any more; the number, name, day or identifier occurs nowhere in the evidence. What only changes case of
//! a name, white space, Unicode form or typographic marks is the same, and is tested as such in `gate.rs`.

use wellread_core::domain::id::{EvidenceId, RunId};
use wellread_core::domain::verdict::Verdict;
use wellread_testkit::Random;

use crate::answers::{Answer, FIRST, LAST, Slot, WORD, answer, day, written_day};
use crate::evidence_library::Library;

const ANSWERS: u64 = 2_000;
const MUTATIONS: usize = 10_000;

#[test]
fn correct_citations_are_never_refused() {
    for seed in 0..ANSWERS {
        let answer = answer(seed);
        let report = answer.library.judge(&answer.text);
        assert!(report.coverage.sentences > 0, "{seed}: {}", answer.text);
        for judged in &report.sentences {
            assert!(
                judged.verdict.is_borne_out(),
                "{seed}: {:?} of {}\n{:?}\n{:?}",
                judged,
                answer.text,
                answer.facts.iter().map(|fact| &fact.text).collect::<Vec<_>>(),
                wellread_text::split_sentences(&answer.text)
            );
            assert!(!judged.evidence.is_empty());
        }
    }
}

#[test]
fn every_change_that_matters_is_caught() {
    let (mut done, mut seed) = (0, 0);
    let mut random = Random::seeded(99);
    let mut kinds = std::collections::BTreeMap::new();
    while done < MUTATIONS {
        let answer = answer(seed);
        seed += 1;
        for _ in 0..8 {
            let (slot, range, fact) = answer.slots[random.below(answer.slots.len())].clone();
            let Some((kind, with)) = changed(&mut random, &answer, slot, &answer.text[range.clone()], fact)
            else {
                continue;
            };
            let mut text = answer.text.clone();
            text.replace_range(range.clone(), &with);
            let report = answer.library.judge(&text);
            let judged = report.sentences.iter().filter(|judged| {
                judged.span.start < range.start + with.len() && range.start < judged.span.end
            });
            // A citation below a block stands in no sentence: then none may rest on it.
            let judged: Vec<_> = judged.collect();
            let caught = if judged.is_empty() {
                !report.passes()
            } else {
                judged.iter().any(|judged| !judged.verdict.is_borne_out())
            };
            assert!(
                caught,
                "{kind}: {:?} became {with:?} in\n{text}\n{:?}",
                &answer.text[range], answer.facts[fact].text
            );
            *kinds.entry(kind).or_insert(0) += 1;
            done += 1;
        }
    }
    assert!(kinds.len() == 13 && kinds.values().all(|&count| count >= 100), "{kinds:?}");
}

#[test]
fn a_place_that_does_not_hold_any_more_is_caught_for_every_sentence_on_it() {
    let mut random = Random::seeded(5);
    for seed in 0..300 {
        let answer = answer(seed);
        let fact = &answer.facts[random.below(answer.facts.len())];
        let path = Library::path(&fact.path);
        let source = answer.library.ledger.entry(&fact.id).unwrap().source.clone();
        let span = source.file().unwrap().1.span.clone();
        let mut bytes = answer.library.files.tree()[&path].clone();
        match random.below(3) {
            // One byte of the place, a line above it, or the end of the file.
            0 => {
                let at = (span.start..span.end)
                    .filter(|&at| bytes[at].is_ascii_lowercase())
                    .nth(random.below(9))
                    .unwrap();
                bytes[at] = if bytes[at] == b'q' { b'z' } else { b'q' };
            }
            1 => drop(bytes.splice(0..0, *b"A line.\n")),
            _ => bytes.truncate(span.end - 1 - random.below(span.len() - 1)),
        }
        answer.library.files.save(&path, &bytes);
        let report = answer.library.judge(&answer.text);
        let cites = |judged: &&wellread_core::domain::verdict::JudgedSentence| {
            judged.text.contains(&fact.id.to_string())
        };
        assert!(
            report.sentences.iter().filter(cites).all(|judged| judged.verdict == Verdict::Unknown),
            "{seed}"
        );
        assert!(!report.passes(), "{seed}");
    }
}

/// The words of a text, for telling whether a change is one.
fn words(text: &str) -> Vec<String> {
    text.split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

fn is_run(wanted: &str, text: &str) -> bool {
    let (wanted, text) = (words(wanted), words(text));
    wanted.is_empty() || text.windows(wanted.len()).any(|window| window == wanted)
}

/// Something else in the place of what stands there, with the kind of change; none where it would say the same.
fn changed(
    random: &mut Random,
    answer: &Answer,
    slot: Slot,
    old: &str,
    fact: usize,
) -> Option<(&'static str, String)> {
    let evidence = &answer.facts[fact];
    let source = &evidence.text;
    let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
    let mut letters: Vec<char> = old.chars().collect();
    let places: Vec<usize> = (0..letters.len()).filter(|&at| letters[at].is_alphanumeric()).collect();
    let (kind, new) = match slot {
        Slot::Quotation => {
            let at = random.one_of(&places);
            let kind = match random.below(4) {
                0 => {
                    letters[at] = random.one_of(&['q', 'z', '7', 'а', 'é']);
                    "a letter of a quotation"
                }
                1 => {
                    letters.remove(at);
                    "a letter less in a quotation"
                }
                2 => {
                    letters.insert(at, random.one_of(&['q', 'z', 'е']));
                    "a letter more in a quotation"
                }
                _ => {
                    let mut all: Vec<&str> = old.split(' ').collect();
                    let at = random.below(all.len());
                    all[at] = random.one_of(&WORD);
                    letters = all.join(" ").chars().collect();
                    "a word of a quotation"
                }
            };
            let new: String = letters.iter().collect();
            // Words as people read them: what is cut at an end is another word.
            (kind, Some(new).filter(|new| !is_run(new, source)))
        }
        Slot::Number => {
            let figures: Vec<usize> = (0..letters.len()).filter(|&at| letters[at].is_ascii_digit()).collect();
            let at = random.one_of(&figures);
            let other = random.below(10).to_string().chars().next()?;
            let kind = if random.below(2) == 0 { "a digit" } else { "a number" };
            if kind == "a digit" {
                letters[at] = other;
            } else {
                letters = (11 + random.below(9_000)).to_string().chars().collect();
            }
            let new: String = letters.iter().collect();
            // Dates have numbers as well.
            let (year, _, day) = evidence.day;
            let held = [
                digits(source).contains(&digits(&new)),
                digits(&new) == year.to_string(),
                digits(&new) == day.to_string(),
            ];
            (kind, Some(new).filter(|_| !held.contains(&true)))
        }
        Slot::Name => {
            let new = if random.below(2) == 0 { random.one_of(&FIRST) } else { random.one_of(&LAST) };
            ("a name", Some(new.to_owned()).filter(|new| !source.contains(new.as_str())))
        }
        Slot::Day => {
            let other = match random.below(4) {
                0 => day(random),
                1 => (evidence.day.0 + 1, evidence.day.1, evidence.day.2),
                2 => (evidence.day.0, evidence.day.1 % 12 + 1, evidence.day.2),
                _ => (evidence.day.0, evidence.day.1, evidence.day.2 + 1),
            };
            ("a day", (other != evidence.day).then(|| written_day(random, other)))
        }
        Slot::Identifier => {
            let at = random.one_of(&places);
            letters[at] = random.one_of(&['q', 'Z', '9']);
            let new: String = letters.into_iter().collect();
            ("an identifier", Some(new).filter(|new| !source.contains(new.as_str())))
        }
        Slot::Id => match random.below(4) {
            0 => (
                "an id of another run",
                Some(old.replacen(answer.library.ledger.run().as_str(), RunId::fresh().as_str(), 1)),
            ),
            1 => ("an id that was not shown", Some(answer.unshown.to_string())),
            2 => (
                "an id that does not exist",
                Some(EvidenceId::new(answer.library.ledger.run(), 77 + random.below(900) as u32).to_string()),
            ),
            _ => {
                let at = random.one_of(&places[3..]);
                letters[at] = if letters[at] == '7' { '8' } else { '7' };
                let new: String = letters.into_iter().collect();
                (
                    "a letter of an id",
                    Some(new).filter(|new| answer.facts.iter().all(|fact| fact.id.to_string() != *new)),
                )
            }
        },
    };
    new.filter(|new| new != old).map(|new| (kind, new))
}
