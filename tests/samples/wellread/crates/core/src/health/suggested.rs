//! Links and aliases that are missing: names of notes that stand in running text, and names that only links know.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use wellread_text::{Shingles, Span, Spotter, Words, fold, telling_words};

use super::links::Links;
use super::named::{Called, How, called};
use super::reading::{Notes, ReadNote};
use super::report::{SuggestedAlias, SuggestedLink};

/// How many shingles stand for a note when others like it are looked for.
const SKETCH: usize = 8;
const MOST_LINKS: usize = 100;
const MOST_ALIASES: usize = 50;
/// A word of every day is taken for a note's name in so many notes at the most.
const RARE: usize = 5;
/// Where more than one note in so many says a name, its owner does not want it linked each time; with fewer notes than
/// these, that tells nothing.
const SAID_BY_ALL: usize = 4;
const FEW_NOTES: usize = 10;
/// What a further suggestion for the same note counts less.
const AGAIN: f32 = 0.6;

pub(super) struct Suggested {
    pub links: Vec<SuggestedLink>,
    pub aliases: Vec<SuggestedAlias>,
}

/// A name in a note's running text.
struct Mention {
    from: usize,
    called: usize,
    /// The first place.
    span: Span,
    /// How often it stands for itself; never, where it is only ever a word of longer phrases.
    count: usize,
}

/// All names, and where they are said.
pub(super) struct Spoken {
    names: Vec<Called>,
    mentions: Vec<Mention>,
}

