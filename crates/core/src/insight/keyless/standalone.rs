//! Whether a sentence can be understood by itself, without the one before it.

/// How a sentence leans on what stands before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Leaning {
    /// It speaks of something by a pronoun: below a heading, that may be what the heading names.
    Pronoun,
    /// It refers to what was just said, or goes on with it.
    Reference,
}

const PRONOUNS: [&str; 15] = [
    "it", "they", "he", "she", "its", "their", "his", "her", "es", "sie", "er", "il", "elle", "ils", "elles",
];
/// Words that refer to what was said.
const REFERENCES: [&str; 32] = [
    "this",
    "that",
    "these",
    "those",
    "such",
    "both",
    "otherwise",
    "however",
    "also",
    "therefore",
    "thus",
    "then",
    "instead",
    "likewise",
    "similarly",
    "hence",
    "moreover",
    "furthermore",
    "additionally",
    "consequently",
    "but",
    "and",
    "so",
    "or",
    "dies",
    "diese",
    "dieser",
    "dieses",
    "dabei",
    "cela",
    "ceci",
    "afterwards",
];
const REFERRING_PHRASES: [&str; 22] = [
    "in this ",
    "in these ",
    "in that ",
    "in those ",
    "in such ",
    "as a result",
    "for example",
    "for instance",
    "the latter",
    "the former",
    "doing so",
    "because of this",
    "note that this",
    "note that these",
    "if so",
    "if not",
    "before that",
    "after that",
    "since then",
    "until then",
    "apart from that",
    "besides that",
];
/// What stands behind a "there" that refers to no place: "there are two hives".
const EXISTS: [&str; 14] = [
    "is", "are", "was", "were", "be", "been", "will", "would", "has", "have", "had", "may", "must", "should",
];
/// What announces something that is not in the sentence.
const ANNOUNCEMENTS: [&str; 8] =
    ["e.g.", "i.e.", "for example", "for instance", "such as", "as follows", "z. b.", "z.b."];
/// What one does on a screen: a step of instructions for it, and nothing to know.
const SCREEN_STEPS: [&str; 9] =
    ["click", "right-click", "double-click", "select", "toggle", "scroll", "navigate", "hover", "uncheck"];
/// How descriptions of functions begin: what does it stands in the heading.
const FUNCTION_VERBS: [&str; 33] = [
    "returns",
    "gets",
    "sets",
    "performs",
    "resolves",
    "extends",
    "creates",
    "adds",
    "removes",
    "converts",
    "checks",
    "defines",
    "specifies",
    "sends",
    "reads",
    "writes",
    "parses",
    "opens",
    "closes",
    "calls",
    "invokes",
    "loads",
    "saves",
    "updates",
    "deletes",
    "retrieves",
    "fetches",
    "emits",
    "registers",
    "determines",
    "indicates",
    "inserts",
    "moves",
];
const DETERMINERS: [&str; 12] =
    ["a", "an", "the", "all", "any", "whether", "if", "its", "this", "each", "every", "one"];

/// How a sentence, without its marks, leans on the one before it; `None` if it does not.
pub(super) fn find_leaning(plain: &str) -> Option<Leaning> {
    let lower = plain.trim().to_lowercase();
    let mut words = words(&lower);
    let (first, second) = (words.next()?, words.next().unwrap_or_default());
    // "Functionally it's the same."
    let subject =
        if first.ends_with("ly") { second.split(['\'', '’']).next().unwrap_or_default() } else { first };
    if PRONOUNS.contains(&subject) && second != "also" {
        return Some(Leaning::Pronoun);
    }
    let refers = second == "also" && PRONOUNS.contains(&subject)
        || REFERENCES.contains(&first)
        || REFERRING_PHRASES.iter().any(|lead| lower.starts_with(lead))
        || refers_to_place(&lower);
    refers.then_some(Leaning::Reference)
}

/// Whether a sentence says "there" of a place that it does not name before.
fn refers_to_place(lower: &str) -> bool {
    let all: Vec<&str> = words(lower).collect();
    let Some(at) = all.iter().position(|word| *word == "there") else { return false };
    let names_place = all[..at].iter().any(|word| ["in", "at", "to", "near", "from", "where"].contains(word));
    let exists = all.get(at + 1).is_some_and(|next| EXISTS.contains(next));
    at > 0 && !names_place && !exists && !["out", "over", "up", "down", "is", "are"].contains(&all[at - 1])
}

/// Whether a sentence says nothing by itself, whatever stands before it: it announces something, is a step on a screen, or
/// describes a function that only the heading names.
pub(super) fn says_nothing_alone(plain: &str) -> bool {
    let lower = plain.trim().to_lowercase();
    let announces = ANNOUNCEMENTS.iter().any(|end| lower.trim_end_matches([':', ',']).ends_with(end));
    let mut words = words(&lower);
    let (first, second) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let describes = FUNCTION_VERBS.contains(&first) && DETERMINERS.contains(&second);
    announces || describes || SCREEN_STEPS.contains(&first)
}

fn words(lower: &str) -> impl Iterator<Item = &str> {
    lower
        .split_whitespace()
        .map(|word| word.trim_matches(|letter: char| !letter.is_alphanumeric()))
        .filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_refers_to_the_sentence_before_leans_on_it() {
        for (plain, expected) in [
            ("It opened the path to more.", Some(Leaning::Pronoun)),
            ("It also opened the path to more.", Some(Leaning::Reference)),
            ("Functionally it’s the same.", Some(Leaning::Pronoun)),
            ("Their hives stand in the shade.", Some(Leaning::Pronoun)),
            ("This is why it fails.", Some(Leaning::Reference)),
            ("However, the seal leaks.", Some(Leaning::Reference)),
            ("In these cases, ask Wolff.", Some(Leaning::Reference)),
            ("Before that we insured it for £6,500.", Some(Leaning::Reference)),
            ("Not insured there for more than £10k.", Some(Leaning::Reference)),
            ("We drove to Kiel and stayed there.", None),
            ("In May there were two hives.", None),
            ("In summer the seal leaks.", None),
            ("Itineraries are kept in the drawer.", None),
            ("", None),
        ] {
            assert_eq!(find_leaning(plain), expected, "{plain}");
        }
    }

    #[test]
    fn announcements_steps_and_descriptions_of_functions_say_nothing_alone() {
        for plain in [
            "You can also embed data by fenced blocks, e.g.",
            "Click Save to keep it.",
            "Returns the size of the hive.",
            "The steps are as follows:",
        ] {
            assert!(says_nothing_alone(plain), "{plain}");
        }
        for plain in ["Press the cheese for two hours.", "Returns are free.", "Needs a new seal.", ""] {
            assert!(!says_nothing_alone(plain), "{plain}");
        }
    }
}
