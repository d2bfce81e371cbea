//! A sentence in the passive voice, turned into the active one: the verifier reads both, since it is surer of the plainer one.

const BEING: [&[&str]; 4] = [&["was"], &["were"], &["has", "been"], &["have", "been"]];
/// What may begin a part of the sentence behind the one who acts.
const GOES_ON: [&str; 22] = [
    "about", "after", "as", "at", "because", "before", "during", "for", "from", "in", "into", "on", "over",
    "since", "so", "through", "to", "under", "until", "when", "while", "with",
];

/// The sentence in the active voice: "The bellows were repaired by Tom in May." as "Tom repaired the bellows in May." `None` if it is
/// not one whose verb is the same in both.
pub(super) fn to_active(statement: &str) -> Option<String> {
    let body = statement.strip_suffix('.')?;
    let words: Vec<&str> = body.split(' ').collect();
    let by = words.iter().position(|word| *word == "by")?;
    let (verb_at, being) = BEING.iter().find_map(|being| {
        let verb_at = by.checked_sub(1)?;
        let start = verb_at.checked_sub(being.len())?;
        (words[start..verb_at] == **being).then_some((verb_at, start))
    })?;
    let (verb, acted_on) = (words[verb_at], &words[..being]);
    let end =
        words[by + 1..].iter().position(|word| GOES_ON.contains(word)).map_or(words.len(), |at| by + 1 + at);
    let (actor, rest) = (&words[by + 1..end], &words[end..]);
    let is_plain = verb.ends_with("ed") && !actor.is_empty() && !acted_on.is_empty();
    if !is_plain || words.iter().any(|word| word.contains([',', ';', ':', '(', '"', '`'])) {
        return None;
    }
    let mut active: Vec<String> = vec![capitalize(&actor.join(" ")), verb.to_owned()];
    active.push(lower_article(&acted_on.join(" ")));
    active.extend(rest.iter().map(|word| (*word).to_owned()));
    Some(format!("{}.", active.join(" ")))
}

fn capitalize(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// A first word that is written with a capital only because it is the first.
fn lower_article(text: &str) -> String {
    let first = text.split(' ').next().unwrap_or_default();
    let is_article =
        ["The", "A", "An", "This", "That", "These", "Those", "Its", "Their", "Our", "My", "All", "Each"];
    if is_article.contains(&first) { first.to_lowercase() + &text[first.len()..] } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::to_active;

    #[test]
    fn a_passive_sentence_is_turned_around() {
        for (passive, active) in [
            ("The bellows of the Mamiya were repaired by Tom.", "Tom repaired the bellows of the Mamiya."),
            ("The bellows were repaired by Tom in May.", "Tom repaired the bellows in May."),
            ("Version 3 has been released by the team.", "The team released Version 3."),
        ] {
            assert_eq!(to_active(passive).as_deref(), Some(active));
        }
    }

    #[test]
    fn other_sentences_are_left_alone() {
        for sentence in [
            "",
            "by.",
            "was opened by.",
            "Tom repaired the bellows.",
            "The house stands by the river.",
            "It was written by Anna.",
            "The shop, which was opened by Tom, is closed.",
            "was repaired by Tom.",
        ] {
            assert_eq!(to_active(sentence), None, "{sentence}");
        }
    }
}
