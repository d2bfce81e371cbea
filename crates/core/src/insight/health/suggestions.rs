//! Missing links and aliases: names of notes in running text, and names that only links use.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use wellread_text::{NameFinder, Shingles, Span, Words, fold, significant_words};

use super::links::Links;
use super::note_names::{NameOrigin, NoteName, collect_note_names};
use super::notes::{Notes, ParsedNote};
use super::report::{SuggestedAlias, SuggestedLink};

/// The number of shingles kept of a note to find similar ones.
const SKETCH: usize = 8;
const MAX_LINKS: usize = 100;
const MAX_ALIASES: usize = 50;
/// An everyday word is taken for a note's name in this many notes at most.
const MAX_EVERYDAY_USES: usize = 5;
/// If more than one in this many notes mentions a name, its owner does not want it linked each time.
const COMMON_NAME_RATIO: usize = 4;
/// With fewer notes than these, [`COMMON_NAME_RATIO`] says nothing.
const MIN_NOTES: usize = 10;
/// What each further suggestion for the same note loses in score.
const REPEAT_PENALTY: f32 = 0.6;

pub(super) struct Suggestions {
    pub links: Vec<SuggestedLink>,
    pub aliases: Vec<SuggestedAlias>,
}

/// A name in a note's running text.
struct NameMention {
    from: usize,
    called: usize,
    /// The first occurrence.
    span: Span,
    /// How often it occurs by itself; 0 if it is always part of a longer phrase.
    count: usize,
}

/// All names, and where they are mentioned.
pub(super) struct NameMentions {
    names: Vec<NoteName>,
    mentions: Vec<NameMention>,
}

/// Scans the words of every note: which names of other notes it mentions, once per note and name; how many words it
/// has, and its smallest shingles.
pub(super) fn find_name_mentions(notes: &mut Notes, links: &Links) -> NameMentions {
    let names = collect_note_names(notes, links);
    let spotter = NameFinder::new(names.iter().map(|called| called.name.as_str()));
    let mut mentions = Vec::new();
    let mut here: BTreeMap<usize, (Span, usize)> = BTreeMap::new();
    let mut words = Words::default();
    for (from, note) in notes.all.iter_mut().enumerate() {
        words.read(&note.text, note.body());
        note.words = words.len();
        note.sketch = Shingles::smallest(&words, SKETCH);
        if note.is_ours {
            continue;
        }
        spotter.find_names(&note.text, &words, &note.closed, |called, span| {
            let name = &names[called];
            let is_meant = !name.is_everyday || is_meant(note, &name.name, &span);
            if name.note != from && is_meant && is_running_text(note, &span) {
                let is_part = name.is_small && is_in_phrase(&note.text, &span);
                let (first, count) = here.entry(called).or_insert_with(|| (span.clone(), 0));
                if !is_part {
                    if *count == 0 {
                        *first = span;
                    }
                    *count += 1;
                }
            }
        });
        let all = std::mem::take(&mut here).into_iter();
        mentions.extend(all.map(|(called, (span, count))| NameMention { from, called, span, count }));
    }
    NameMentions { names, mentions }
}

pub(super) fn build_suggestions(notes: &Notes, links: &Links, mentioned: &NameMentions) -> Suggestions {
    let NameMentions { names, mentions } = mentioned;
    let mut said_by: Vec<usize> = vec![0; names.len()];
    mentions.iter().for_each(|mention| said_by[mention.called] += 1);
    let is_telling = |number: usize| {
        let usual = (notes.all.len() / COMMON_NAME_RATIO).max(MIN_NOTES);
        said_by[number] <= if names[number].is_everyday { MAX_EVERYDAY_USES } else { usual }
    };
    let telling: Vec<&NameMention> =
        mentions.iter().filter(|mention| mention.count > 0 && is_telling(mention.called)).collect();
    Suggestions {
        links: suggest_links(notes, links, names, &telling, &said_by),
        aliases: suggest_aliases(notes, links, names, &telling),
    }
}

