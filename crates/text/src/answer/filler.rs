//! Removes what a model says around its answer: preambles, apologies and offers.
//!
//! Only whole sentences at the beginning and at the end are removed, and only those that cite nothing: a sentence that
//! says something about the subject stays, however it begins.

use crate::prose::sentences::{Sentence, SentenceKind, split_sentences};

/// How a sentence before the answer begins, whatever it goes on to say.
const OPENINGS: &[&str] = &[
    "sure!",
    "sure,",
    "sure.",
    "certainly!",
    "certainly,",
    "certainly.",
    "of course!",
    "of course,",
    "of course.",
    "absolutely!",
    "okay,",
    "okay.",
    "got it",
    "understood.",
    "i apologize",
    "i apologise",
    "i'm sorry",
    "i am sorry",
    "sorry",
    "my apologies",
    "apologies",
    "thank you for",
    "thanks for",
    "you're right",
    "you are right",
    "as requested",
    "gerne!",
    "gerne,",
    "natürlich!",
    "entschuldigung",
    "bien sûr",
    "désolé",
    "por supuesto",
    "lo siento",
];

/// How a sentence begins that announces the answer; it does so only if it names one of [`ANNOUNCED`].
const ANNOUNCEMENTS: &[&str] = &[
    "here is",
    "here's",
    "here are",
    "below is",
    "below are",
    "i have",
    "i've",
    "the following is",
    "hier ist",
    "hier sind",
    "voici",
    "aquí está",
    "aquí tienes",
];

/// What an announcement announces.
const ANNOUNCED: &[&str] = &[
    "answer",
    "summary",
    "supplement",
    "section",
    "version",
    "text",
    "revised",
    "rewritten",
    "corrected",
    "updated",
    "removed",
    "antwort",
    "zusammenfassung",
    "fassung",
    "réponse",
    "résumé",
    "respuesta",
    "resumen",
];

/// How a sentence behind the answer begins.
const OFFERS: &[&str] = &[
    "let me know",
    "please let me know",
    "feel free",
    "please feel free",
    "i hope this",
    "hope this helps",
    "would you like me",
    "do you want me",
    "if you would like me",
    "if you'd like me",
    "if you want me",
    "if you have any",
    "is there anything else",
    "sag bescheid",
    "lass mich wissen",
    "n'hésitez pas",
    "avísame",
];

/// The text without the preambles and apologies at its beginning and the offers at its end.
pub fn strip_filler(text: &str) -> String {
    let sentences = split_sentences(text);
    let before = sentences.iter().take_while(|sentence| is_preamble(sentence)).count();
    let after = sentences[before..].iter().rev().take_while(|sentence| is_offer(sentence)).count();
    if before + after == 0 {
        return text.to_owned();
    }
    let (mut kept, mut at) = (String::new(), 0);
    for sentence in sentences[..before].iter().chain(&sentences[sentences.len() - after..]) {
        kept.push_str(&text[at..sentence.span.start]);
        at = sentence.span.end;
    }
    kept.push_str(&text[at..]);
    kept.trim().to_owned()
}

/// Whether a sentence announces an answer, or apologizes for one.
fn is_preamble(sentence: &Sentence) -> bool {
    let Some(said) = plain_words(sentence) else { return false };
    let announces = begins_with(&said, ANNOUNCEMENTS) && ANNOUNCED.iter().any(|word| has_word(&said, word));
    announces || begins_with(&said, OPENINGS)
}

fn is_offer(sentence: &Sentence) -> bool {
    plain_words(sentence).is_some_and(|said| begins_with(&said, OFFERS))
}

/// The sentence in lower case, if it is running text without citations.
fn plain_words(sentence: &Sentence) -> Option<String> {
    let is_plain = sentence.kind == SentenceKind::Prose
        && sentence.citations.is_empty()
        && sentence.block.prefix.trim().is_empty();
    is_plain.then(|| sentence.text.trim().to_lowercase().replace('’', "'"))
}

/// Whether the text begins with one of these, as whole words.
fn begins_with(said: &str, openings: &[&str]) -> bool {
    openings.iter().any(|opening| {
        let rest = said.strip_prefix(opening);
        rest.is_some_and(|rest| !rest.starts_with(|letter: char| letter.is_alphanumeric()))
    })
}

fn has_word(said: &str, word: &str) -> bool {
    said.split(|letter: char| !letter.is_alphanumeric()).any(|other| other == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_around_an_answer_is_removed() {
        for (text, left) in [
            (
                "Sure! Here is the summary:\n\nBees dance. [ev-1]\n\nLet me know if you need more.",
                "Bees dance. [ev-1]",
            ),
            ("I apologize for the confusion. Bees dance. [ev-1]", "Bees dance. [ev-1]"),
            (
                "Here's the corrected version of the text.\n\n### Dance\n\nBees dance.\n",
                "### Dance\n\nBees dance.",
            ),
            ("Hier ist die Zusammenfassung:\n\nBienen tanzen.", "Bienen tanzen."),
            ("Bees dance. Would you like me to go on?", "Bees dance."),
            ("I apologize.", ""),
        ] {
            assert_eq!(strip_filler(text), left, "{text:?}");
        }
    }

    #[test]
    fn what_says_something_stays() {
        for text in [
            "Here is where the hive stands: by the stream. [ev-1]",
            "Here are the figures that the keeper wrote down.",
            "Surely bees dance.",
            "Sure footing is needed on the roof. [ev-1]",
            "If you need wax, melt it at 62 degrees. [ev-1]",
            "- Sure!\n- Let me know",
            "Bees dance.\n",
            "",
        ] {
            assert_eq!(strip_filler(text), text, "{text:?}");
        }
    }
}
