//! log_interaction.

use serde_json::{Value, json};
use wellread_testkit::World;

use crate::ask::{dry, fails, ok};

const TODAY: &str = "Daily Notes/2026-03-01.md";

/// Today's note after an entry was logged in this world.
#[track_caller]
fn logged(script: &str, args: Value) -> String {
    let world = World::new(script);
    let answer = ok(&world, "log_interaction", args);
    assert_eq!(
        (&answer["path"], &answer["message"]),
        (&json!(TODAY), &json!(format!("logged in `{TODAY}`")))
    );
    world.read_text(TODAY)
}

#[test]
fn an_entry_goes_to_todays_note_which_is_made_where_missing() {
    let args = json!({ "task_description": "Hive check", "query": "How are they?", "summary": "Fine." });
    assert_eq!(
        logged("-- A.md\n", args.clone()),
        "## 09:30 Hive check\n\n**Query:** How are they?\n\n**Summary:** Fine.\n"
    );
    for (before, between) in [("Typed.\n", "\n"), ("Typed.\n\n", ""), ("# Day\n", "\n")] {
        assert_eq!(
            logged(&format!("-- {TODAY}\n{before}"), args.clone()),
            format!(
                "{before}{between}## 09:30 Hive check\n\n**Query:** How are they?\n\n**Summary:** Fine.\n"
            )
        );
    }
    let world = World::with_files([(TODAY, "a\r\nb".as_bytes())]);
    ok(&world, "log_interaction", args);
    assert_eq!(
        world.read_text(TODAY),
        "a\r\nb\r\n\r\n## 09:30 Hive check\r\n\r\n**Query:** How are they?\r\n\r\n**Summary:** Fine."
    );
}

#[test]
fn the_day_and_the_hour_are_the_users() {
    let world = World::new_at("2026-03-02T00:05[+09:00]", "-- A.md\n");
    let args = json!({ "task_description": "T", "query": "Q", "summary": "S" });
    assert_eq!(ok(&world, "log_interaction", args)["path"], "Daily Notes/2026-03-02.md");
    assert!(world.read_text("Daily Notes/2026-03-02.md").starts_with("## 00:05 T\n"));
}

#[test]
fn a_summary_of_na_with_a_full_response_logs_the_conversation() {
    for summary in ["n/a", "N/A", " n/a "] {
        let args = json!({ "task_description": "T", "query": "Q", "summary": summary, "full_response": "One.\n\nTwo.\n" });
        assert_eq!(
            logged("-- A.md\n", args),
            "## 09:30 T\n\n**Query:** Q\n\n**Response:**\n\nOne.\n\nTwo.\n"
        );
    }
    let args = json!({ "task_description": "T", "query": "Q", "summary": "S", "full_response": "One." });
    assert_eq!(
        logged("-- A.md\n", args),
        "## 09:30 T\n\n**Query:** Q\n\n**Summary:** S\n\n**Response:**\n\nOne.\n"
    );
}

#[test]
fn files_become_links_where_they_exist() {
    let files = [
        "Bees",
        "Projects/Plan.md",
        "p.png",
        "Nobody.md",
        "../etc/passwd",
        ".obsidian/app.json",
        "C#.md",
        "a`b",
    ];
    let args = json!({ "task_description": "T", "query": "Q", "summary": "S", "files": files });
    assert_eq!(
        logged("-- Bees.md\n-- Projects/Plan.md\n-- p.png\n-- C#.md\n", args),
        "## 09:30 T\n\n**Query:** Q\n\n**Summary:** S\n\n**Files:**\n\n- [[Bees]]\n- [[Projects/Plan|Plan]]\n- [[p.png]]\n\
         - `Nobody.md`\n- `../etc/passwd`\n- `.obsidian/app.json`\n- `C#.md`\n- `a'b`\n"
    );
    let args = json!({ "task_description": "T", "query": "Q", "summary": "S", "files": [] });
    assert!(!logged("-- A.md\n", args).contains("Files"));
}