/// Goes through the words of every note: which names it says of others, once a note and name; how many words it has, and which
/// shingles stand for it.
pub(super) fn spoken(notes: &mut Notes, links: &Links) -> Spoken {
    let names = called(notes, links);
    let spotter = Spotter::of(names.iter().map(|called| called.name.as_str()));
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
        spotter.spot(&note.text, &words, &note.closed, |called, span| {
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
        mentions.extend(all.map(|(called, (span, count))| Mention { from, called, span, count }));
    }
    Spoken { names, mentions }
}

pub(super) fn suggested(notes: &Notes, links: &Links, spoken: &Spoken) -> Suggested {
    let Spoken { names, mentions } = spoken;
    let mut said_by: Vec<usize> = vec![0; names.len()];
    mentions.iter().for_each(|mention| said_by[mention.called] += 1);
    let is_telling = |number: usize| {
        let usual = (notes.all.len() / SAID_BY_ALL).max(FEW_NOTES);
        said_by[number] <= if names[number].is_everyday { RARE } else { usual }
    };
    let telling: Vec<&Mention> =
        mentions.iter().filter(|mention| mention.count > 0 && is_telling(mention.called)).collect();
    Suggested {
        links: suggested_links(notes, links, names, &telling, &said_by),
        aliases: suggested_aliases(notes, links, names, &telling),
    }
}

/// Neither a heading nor what Wellread wrote.
fn is_running_text(note: &ReadNote, span: &Span) -> bool {
    let holds = |other: &Span| other.start <= span.start && span.end <= other.end;
    !note.own.iter().any(holds) && !note.note.headings.iter().any(|heading| holds(&heading.span))
}

/// Whether a word of every day stands for the note that is called so: spelled like it, with a capital that is not due to the
/// beginning of a sentence.
fn is_meant(note: &ReadNote, name: &str, span: &Span) -> bool {
    let before = note.text[..span.start].trim_end_matches([' ', '\t', '*', '_', '"', '“', '(']);
    let begins =
        before.is_empty() || before.ends_with(['.', '!', '?', ':', '\n', '-', '+', '>', '|', ']', '…']);
    note.text[span.clone()] == *name && name.starts_with(char::is_uppercase) && !begins
}

/// Whether a word stands right beside another that carries something, so that both are one phrase: `percentile distribution`.
fn is_in_phrase(text: &str, span: &Span) -> bool {
    let carries = |word: &str| {
        word.starts_with(char::is_lowercase) && telling_words(word).iter().any(|stem| stem.len() > 2)
    };
    let is_letter = |letter: char| letter.is_alphanumeric();
    let before = text[..span.start].trim_end_matches([' ', '-']);
    let behind = text[span.end..].trim_start_matches([' ', '-']);
    let last = before.rsplit(|letter| !is_letter(letter)).next().unwrap_or_default();
    let next = behind.split(|letter| !is_letter(letter)).next().unwrap_or_default();
    carries(last) || carries(next)
}

fn suggested_links(
    notes: &Notes,
    links: &Links,
    names: &[Called],
    mentions: &[&Mention],
    said_by: &[usize],
) -> Vec<SuggestedLink> {
    let all = notes.all.len().max(1) as f32;
    let mut best: HashMap<(usize, usize), (f32, &Mention)> = HashMap::new();
    for mention in mentions {
        let name = &names[mention.called];
        if name.how == How::Shown || links.leads(mention.from, name.note) {
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
    let mut ranked: Vec<(f32, usize, &Mention)> =
        best.into_iter().map(|((_, to), (score, mention))| (score, to, mention)).collect();
    sort(&mut ranked);
    // Not a hundred times the same note: each further one counts less.
    let mut times: HashMap<usize, usize> = HashMap::new();
    for (score, to, _) in &mut ranked {
        let before = times.entry(*to).or_default();
        *score -= AGAIN * *before as f32;
        *before += 1;
    }
    sort(&mut ranked);
    ranked.into_iter().take(MOST_LINKS).map(|(_, to, mention)| link(notes, names, to, mention)).collect()
}

fn sort(ranked: &mut [(f32, usize, &Mention)]) {
    ranked.sort_by(|one, other| {
        other.0.total_cmp(&one.0).then_with(|| (one.2.from, one.1).cmp(&(other.2.from, other.1)))
    });
}

fn link(notes: &Notes, names: &[Called], to: usize, mention: &Mention) -> SuggestedLink {
    let (note, name) = (&notes.all[mention.from], &names[mention.called]);
    let written = notes.names.shortest(notes.all[to].path.as_str(), note.path.as_str());
    let written = written.strip_suffix(".md").unwrap_or(&written);
    let what = match name.how {
        How::Alias => "an alias",
        How::Title => "the title",
        How::File | How::Shown => "the name",
    };
    let often =
        if mention.count > 1 { format!(" It stands there {} times.", mention.count) } else { String::new() };
    SuggestedLink {
        from: note.path.to_string(),
        line: note.line(mention.span.start),
        mention: note.text[mention.span.clone()].split_whitespace().collect::<Vec<_>>().join(" "),
        to: notes.path(to),
        reason: format!("`{}` is {what} of [[{written}]], to which this note has no link.{often}", name.name),
    }
}

fn suggested_aliases(
    notes: &Notes,
    links: &Links,
    names: &[Called],
    mentions: &[&Mention],
) -> Vec<SuggestedAlias> {
    let mut users: BTreeMap<usize, (BTreeSet<usize>, BTreeSet<usize>)> = BTreeMap::new();
    let mut numbers: HashMap<(usize, String), usize> = HashMap::new();
    for (number, name) in names.iter().enumerate().filter(|(_, name)| name.how == How::Shown) {
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
                // Who says it without a link means something else.
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
                reason: used(&name.name, linking.len(), plain.len()),
            }
        })
        .collect();
    found.sort_by(|one, other| {
        other
            .used_by
            .cmp(&one.used_by)
            .then_with(|| (&one.path, &one.alias).cmp(&(&other.path, &other.alias)))
    });
    found.truncate(MOST_ALIASES);
    found
}

/// Whether a name is one wherever it stands: it has several words, or a capital.
fn is_proper(called: &Called) -> bool {
    called.words > 1 || called.name.starts_with(char::is_uppercase)
}

/// Whether it is one word of a title that has more of them: `GitHub` of `Setting up your GitHub repository`.
fn is_part_of_title(notes: &Notes, called: &Called) -> bool {
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

fn used(name: &str, linking: usize, plain: usize) -> String {
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
