//! Tasks without a model: from a note's questions and concepts, or from the gaps in the vault's health report.

use serde::{Deserialize, Serialize};
use wellread_text::{fold, significant_words};

use crate::insight::health::Health;
use crate::insight::keyless::{self, TopicKind};
use crate::library::vault::parse_day;
use crate::ports::agenda::TaskSource;

/// The most tasks of a proposal.
pub(super) const MOST: usize = 5;
/// How many characters of a sentence a motivation quotes.
const LONGEST_REASON: usize = 160;

/// A task before it has an id.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct TaskDraft {
    pub query: String,
    pub source: TaskSource,
    pub motivation: String,
    pub related: Vec<String>,
}

/// The parts of the health report that matter for research. Private notes are not in it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct HealthBrief {
    pub notes: usize,
    pub orphans: Vec<String>,
    /// Missing notes that links point to, each with the notes that link to it.
    pub wanted: Vec<(String, Vec<String>)>,
    /// Clusters: name, size and notes.
    pub clusters: Vec<(String, usize, Vec<String>)>,
    pub never_drawn_on: Vec<String>,
}

/// How many entries of each kind a brief lists.
const LISTED: usize = 12;

impl HealthBrief {
    pub fn from_health(health: &Health, is_open: &dyn Fn(&str) -> bool) -> Self {
        let open = |paths: &[String]| -> Vec<String> {
            let telling = paths.iter().filter(|path| is_searchable(note_title(path)) && is_open(path));
            telling.take(LISTED).cloned().collect()
        };
        let mut wanted: Vec<(String, Vec<String>)> = Vec::new();
        // If only a heading is missing, the note itself exists; a missing picture is nothing to read up on.
        let is_wanted = |target: &str| is_searchable(target) && !target.contains('#') && names_a_note(target);
        for dead in health.dead_links.iter().filter(|dead| is_wanted(&dead.target) && is_open(&dead.path)) {
            match wanted.iter_mut().find(|(target, _)| fold(target) == fold(&dead.target)) {
                Some((_, from)) if from.contains(&dead.path) => {}
                Some((_, from)) => from.push(dead.path.clone()),
                None => wanted.push((dead.target.clone(), vec![dead.path.clone()])),
            }
        }
        // Those that most notes link to first; of equals, the first.
        wanted.sort_by_key(|(_, from)| std::cmp::Reverse(from.len()));
        wanted.truncate(LISTED);
        let clusters = health.clusters.iter();
        let clusters = clusters.map(|cluster| (cluster.name.clone(), cluster.size, open(&cluster.notes)));
        let clusters = clusters.filter(|(name, _, notes)| is_searchable(name) && !notes.is_empty());
        Self {
            notes: health.notes,
            orphans: open(&health.orphans),
            wanted,
            clusters: clusters.take(LISTED).collect(),
            never_drawn_on: open(&health.never_drawn_on.notes),
        }
    }

    /// Renders the brief for a model.
    pub fn render(&self) -> String {
        let list = |paths: &[String]| paths.iter().map(|path| format!("- {path}\n")).collect::<String>();
        let wanted =
            self.wanted.iter().map(|(target, from)| format!("- {target} (from {})\n", from.join(", ")));
        let clusters =
            self.clusters.iter().map(|(name, _, notes)| format!("- {name}: {}\n", notes.join(", ")));
        format!(
            "The vault has {} notes.\n\nNotes that stand alone, without a link:\n{}\nLinks that lead to notes which are not there:\n{}\n\
             Clusters of notes that are linked with each other:\n{}\nNotes that no research has drawn on yet:\n{}",
            self.notes,
            list(&self.orphans),
            wanted.collect::<String>(),
            clusters.collect::<String>(),
            list(&self.never_drawn_on),
        )
    }

    /// Drafts tasks from each kind of entry in turn, so that no kind takes all places.
    pub fn draft_tasks(&self, sources: &[TaskSource]) -> Vec<TaskDraft> {
        let source = |at: usize| sources.get(at % sources.len().max(1)).copied().unwrap_or(TaskSource::Web);
        let wanted = self.wanted.iter().map(|(target, from)| {
            let who = match from.as_slice() {
                [one] => format!("`{one}` links"),
                many => format!("{} notes link", many.len()),
            };
            (link_name(target), format!("{who} to `{target}`, which does not exist"), from.clone())
        });
        let orphans = self.orphans.iter().map(|path| {
            let reason =
                format!("`{path}` is an orphan: nothing links to it, and none of its links leads to a note");
            (note_title(path).to_owned(), reason, vec![path.clone()])
        });
        let unread = self.never_drawn_on.iter().map(|path| {
            let reason = format!("no research has used `{path}` yet");
            (note_title(path).to_owned(), reason, vec![path.clone()])
        });
        // That notes hang together is no question; a model that reads the brief may make one of it.
        let sorts: [Vec<(String, String, Vec<String>)>; 3] =
            [wanted.collect(), orphans.collect(), unread.collect()];
        let longest = sorts.iter().map(Vec::len).max().unwrap_or(0);
        let in_turn = (0..longest).flat_map(|at| sorts.iter().filter_map(move |sort| sort.get(at)));
        let draft = |(at, (query, motivation, related)): (usize, &(String, String, Vec<String>))| TaskDraft {
            query: query.clone(),
            source: source(at),
            motivation: motivation.clone(),
            related: related.iter().take(MOST).cloned().collect(),
        };
        in_turn.enumerate().map(draft).collect()
    }
}

