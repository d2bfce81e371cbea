//! What a question is about that asks for no single fact: "What do my notes say about bees?" asks for what there is on a subject, and
//! "Who is Colm?" for what introduces it.

/// How such questions begin, in lower case.
const OPENINGS: [&str; 47] = [
    "what do my notes say about",
    "what do my notes say on",
    "what do my notes tell me about",
    "what do our notes say about",
    "what do the notes say about",
    "what does my vault say about",
    "what does the vault say about",
    "what do i know about",
    "what do we know about",
    "what do i have on",
    "what do i have about",
    "what do i have in my notes about",
    "what have i written about",
    "what have i noted about",
    "what have i got on",
    "what did i write about",
    "what did i note about",
    "what did i write down about",
    "what is there about",
    "what is there on",
    "what is in my notes about",
    "what's in my notes about",
    "what about",
    "tell me about",
    "tell me more about",
    "tell me something about",
    "tell me everything about",
    "tell me what i know about",
    "tell me what my notes say about",
    "give me an overview of",
    "give me a summary of",
    "overview of",
    "summarize my notes on",
    "summarize my notes about",
    "summarise my notes on",
    "summarise my notes about",
    "summarize",
    "summarise",
    "was sagen meine notizen über",
    "was steht in meinen notizen über",
    "was weiß ich über",
    "erzähl mir etwas über",
    "erzähl mir von",
    "que disent mes notes sur",
    "que sais-je sur",
    "parle-moi de",
    "qué dicen mis notas sobre",
];
/// How a question begins that asks who or what something is, in lower case.
const INTRODUCING: [&str; 17] = [
    "who is",
    "who's",
    "who was",
    "who are",
    "what is",
    "what's",
    "what was",
    "what are",
    "wer ist",
    "wer war",
    "was ist",
    "was sind",
    "qui est",
    "qui était",
    "qu'est-ce que",
    "quién es",
    "wie is",
];
/// How open questions may end.
const ENDINGS: [&str; 3] = ["in my notes", "in my vault", "so far"];
/// What may stand before the subject's name.
const ARTICLES: [&str; 16] = [
    "the", "a", "an", "my", "our", "der", "die", "das", "den", "dem", "meine", "meinen", "le", "la", "les",
    "mes",
];

/// The subject of an open question, as written; `None` if it asks for something else.
pub fn find_subject(question: &str) -> Option<&str> {
    strip_opening(question, &OPENINGS)
}

/// What a question asks to be introduced to, as written; `None` if it asks for something else.
pub(super) fn find_introduced(question: &str) -> Option<&str> {
    strip_opening(question, &INTRODUCING)
}

/// The name behind the longest of these openings; `None` if the question begins with none of them, or no name follows.
fn strip_opening<'a>(question: &'a str, openings: &[&str]) -> Option<&'a str> {
    let question = question.trim_end_matches(|letter: char| !letter.is_alphanumeric());
    let rest =
        openings.iter().filter_map(|opening| strip_words(question, opening)).min_by_key(|rest| rest.len())?;
    let rest = ENDINGS.iter().find_map(|ending| strip_last_words(rest, ending)).unwrap_or(rest);
    let subject = ARTICLES.iter().find_map(|article| strip_words(rest, article)).unwrap_or(rest);
    let is_name =
        subject.contains(char::is_alphanumeric) && !ARTICLES.contains(&subject.to_lowercase().as_str());
    is_name.then_some(subject)
}

/// The text behind these words, however they are capitalized and spaced; `None` if it does not begin with them.
fn strip_words<'a>(text: &'a str, words: &str) -> Option<&'a str> {
    let mut rest = text.trim_start();
    for word in words.split(' ') {
        let end = rest.find(char::is_whitespace)?;
        if rest[..end].replace('’', "'").to_lowercase() != word {
            return None;
        }
        rest = rest[end..].trim_start();
    }
    Some(rest)
}

/// The text before these words; `None` if it does not end with them.
fn strip_last_words<'a>(text: &'a str, words: &str) -> Option<&'a str> {
    let at = text.len().checked_sub(words.len()).filter(|at| text.is_char_boundary(*at))?;
    let (before, last) = text.split_at(at);
    let ends = last.eq_ignore_ascii_case(words) && before.ends_with(char::is_whitespace);
    ends.then(|| before.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_open_question_has_a_subject() {
        for (question, subject) in [
            ("What do my notes say about the Rolleiflex?", "Rolleiflex"),
            ("what do  I know about Nikon FM2", "Nikon FM2"),
            ("Tell me about my trip to Leipzig!", "trip to Leipzig"),
            ("What’s in my notes about mead?", "mead"),
            ("What do I know about queens in my notes?", "queens"),
            ("Summarize my notes on mead.", "mead"),
            ("Was sagen meine Notizen über die Varroamilbe?", "Varroamilbe"),
            ("Que disent mes notes sur les abeilles ?", "abeilles"),
        ] {
            assert_eq!(find_subject(question), Some(subject), "{question}");
        }
    }

    #[test]
    fn a_question_for_somebody_or_something_names_it() {
        for (question, name) in [
            ("who is Colm", "Colm"),
            ("What's the Rolleiflex?", "Rolleiflex"),
            ("Wer ist Anna Beck?", "Anna Beck"),
            ("Qu’est-ce que la varroa ?", "varroa"),
        ] {
            assert_eq!(find_introduced(question), Some(name), "{question}");
        }
        for question in ["Who is?", "Who sold me the boat?", "What do I know about bees?", "what"] {
            assert_eq!(find_introduced(question), None, "{question}");
        }
    }

    #[test]
    fn other_questions_have_none() {
        for question in [
            "",
            "?",
            "What is a Rolleiflex?",
            "What do my notes say about",
            "What do my notes say about the?",
            "tell me about …",
            "What do I do about varroa?",
            "about bees",
            "Whom did I tell about bees?",
        ] {
            assert_eq!(find_subject(question), None, "{question}");
        }
    }
}
