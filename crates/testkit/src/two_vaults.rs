//! Two vaults that differ only in their private notes, and calls of every tool that would show the difference.

use serde_json::{Value, json};
use wellread_core::domain::id::{AgendaId, FindingId, TaskId};
use wellread_core::ports::AgendaActor;
use wellread_core::ports::AgendaStore;
use wellread_core::ports::agenda::AgendaChange;

use crate::agenda_fixtures;

/// What every such vault has, as a script of files.
pub const PUBLIC: &str = "-- Bees.md\n---\naliases: [Apis]\n---\n# Bees\n\nA hive holds 40,000 bees. See [[Wintering]] and [[Diary]] and [[Lost]].\n\n\
## Part\n\nHoney keeps for years. ![[memo.m4a]]\n\
-- Wintering.md\n# Wintering\n\nA hive eats 15 kg of honey in winter. See [[Bees]].\n\
-- Garden/Roses.md\n# Roses\n\nRoses bloom in June. #garden\n-- Garden/Lilies.md\n# Lilies\n\nLilies bloom in July. #garden\n\
-- Preferences.md\n- Be brief.\n-- Attachments/memo.m4a\nsound\n";

/// Notes that are private by their folder, their frontmatter, a tag, or since nobody can tell.
pub const PRIVATE: &str = "-- Private/Diary.md\n# Diary\n\nThe hive code is 4711. See [[Bees]], [[Wintering]] and [[Roses]]. honey honey honey\n\
-- Private/Apis.md\n# Apis\n\nA secret hive holds 77,000 bees.\n\
-- Private/Only/Deep.md\ndeep\n\
-- Divorce lawyer.md\n---\nprivate: yes\naliases: [Lilies, Roses]\nsource: x\n---\nSee [[Bees]]. honey and roses in June. 2026-02-01\n\
-- Garden/Hidden roses.md\n#private/garden roses bloom in secret, see [[Roses]] and [[Lost]]\n\
-- Shed/Wintering.md\n---\ntags: [private]\n---\n# Wintering\n\nA hive eats 15 kg of honey in winter.\n\
-- Broken.md\n---\nprivate: [\n---\nA hive, honey.\n";

/// The source of a repository beside the vaults, which speaks of what is private in them.
pub const CODE: &str = "-- hive.py\ndef Diary(code):\n    \"\"\"Opens the hive; see Private/Diary.md.\"\"\"\n    return Bees(code)\n\n\n\
def Bees(code):\n    return code == 4711\n-- README.md\n# Hive\n\nThe hive code is in the Diary.\n";

/// An agenda that waits and one that has a finding, both about a public note; then the same about a private one.
pub const AGENDAS: [(&str, bool); 4] = [
    ("00000000000001", false),
    ("00000000000002", false),
    ("00000000000003", true),
    ("00000000000004", true),
];

/// The page that an agenda's finding is of: one page is found once.
fn finding_url(agenda: &str) -> String {
    format!("https://wax.example/{agenda}")
}

fn first_task(agenda: &str) -> (AgendaId, TaskId) {
    let id = AgendaId::parse(agenda).expect("an id");
    let task = TaskId::new(&id, 1);
    (id, task)
}

/// The id of the finding that an agenda has.
pub fn finding_of(agenda: &str) -> String {
    FindingId::new(&first_task(agenda).1, &finding_url(agenda)).to_string()
}

/// Stores the agendas of a vault: those about a private note only where it has private notes.
pub fn seed_agendas(store: &dyn AgendaStore, script: &str) {
    let private =
        script.lines().find_map(|line| line.strip_prefix("-- ").filter(|path| path.starts_with("Private/")));
    for (at, (id, is_private)) in AGENDAS.into_iter().enumerate() {
        let note = if is_private { private } else { Some("Bees.md") };
        let Some(note) = note else { continue };
        let (id, task) = first_task(id);
        let mut agenda = agenda_fixtures::agenda(1);
        agenda.private = is_private;
        agenda.tasks[0].id = task.clone();
        agenda.tasks[0].related_notes = vec![note.to_owned()];
        agenda.id = id.clone();
        store.propose(&agenda, None).expect("an agenda");
        if at % 2 == 1 {
            let mut found = agenda_fixtures::new_finding(&id, &task, &finding_url(id.as_str()));
            found.finding.related_notes = vec![note.to_owned()];
            let add = |change: &mut AgendaChange| {
                change.findings = vec![found.clone()];
                Ok(())
            };
            store.change_agenda(&id, AgendaActor::User, &mut { add }).expect("a finding");
        }
    }
}

/// The length of a UUID without its last part.
const UUID_HEAD: usize = 24;

fn ends_in_uuid_head(text: &str) -> bool {
    let start = text.len().saturating_sub(UUID_HEAD);
    text.get(start..).is_some_and(|head| {
        head.len() == UUID_HEAD
            && head.bytes().enumerate().all(|(at, byte)| match at {
                8 | 13 | 18 | 23 => byte == b'-',
                _ => byte.is_ascii_hexdigit(),
            })
    })
}