#[test]
fn names_of_notes_become_links_but_not_in_code_urls_or_links() {
    let script = "-- Bees.md\n-- Projects/Honey bees.md\n-- Wax.txt\n-- p.png\n-- Nectar.md\n";
    let summary = "Bees and Honey bees, `Bees`, [[Bees]], [Bees](x.md), [x](Bees.md), https://x.example/Bees, www.Bees.example, \
                   #Bees, Beeswax, p.png, Wax.";
    let args = json!({ "task_description": "T", "query": "What of Nectar?", "summary": summary });
    assert_eq!(
        logged(script, args),
        "## 09:30 T\n\n**Query:** What of [[Nectar]]?\n\n**Summary:** [[Bees]] and [[Honey bees]], `Bees`, [[Bees]], \
         [Bees](x.md), [x](Bees.md), https://x.example/Bees, www.Bees.example, #Bees, Beeswax, p.png, Wax.\n"
    );
    let response = "Bees\n\n```\nBees\n```\n\n~~~\nBees\n~~~\n\n    Bees\n\n%%Bees%% $Bees$";
    let args = json!({ "task_description": "T", "query": "Q", "summary": "n/a", "full_response": response });
    assert!(
        logged(script, args)
            .ends_with("[[Bees]]\n\n```\nBees\n```\n\n~~~\nBees\n~~~\n\n    Bees\n\n%%Bees%% $Bees$\n")
    );
}

#[test]
fn the_words_of_the_log_itself_are_no_names() {
    let args = json!({ "task_description": "T", "query": "Q", "summary": "S", "files": ["Query"] });
    assert_eq!(
        logged("-- Query.md\n-- Summary.md\n-- Files.md\n", args),
        "## 09:30 T\n\n**Query:** Q\n\n**Summary:** S\n\n**Files:**\n\n- [[Query]]\n"
    );
}

#[test]
fn nothing_that_is_logged_swallows_what_comes_after() {
    for evil in [
        "```\ncode",
        "```\ncode\n```",
        "text\n\n~~~~\n```\nopen",
        "a %% b",
        "%%",
        "<!-- open",
        "x\n\n<!-- open",
        "``` one line",
        "> ```\n> quoted",
        "- ```\n  item",
        "$$\nx",
        "---",
        "a\n---",
    ] {
        for part in ["task_description", "query", "summary", "full_response"] {
            let world = World::new("-- A.md\n");
            let mut args =
                json!({ "task_description": "T", "query": "Q", "summary": "S", "full_response": "R" });
            args[part] = json!(evil);
            ok(&world, "log_interaction", args);
            let args = json!({ "task_description": "Second", "query": "see A note", "summary": "S" });
            ok(&world, "log_interaction", args);
            let info = ok(&world, "get_note_info", json!({ "path": TODAY }));
            let last = info["headings"].as_array().unwrap().last().unwrap_or(&Value::Null);
            assert_eq!(last["text"], "09:30 Second", "{part} {evil:?}:\n{}", world.read_text(TODAY));
        }
    }
}

#[test]
fn a_task_description_and_a_query_are_one_line() {
    let args = json!({ "task_description": " a\n# b\t c ", "query": "x\n\ny", "summary": "S" });
    assert_eq!(logged("-- A.md\n", args), "## 09:30 a # b c\n\n**Query:** x y\n\n**Summary:** S\n");
    let world = World::new("-- A.md\n");
    let answer =
        fails(&world, "log_interaction", json!({ "task_description": " ", "query": "Q", "summary": "S" }));
    assert_eq!(answer["error"], "the task description is empty");
}

#[test]
fn a_summary_of_many_lines_stands_on_its_own() {
    let args = json!({ "task_description": "T", "query": "Q", "summary": "- one\n- two" });
    assert_eq!(logged("-- A.md\n", args), "## 09:30 T\n\n**Query:** Q\n\n**Summary:**\n\n- one\n- two\n");
}

#[test]
fn a_dry_run_shows_the_entry() {
    let world = World::new("-- A.md\n");
    let args = json!({ "task_description": "T", "query": "Q", "summary": "S" });
    assert_eq!(
        dry(&world, "log_interaction", args),
        format!(
            "--- /dev/null\n+++ b/{TODAY}\t\n@@ -0,0 +1,5 @@\n+## 09:30 T\n+\n+**Query:** Q\n+\n+**Summary:** S\n"
        )
    );
}

#[test]
fn a_daily_note_that_is_not_utf8_is_left_alone() {
    let world = World::with_files([(TODAY, b"caf\xe9\n".as_slice())]);
    let answer =
        fails(&world, "log_interaction", json!({ "task_description": "T", "query": "Q", "summary": "S" }));
    assert_eq!(
        (&answer["error"], &answer["path"]),
        (&json!(format!("`{TODAY}` is not UTF-8 and is never written")), &json!(TODAY))
    );
}