/// Drafts tasks from a note's questions, claims and concepts.
pub(super) fn draft_note_tasks(path: &str, text: &str, sources: &[TaskSource]) -> Vec<TaskDraft> {
    let topics = keyless::find_topics(note_title(path), text, None, MOST, &|_| 1.0);
    // A topic is searched for together with the note's name, unless it contains a word of it.
    let own = significant_words(note_title(path));
    let named = |topic: &str| {
        let speaks = significant_words(topic).iter().any(|stem| own.contains(stem));
        if speaks || !is_searchable(path) {
            topic.to_owned()
        } else {
            format!("{} {topic}", note_title(path))
        }
    };
    let draft = |query: &str, source, context: &str, kind| {
        let said = shorten(context);
        let motivation = match kind {
            TopicKind::Question => format!("the note asks: “{said}”"),
            TopicKind::Claim => format!("the note says so, and it may be outdated: “{said}”"),
            TopicKind::Concept => format!("the note relies on it: “{said}”"),
        };
        TaskDraft { query: named(query), source, motivation, related: vec![path.to_owned()] }
    };
    let first = sources.first().copied().unwrap_or(TaskSource::Web);
    let mut drafts: Vec<TaskDraft> =
        topics.iter().map(|topic| draft(&topic.topic, first, &topic.context, topic.kind)).collect();
    // The best topic is also searched for in the second source, if there is one.
    if let (Some(other), Some(best)) = (sources.get(1), topics.first()) {
        drafts.insert(1, draft(&best.topic, *other, &best.context, best.kind));
    }
    drafts
}

fn shorten(context: &str) -> String {
    let bare = context.replace("[[", "").replace("]]", "");
    let words = bare.split_whitespace().filter(|word| !word.chars().all(|letter| "#>-*+|".contains(letter)));
    let words = words.collect::<Vec<_>>().join(" ");
    match words.char_indices().nth(LONGEST_REASON) {
        Some((cut, _)) => format!("{}…", &words[..cut]),
        None => words,
    }
}

/// The file name of a note without folder and extension.
fn note_title(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// The name of a missing note, from the link's target.
fn link_name(target: &str) -> String {
    let name = target.rsplit('/').next().unwrap_or(target);
    name.trim_end_matches(".md").replace(['-', '_'], " ")
}

/// Whether a link's target names a note: it has no extension, or that of a note.
fn names_a_note(target: &str) -> bool {
    let name = target.rsplit('/').next().unwrap_or(target);
    let extension = name.rsplit_once('.').map(|(_, extension)| extension.to_lowercase());
    extension.is_none_or(|extension| {
        ["md", "markdown", "txt"].contains(&extension.as_str())
            || extension.len() > 4
            || !extension.chars().all(|letter| letter.is_ascii_alphanumeric())
    })
}

/// Whether a name is worth searching for: not a date, a number or a generic file name.
fn is_searchable(name: &str) -> bool {
    let name = note_title(name);
    let letters = name.chars().filter(|letter| letter.is_alphabetic()).count();
    letters >= 3 && parse_day(name).is_err() && !is_generic(name)
}

fn is_generic(name: &str) -> bool {
    ["untitled", "readme", "index", "home", "todo", "inbox", "template", "preferences"]
        .contains(&fold(name).as_str())
}

/// The extensions of pictures, recordings and other attachments.
const ATTACHMENTS: [&str; 18] = [
    "png", "jpg", "jpeg", "gif", "svg", "webp", "bmp", "tif", "tiff", "heic", "avif", "mp3", "m4a", "wav",
    "ogg", "mp4", "mov", "webm",
];
/// Words about how notes hang together.
const TOGETHER: &str = "together hang hangs hanging cluster clusters clustered";
/// Words about a vault and not about anything in the world.
const VAULT_WORDS: &str = "note notes file files folder folders vault link links linked linking backlink backlinks orphan orphans \
                           orphaned group groups connected connection connections related unlinked missing dead broken image images \
                           picture pictures photo photos attachment attachments screenshot screenshots embed embeds embedded";

/// Whether a task is a question about the world: not a date, a number or a picture, and not merely that notes hang together.
/// Every draft passes here, whoever proposes it.
pub(super) fn is_worth_asking(draft: &TaskDraft) -> bool {
    let together = significant_words(TOGETHER);
    let about_vault = significant_words(VAULT_WORDS);
    let says_nothing = |stem: &String| {
        together.contains(stem)
            || about_vault.contains(stem)
            || stem.chars().all(|letter| letter.is_ascii_digit())
    };
    let (own, reason) = (significant_words(&draft.query), significant_words(&draft.motivation));
    let hangs_together = reason.iter().any(|stem| together.contains(stem))
        && reason.iter().all(|stem| says_nothing(stem) || own.contains(stem));
    let is_attachment = |word: &str| {
        let extension = word.rsplit_once('.').map(|(_, extension)| extension.to_lowercase());
        extension.is_some_and(|extension| ATTACHMENTS.contains(&extension.as_str()))
    };
    draft.query.contains(char::is_alphabetic)
        && parse_day(&draft.query).is_err()
        && !is_generic(&draft.query)
        && !draft.query.split_whitespace().any(is_attachment)
        && (own.is_empty() || !own.iter().all(says_nothing))
        && !hangs_together
}