/// Whether a span is neither in a heading nor in a section that Wellread wrote.
fn is_running_text(note: &ParsedNote, span: &Span) -> bool {
    let holds = |other: &Span| other.start <= span.start && span.end <= other.end;
    !note.own.iter().any(holds) && !note.headings.iter().any(|heading| holds(&heading.span))
}

/// Whether an everyday word means the note of that name: spelled alike, with a capital that is not due to the beginning
/// of a sentence.
fn is_meant(note: &ParsedNote, name: &str, span: &Span) -> bool {
    let before = note.text[..span.start].trim_end_matches([' ', '\t', '*', '_', '"', '“', '(']);
    let begins =
        before.is_empty() || before.ends_with(['.', '!', '?', ':', '\n', '-', '+', '>', '|', ']', '…']);
    note.text[span.clone()] == *name && name.starts_with(char::is_uppercase) && !begins
}

/// Whether a word is right beside another content word, so that both are one phrase: `percentile distribution`.
fn is_in_phrase(text: &str, span: &Span) -> bool {
    let carries = |word: &str| {
        word.starts_with(char::is_lowercase) && significant_words(word).iter().any(|stem| stem.len() > 2)
    };
    let is_letter = |letter: char| letter.is_alphanumeric();
    let before = text[..span.start].trim_end_matches([' ', '-']);
    let behind = text[span.end..].trim_start_matches([' ', '-']);
    let last = before.rsplit(|letter| !is_letter(letter)).next().unwrap_or_default();
    let next = behind.split(|letter| !is_letter(letter)).next().unwrap_or_default();
    carries(last) || carries(next)
}

fn suggest_links(
    notes: &Notes,
    links: &Links,
    names: &[NoteName],
    mentions: &[&NameMention],
    said_by: &[usize],
) -> Vec<SuggestedLink> {
    let all = notes.all.len().max(1) as f32;
    let mut best: HashMap<(usize, usize), (f32, &NameMention)> = HashMap::new();
    for mention in mentions {
        let name = &names[mention.called];
        if name.how == NameOrigin::Shown || links.has_link(mention.from, name.note) {
            continue;
        }
        let rare = (all / said_by[mention.called].max(1) as f32).ln();
        let more_words = 0.8 * (name.words.min(4) - 1) as f32;
        let often = 0.3 * (mention.count.min(4) - 1) as f32;
        let spelled = if notes.all[mention.from].text[mention.span.clone()] == name.name { 0.5 } else { 0.0 };
        let everyday = if name.is_everyday { 2.0 } else { 0.0 };
        let score = rare + more_words + often + spelled - everyday;
        let known = best.entry((mention.from, name.note)).or_insert((score, mention));
        if score > known.0 {
            *known = (score, mention);
        }
    }
    let mut ranked: Vec<(f32, usize, &NameMention)> =
        best.into_iter().map(|((_, to), (score, mention))| (score, to, mention)).collect();
    sort(&mut ranked);
    // Not the same note a hundred times: each further suggestion counts less.
    let mut times: HashMap<usize, usize> = HashMap::new();
    for (score, to, _) in &mut ranked {
        let before = times.entry(*to).or_default();
        *score -= REPEAT_PENALTY * *before as f32;
        *before += 1;
    }
    sort(&mut ranked);
    ranked
        .into_iter()
        .take(MAX_LINKS)
        .map(|(_, to, mention)| build_suggested_link(notes, names, to, mention))
        .collect()
}

fn sort(ranked: &mut [(f32, usize, &NameMention)]) {
    ranked.sort_by(|one, other| {
        other.0.total_cmp(&one.0).then_with(|| (one.2.from, one.1).cmp(&(other.2.from, other.1)))
    });
}

