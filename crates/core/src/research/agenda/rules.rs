//! Tasks without a model: what a note asks and leans on, or what the health report of the vault leaves open.

use serde::{Deserialize, Serialize};
use wellread_text::{fold, significant_words};

use crate::insight::health::Health;
use crate::insight::keyless::{self, TopicKind};
use crate::library::vault::parse_day;
use crate::ports::agenda::TaskSource;

/// As many as are proposed at the most.
pub(super) const MOST: usize = 5;
/// As much of a sentence as a reason repeats, in characters.
const LONGEST_REASON: usize = 160;

/// A task before it has an id.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct TaskDraft {
    pub query: String,
    pub source: TaskSource,
    pub motivation: String,
    pub related: Vec<String>,
}

/// What of the health report bears on research. Private notes are not in it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct HealthBrief {
    pub notes: usize,
    pub orphans: Vec<String>,
    /// What links lead to that is not there, and from where.
    pub wanted: Vec<(String, Vec<String>)>,
    /// Names of clusters, how large each is, and notes of it.
    pub clusters: Vec<(String, usize, Vec<String>)>,
    pub never_drawn_on: Vec<String>,
}

/// How many entries of each sort a brief holds.
const LISTED: usize = 12;

impl HealthBrief {
    pub fn from_health(health: &Health, is_open: &dyn Fn(&str) -> bool) -> Self {
        let open = |paths: &[String]| -> Vec<String> {
            let telling = paths.iter().filter(|path| is_searchable(note_title(path)) && is_open(path));
            telling.take(LISTED).cloned().collect()
        };
        let mut wanted: Vec<(String, Vec<String>)> = Vec::new();
        // Where only a heading is missing, the note is there.
        let is_wanted = |target: &str| is_searchable(target) && !target.contains('#');
        for dead in health.dead_links.iter().filter(|dead| is_wanted(&dead.target) && is_open(&dead.path)) {
            match wanted.iter_mut().find(|(target, _)| fold(target) == fold(&dead.target)) {
                Some((_, from)) if from.contains(&dead.path) => {}
                Some((_, from)) => from.push(dead.path.clone()),
                None => wanted.push((dead.target.clone(), vec![dead.path.clone()])),
            }
        }
        // What many notes want first; of equals, the first.
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

    /// For a model to read.
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

    /// One of each sort in turn, so that no sort takes all the places.
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
            let reason = format!("`{path}` is an orphan: nothing links to it, and it links to nothing");
            (note_title(path).to_owned(), reason, vec![path.clone()])
        });
        let clusters = self.clusters.iter().map(|(name, size, notes)| {
            let reason = format!("{size} notes form a cluster around `{name}`");
            (name.clone(), reason, notes.clone())
        });
        let unread = self.never_drawn_on.iter().map(|path| {
            let reason = format!("no research has used `{path}` yet");
            (note_title(path).to_owned(), reason, vec![path.clone()])
        });
        let sorts: [Vec<(String, String, Vec<String>)>; 4] =
            [wanted.collect(), orphans.collect(), clusters.collect(), unread.collect()];
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

/// What a note asks and speaks of.
pub(super) fn draft_note_tasks(path: &str, text: &str, sources: &[TaskSource]) -> Vec<TaskDraft> {
    let topics = keyless::find_topics(note_title(path), text, None, MOST, &|_| 1.0);
    // Words that mean something in the note alone are searched for with its name.
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
    // The best topic is worth a second opinion, where there is somebody else to ask.
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

/// The name of a note, from its path.
fn note_title(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// What a link means to lead to.
fn link_name(target: &str) -> String {
    let name = target.rsplit('/').next().unwrap_or(target);
    name.trim_end_matches(".md").replace(['-', '_'], " ")
}

/// Whether a search engine could make something of it: no date, no attachment, no number.
fn is_searchable(name: &str) -> bool {
    let name = note_title(name);
    let letters = name.chars().filter(|letter| letter.is_alphabetic()).count();
    letters >= 3
        && parse_day(name).is_err()
        && !["untitled", "readme", "index", "home", "todo", "inbox", "template", "preferences"]
            .contains(&fold(name).as_str())
}
