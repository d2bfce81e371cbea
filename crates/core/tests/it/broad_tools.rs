//! The broad tools: each operation is a tool of the catalog, and their descriptions lead to the right one.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Value, json};
use wellread_core::faces::broad_tools::BROAD_TOOLS;
use wellread_core::faces::tools::catalog;
use wellread_text::Terms;

#[test]
fn every_operation_is_a_tool_of_the_catalog_and_parameters_agree() {
    let known: HashMap<&str, _> =
        catalog().iter().map(|tool| (tool.declaration().name, tool.declaration().clone())).collect();
    let mut reached: Vec<&str> = Vec::new();
    for tool in BROAD_TOOLS {
        let mut types: BTreeMap<&str, Value> = BTreeMap::new();
        for operation in tool.operations {
            reached.push(operation.tool);
            for (name, schema) in known[operation.tool].input["properties"].as_object().unwrap() {
                let kind = json!([schema.get("type"), schema.get("enum"), schema.get("anyOf")]);
                let earlier = types.entry(name).or_insert_with(|| kind.clone());
                assert_eq!(*earlier, kind, "{}: `{name}` has two types", tool.name);
            }
        }
        assert!(!types.contains_key("op"), "{}", tool.name);
        if let Some(default) = tool.default {
            assert!(tool.operations.iter().any(|operation| operation.op == default), "{}", tool.name);
        }
    }
    // What is left to those who ask for it by name.
    let left: Vec<&str> =
        catalog().iter().map(|tool| tool.declaration().name).filter(|name| !reached.contains(name)).collect();
    assert_eq!(
        left,
        [
            "batch_update_frontmatter",
            "batch_move_files",
            "edit_file",
            "log_interaction",
            "save_preference",
            "list_preferences",
            "remove_preference",
            "get_current_date",
            "transcribe_audio",
        ]
    );
    let parameters = known.values().flat_map(|tool| tool.input["properties"].as_object().unwrap().keys());
    for old in ["note_name", "file_path", "note", "source", "n_results"] {
        assert!(!parameters.clone().any(|name| name == old), "{old} is called otherwise");
    }
}

/// What people ask of an agent, and the tool that should be chosen for it.
const TASKS: [(&str, &str); 40] = [
    ("What do my notes say about varroa mites?", "search_notes"),
    ("Find the note where I wrote about top-bar hives", "search_notes"),
    ("Search my vault for passages on swarming", "search_notes"),
    ("Which notes tagged garden mention compost?", "search_notes"),
    ("Open Projects/Plan.md and show me its text", "read_note"),
    ("Which headings and tags does the file Bees.md have?", "read_note"),
    ("Show me all backlinks of this note", "read_note"),
    ("What is in the folder Projects?", "list_notes"),
    ("List the notes I created between May and June", "list_notes"),
    ("Which notes have the frontmatter field status set to the value draft?", "list_notes"),
    ("Create a new note called Wax", "edit_note"),
    ("Append this paragraph to the section Ideas", "edit_note"),
    ("Rename the note Bees to Honeybees and keep links working", "edit_note"),
    ("Set the property status of this note to done", "edit_note"),
    ("Delete the note about the old hive", "edit_note"),
    ("Rewrite the section Summary of that note", "edit_note"),
    ("Research my note on wintering in depth and add a section with the evidence", "research_note"),
    ("Write a summary of this long note into it", "research_note"),
    ("Quick fact: how much honey does a colony need?", "ask"),
    ("Answer this factual question in one paragraph with its source", "ask"),
    ("Look up recent web pages about oxalic acid on the internet", "search_web"),
    ("Find scientific papers on honey bee navigation on arXiv", "search_web"),
    ("How does this codebase retry failed uploads, and why?", "research_code"),
    ("Investigate what a change of the scheduler would touch in the codebase", "research_code"),
    ("Where is the function parse_config defined?", "inspect_code"),
    ("Who calls the class RetryQueue?", "inspect_code"),
    ("Which files does this stack trace point to?", "inspect_code"),
    ("What does the source file src/press.py define?", "inspect_code"),
    ("Fact-check my draft against its sources", "check_claims"),
    ("Does every sentence in this text have a citation whose source really says so?", "check_claims"),
    ("Verify the claims in the report sentence by sentence", "check_claims"),
    ("Do the citations from earlier research still hold?", "recheck"),
    ("Which cited passages have changed or are gone since January?", "recheck"),
    ("Take back the last edit", "undo"),
    ("Revert the edit with this id", "undo"),
    ("Find orphaned notes, duplicates and broken links in the whole vault", "health"),
    ("Which notes are stale or contradict each other, so that I can tidy up?", "health"),
    ("Propose background research tasks for this note", "agenda"),
    ("Approve the agenda that is waiting", "agenda"),
    ("Show the new findings that are waiting for review and accept the first as a note", "inbox"),
];

/// How many of the tasks a chooser by words alone must get right. It knows no synonyms: a model does better.
const RIGHT_CHOICES: usize = 38;

/// Chooses by the words that a task shares with a description (BM25).
struct WordChooser {
    tools: Vec<(&'static str, HashMap<String, f64>, f64)>,
}

impl WordChooser {
    fn new() -> Self {
        let texts = BROAD_TOOLS.iter().map(|tool| {
            let offered = tool.offer(&catalog(), |_| true).unwrap();
            let ops = offered.input["properties"]["op"]["description"].as_str().unwrap_or_default();
            (tool.name, format!("{} {} {ops}", tool.name.replace('_', " "), tool.about))
        });
        let tools = texts.map(|(name, text)| {
            let mut counts: HashMap<String, f64> = HashMap::new();
            for word in Terms::from_text(&text).words.split(' ') {
                *counts.entry(word.to_owned()).or_default() += 1.0;
            }
            let length = counts.values().sum();
            (name, counts, length)
        });
        Self { tools: tools.collect() }
    }

    fn choose(&self, task: &str) -> &'static str {
        let average = self.tools.iter().map(|(.., length)| length).sum::<f64>() / self.tools.len() as f64;
        let words: Vec<String> = Terms::from_text(task).words.split(' ').map(str::to_owned).collect();
        let score = |counts: &HashMap<String, f64>, length: f64| -> f64 {
            let weigh = |word: &String| {
                let count = counts.get(word).copied().unwrap_or_default();
                let having =
                    self.tools.iter().filter(|(_, counts, _)| counts.contains_key(word)).count() as f64;
                let rarity = (1.0 + (self.tools.len() as f64 - having + 0.5) / (having + 0.5)).ln();
                rarity * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * length / average))
            };
            words.iter().map(weigh).sum()
        };
        let best =
            self.tools.iter().max_by(|one, other| score(&one.1, one.2).total_cmp(&score(&other.1, other.2)));
        best.unwrap().0
    }
}

#[test]
fn descriptions_lead_to_the_right_tool() {
    let chooser = WordChooser::new();
    let wrong: Vec<String> = TASKS
        .iter()
        .filter(|(task, expected)| chooser.choose(task) != *expected)
        .map(|(task, expected)| format!("{task}: {} instead of {expected}", chooser.choose(task)))
        .collect();
    assert!(TASKS.len() - wrong.len() >= RIGHT_CHOICES, "{wrong:#?}");
    for tool in BROAD_TOOLS {
        assert!(TASKS.iter().any(|(_, expected)| *expected == tool.name), "{} has no task", tool.name);
    }
}