fn build_suggested_link(
    notes: &Notes,
    names: &[NoteName],
    to: usize,
    mention: &NameMention,
) -> SuggestedLink {
    let (note, name) = (&notes.all[mention.from], &names[mention.called]);
    let written = notes.names.shortest_link(notes.all[to].path.as_str(), note.path.as_str());
    let written = written.strip_suffix(".md").unwrap_or(&written);
    let what = match name.how {
        NameOrigin::Alias => "an alias",
        NameOrigin::Title => "the title",
        NameOrigin::File | NameOrigin::Shown => "the name",
    };
    let often =
        if mention.count > 1 { format!(" It appears there {} times.", mention.count) } else { String::new() };
    SuggestedLink {
        from: note.path.to_string(),
        line: note.line_at(mention.span.start),
        mention: note.text[mention.span.clone()].split_whitespace().collect::<Vec<_>>().join(" "),
        to: notes.path(to),
        reason: format!(
            "`{}` is {what} of [[{written}]], which this note does not link to.{often}",
            name.name
        ),
    }
}

fn suggest_aliases(
    notes: &Notes,
    links: &Links,
    names: &[NoteName],
    mentions: &[&NameMention],
) -> Vec<SuggestedAlias> {
    let mut users: BTreeMap<usize, (BTreeSet<usize>, BTreeSet<usize>)> = BTreeMap::new();
    let mut numbers: HashMap<(usize, String), usize> = HashMap::new();
    for (number, name) in names.iter().enumerate().filter(|(_, name)| name.how == NameOrigin::Shown) {
        numbers.insert((name.note, fold(&name.name)), number);
    }
    for (note, shown, from) in &links.shown {
        if let Some(&number) = numbers.get(&(*note as usize, fold(shown.trim()))) {
            users.entry(number).or_default().0.insert(*from as usize);
        }
    }
    for mention in mentions {
        if let Some((linking, plain)) = users.get_mut(&mention.called)
            && !linking.contains(&mention.from)
        {
            plain.insert(mention.from);
        }
    }
    let mut found: Vec<SuggestedAlias> = users
        .into_iter()
        .filter(|(number, (linking, plain))| {
            let name = &names[*number];
            if is_part_of_title(notes, name) {
                // Whoever writes it without a link means something else.
                return linking.len() > 1 && plain.is_empty();
            }
            linking.len() > 1 || !plain.is_empty() && is_proper(name)
        })
        .map(|(number, (linking, plain))| {
            let name = &names[number];
            SuggestedAlias {
                path: notes.path(name.note),
                alias: name.name.clone(),
                used_by: linking.len() + plain.len(),
                reason: render_alias_reason(&name.name, linking.len(), plain.len()),
            }
        })
        .collect();
    found.sort_by(|one, other| {
        other
            .used_by
            .cmp(&one.used_by)
            .then_with(|| (&one.path, &one.alias).cmp(&(&other.path, &other.alias)))
    });
    found.truncate(MAX_ALIASES);
    found
}

/// Whether a name is one anywhere: it has several words, or a capital.
fn is_proper(called: &NoteName) -> bool {
    called.words > 1 || called.name.starts_with(char::is_uppercase)
}

/// Whether it is one word of a longer title: `GitHub` of `Setting up your GitHub repository`.
fn is_part_of_title(notes: &Notes, called: &NoteName) -> bool {
    let note = &notes.all[called.note];
    let title = fold(note.title.as_deref().unwrap_or_default());
    let stem = fold(note.path.stem());
    let holds = |name: &str| {
        let words: Vec<&str> =
            name.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
        words.len() > 1 && words.contains(&fold(&called.name).as_str())
    };
    called.words == 1 && (holds(&stem) || holds(&title))
}

fn render_alias_reason(name: &str, linking: usize, plain: usize) -> String {
    let notes = |count: usize, one: &str, many: &str| match count {
        1 => format!("1 note {one}"),
        more => format!("{more} notes {many}"),
    };
    let shown = notes(linking, "shows", "show");
    match plain {
        0 => format!("{shown} `{name}` for it in a link"),
        some => format!("{shown} `{name}` for it in a link, {} it in plain text", notes(some, "says", "say")),
    }
}
