//! The words by which kinds of answers are recognized, and when two words are the same.

/// Endings that make another form of the same word.
const ENDINGS: [&str; 16] = [
    "s", "es", "ed", "e", "ing", "ion", "tion", "ation", "al", "ly", "er", "ment", "or", "ive", "ity", "able",
];

/// Whether two stems are the same word or forms of it, or a version and its number: "8" and "8.x".
pub(super) fn is_same_word(one: &str, other: &str) -> bool {
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    let Some(rest) = long.strip_prefix(short) else { return false };
    let is_number = short.bytes().all(|byte| byte.is_ascii_digit());
    rest.is_empty() || is_number && rest == ".x" || short.len() >= 5 && ENDINGS.contains(&rest)
}

/// Whether a stem is among others, in any form.
pub(super) fn has_stem<'a>(mut all: impl Iterator<Item = &'a String>, stem: &str) -> bool {
    all.any(|known| is_same_word(known, stem))
}

/// Headings that say nothing about what is below them.
pub(super) const GENERAL_HEADINGS: [&str; 8] = [
    "description",
    "overview",
    "introduction",
    "about",
    "summary",
    "beschreibung",
    "présentation",
    "purpose",
];
/// Verbs between a subject and what is said of it.
pub(super) const EQUATES: [&str; 18] = [
    "is", "are", "was", "were", "means", "mean", "refers", "ist", "sind", "est", "sont", "heisst", "has",
    "will", "can", "blocks", "removes", "provides",
];
pub(super) const NUMBER_WORDS: [&str; 14] = [
    "one ", "two ", "three ", "four ", "five ", "six ", "seven ", "eight ", "nine ", "ten ", "half ",
    "tenth", "twice", "dozen",
];
pub(super) const DATES: [&str; 21] = [
    "january",
    "february",
    "march",
    "april",
    " may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
    "spring",
    "summer",
    "autumn",
    "winter",
    "juin",
    "mai",
    "version ",
    "weeks",
    "days",
];
pub(super) const TIMES: [&str; 12] = [
    " day", "week", "month", "year", "hour", "minute", "morning", "evening", "noon", "when ", "after ",
    "before ",
];
pub(super) const REASONS: [&str; 11] = [
    "because",
    "so that",
    "that is why",
    "this is why",
    "due to",
    "therefore",
    "reason",
    "in order to",
    "weil ",
    "parce",
    "otherwise",
];
/// Beginnings of a sentence that gives the reason in the sentence before.
pub(super) const CONCLUDES: [&str; 5] =
    ["this is why", "that is why", "therefore", "for this reason", "hence"];
pub(super) const PLACES: [&str; 14] = [
    " in ",
    " at ",
    " under ",
    " on ",
    " near ",
    " behind ",
    " from ",
    "/",
    " into ",
    " inside ",
    " beside ",
    " against ",
    " im ",
    " dans ",
];
pub(super) const LOCATES: [&str; 7] =
    ["stored in", "stores ", "stand", "located", " location ", " directory named ", "installed to"];
pub(super) const CONFIRMS: [&str; 9] = ["yes", "no", "not ", "never", "only", "ja", "nein", "oui", "non"];
pub(super) const IMPERATIVES: [&str; 42] = [
    "use",
    "run",
    "set",
    "add",
    "create",
    "combine",
    "install",
    "call",
    "pass",
    "enable",
    "disable",
    "open",
    "choose",
    "put",
    "give",
    "take",
    "make",
    "write",
    "define",
    "configure",
    "specify",
    "include",
    "remove",
    "delete",
    "move",
    "copy",
    "start",
    "stop",
    "try",
    "check",
    "keep",
    "simply",
    "first",
    "instead",
    "two",
    "mix",
    "feed",
    "wash",
    "fill",
    "replace",
    "supply",
    "to",
];