/// A text without what is drawn at random: ids and nonces.
pub fn without_ids(told: &str) -> String {
    let mut out = String::new();
    let mut word = String::new();
    let mut push = |word: &mut String| {
        let is_id = word.len() >= 10 && word.bytes().any(|byte| byte.is_ascii_digit());
        if is_id && ends_in_uuid_head(&out) {
            out.truncate(out.len() - UUID_HEAD);
        }
        out.push_str(if is_id { "ID" } else { word.as_str() });
        word.clear();
    };
    for letter in told.chars() {
        if letter.is_ascii_alphanumeric() {
            word.push(letter);
        } else {
            push(&mut word);
            word.push(letter);
            push(&mut word);
        }
    }
    push(&mut word);
    out
}

/// A tool's name and the arguments it is called with.
pub type ToolQuestion = (&'static str, Value);

/// Calls of every tool, chosen so that private notes would matter.
pub fn questions() -> Vec<ToolQuestion> {
    [
        find_questions(),
        edit_questions(),
        research_questions(),
        name_questions(),
        code_questions(),
        agenda_questions(),
        other_questions(),
    ]
    .concat()
}

fn find_questions() -> Vec<ToolQuestion> {
    vec![
        ("search_vault", json!({"query": "hive honey", "n_results": 50})),
        // One result: a note that is left out after the search would leave its place empty.
        ("search_vault", json!({"query": "hive", "n_results": 1})),
        ("search_vault", json!({"query": "roses", "mode": "keyword", "n_results": 1})),
        ("search_vault", json!({"query": "4711", "mode": "keyword"})),
        ("search_vault", json!({"query": "roses secret", "mode": "semantic", "n_results": 50})),
        ("search_vault", json!({"query": "honey", "also": ["roses secret", "4711"], "n_results": 50})),
        ("search_vault", json!({"query": "honey -roses -path:Private", "n_results": 50})),
        ("find_notes", json!({"query": "path:Private"})),
        ("find_notes", json!({"query": "#private", "n_results": 50})),
        ("find_notes", json!({"modified_after": "2000-01-01", "n_results": 3})),
        ("find_notes", json!({"like": "Bees", "n_results": 50})),
        ("find_notes", json!({"like": "Diary"})),
        ("find_notes", json!({"like": "Private/Diary.md"})),
        ("find_notes", json!({"query": "honey roses", "n_results": 50})),
        ("find_notes", json!({"query": "roses", "tag": "private"})),
        ("find_notes", json!({"query": "roses", "folder": "Garden"})),
        ("find_notes", json!({"query": "roses", "folder": "Private"})),
        ("find_notes", json!({"query": "roses", "folder": "Shed"})),
        ("find_notes", json!({"query": "roses", "frontmatter": {"private": "yes"}})),
        ("list_files_by_frontmatter", json!({"field": "private", "value": "yes"})),
        ("search_by_folder", json!({"folder": "", "recursive": true})),
        ("search_by_folder", json!({"folder": "Private", "recursive": true})),
        ("search_by_folder", json!({"folder": "Shed"})),
        ("search_by_date_range", json!({"start_date": "2020-01-01", "end_date": "2030-01-01"})),
        ("find_backlinks", json!({"note_name": "Bees"})),
        ("find_backlinks", json!({"note_name": "Wintering"})),
        ("find_backlinks", json!({"note_name": "Roses"})),
        ("find_backlinks", json!({"note_name": "Lost"})),
        ("find_backlinks", json!({"note_name": "Diary"})),
        ("find_backlinks", json!({"note_name": "Apis"})),
        ("find_outlinks", json!({"path": "Bees"})),
        ("get_note_info", json!({"path": "Bees"})),
        ("get_note_info", json!({"path": "Wintering"})),
    ]
}

fn edit_questions() -> Vec<ToolQuestion> {
    vec![
        ("create_file", json!({"path": "Private/New.md", "content": "x"})),
        ("create_file", json!({"path": "Private/Diary.md", "content": "x"})),
        ("create_file", json!({"path": "New.md", "content": "See [[Diary]]."})),
        ("move_file", json!({"source": "Bees", "destination": "Private/Bees.md"})),
        ("move_file", json!({"source": "Wintering", "destination": "Garden/Winter.md"})),
        ("move_file", json!({"source": "Garden/Roses", "destination": "Rose.md", "dry_run": true})),
        ("batch_move_files", json!({"moves": [{"source": "Garden/Roses", "destination": "Rose.md"}]})),
        (
            "batch_move_files",
            json!({"moves": [{"source": "Garden/Roses", "destination": "Rose.md"}], "dry_run": true}),
        ),
        ("delete_file", json!({"path": "Garden/Lilies"})),
        ("update_frontmatter", json!({"path": "Bees", "field": "private", "value": "true"})),
        ("batch_update_frontmatter", json!({"paths": ["Bees", "Diary"], "field": "a", "value": "b"})),
        (
            "log_interaction",
            json!({"task_description": "t", "query": "Diary", "summary": "Apis and Roses", "files": ["Diary", "Bees"]}),
        ),
    ]
}

fn research_questions() -> Vec<ToolQuestion> {
    vec![
        ("kb_health", json!({"limit": 50})),
        ("kb_health", json!({"limit": 50, "without_private": true})),
        ("research", json!({"query": "How many bees does a hive hold?"})),
        ("research", json!({"query": "What is the hive code 4711?"})),
        ("research", json!({"query": "roses"})),
        ("research_note", json!({"path": "Bees"})),
        ("research_note", json!({"path": "Diary"})),
        ("summarize_file", json!({"path": "Bees"})),
        ("summarize_file", json!({"path": "Divorce lawyer"})),
        ("check_claims", json!({"path": "Bees"})),
        ("check_claims", json!({"path": "Divorce lawyer"})),
        (
            "check_claims",
            json!({"text": "The hive code is 4711 ([[Diary]]). Roses bloom in June ([[Roses]])."}),
        ),
        ("check_claims", json!({"text": "The hive code is 4711 (Private/Diary.md:3)."})),
        ("check_claims", json!({"text": "The hive code is 4711.", "sources": ["."]})),
        ("check_claims", json!({"text": "The hive code is 4711.", "sources": ["Private"]})),
        ("check_claims", json!({"text": "The hive code is 4711.", "sources": ["Private/Diary.md"]})),
        ("propose_agenda", json!({"note": "Bees"})),
        ("propose_agenda", json!({})),
        ("propose_agenda", json!({"note": "Diary"})),
    ]
}

/// Every name that a private note has, as it is and misspelled, with every tool that takes a path.
fn name_questions() -> Vec<ToolQuestion> {
    let mut all = Vec::new();
    for path in [
        "Private/Diary",
        "Diary",
        "Private/Diary.md",
        "Divorce",
        "Divorce lawyer",
        "Hidden rose",
        "Shed/Wintering",
        "Private",
        "Alias",
        "Shelf/Diary",
        "Broken",
    ] {
        for (tool, arguments) in [
            ("read_file", json!({"path": path})),
            ("get_note_info", json!({"path": path})),
            ("find_outlinks", json!({"path": path})),
            ("append_to_file", json!({"path": path, "content": "x"})),
            ("prepend_to_file", json!({"path": path, "content": "x"})),
            ("replace_section", json!({"path": path, "heading": "# Diary", "content": "x"})),
            ("append_to_section", json!({"path": path, "heading": "# Diary", "content": "x"})),
            ("edit_file", json!({"path": path, "content": "x", "position": "append"})),
            ("transcribe_audio", json!({"path": path})),
            ("delete_file", json!({"path": path})),
        ] {
            all.push((tool, arguments));
        }
    }
    all
}

fn other_questions() -> Vec<ToolQuestion> {
    vec![
        ("list_edits", json!({})),
        ("undo", json!({})),
        ("undo", json!({"dry_run": true})),
        ("recheck", json!({})),
        ("recheck", json!({"since": "2020-01-01"})),
        ("save_preference", json!({"preference": "Be kind."})),
        ("list_preferences", json!({})),
        ("remove_preference", json!({"line_number": 1})),
        ("get_current_date", json!({})),
        ("web_search", json!({"query": "hive"})),
        ("arxiv_search", json!({"query": "hive"})),
    ]
}

/// Questions about the repository beside the vault.
fn code_questions() -> Vec<ToolQuestion> {
    vec![
        ("code_deep_research", json!({"question": "what is the hive code"})),
        ("code_deep_research", json!({"question": "where is Diary defined"})),
        ("locate", json!({"text": "Diary"})),
        ("locate", json!({"text": "The hive code is 4711, see Private/Diary.md"})),
        ("outline", json!({"file_path": "Private/Diary.md"})),
        ("outline", json!({"file_path": "hive.py"})),
        ("find_symbol", json!({"name": "Diary"})),
        ("graph_expand", json!({"symbol": "Diary"})),
        ("graph_pack", json!({"symbols": ["Diary"]})),
        ("graph_trace", json!({"from": "Diary", "to": "Bees"})),
    ]
}

/// Every tool for agendas and findings, with agendas about public notes and about private ones.
fn agenda_questions() -> Vec<ToolQuestion> {
    let mut all = vec![("list_agendas", json!({})), ("list_findings", json!({}))];
    for (agenda, _) in AGENDAS {
        let finding = finding_of(agenda);
        all.extend([
            ("show_agenda", json!({"id": agenda})),
            ("approve_agenda", json!({"id": agenda})),
            ("cancel_agenda", json!({"id": agenda})),
            ("show_finding", json!({"id": finding})),
            ("accept_finding", json!({"id": finding})),
            ("dismiss_finding", json!({"id": finding})),
            ("undo_accept", json!({"id": finding})),
        ]);
    }
    all
}
