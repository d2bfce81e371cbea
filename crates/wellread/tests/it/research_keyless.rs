//! Research without a key, without a network, and of what must not leave this machine.

use std::process::Command;

use serde_json::{Value, json};
use wellread_testkit::skip;
use wellread_testkit::{ModelServer, WebServer};

use crate::desk::{BINARY, Desk, Ran, borne_out};
use crate::partner::with;
use crate::study::{NOTE, desk, web, with_web};

/// The binary on a desk in a network of its own, in which there is nothing; or why that can't be.
pub fn cut_off(desk: &Desk, args: &[&str]) -> Result<Ran, String> {
    let probe = Command::new("unshare").args(["--map-root-user", "--net", "--", "true"]).output();
    match probe {
        Ok(output) if output.status.success() => {}
        Ok(output) => return Err(String::from_utf8_lossy(&output.stderr).into_owned()),
        Err(error) => return Err(error.to_string()),
    }
    let mut command = Command::new("unshare");
    command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("HOME", desk.home());
    command.args(["--map-root-user", "--net", "--", BINARY, "--offline"]);
    command.arg("--vault").arg(desk.vault()).arg("--data").arg(desk.data()).args(args);
    Ok(Ran::of(&mut command))
}

/// The section of a note without what only that run has.
fn section(desk: &Desk, path: &str, answer: &Value) -> String {
    desk.text(path).replace(answer["run_id"].as_str().unwrap(), "RUN")
}

#[test]
fn offline_and_without_a_key_a_note_is_researched_and_the_bytes_are_always_the_same() {
    let sections: Vec<String> = (0..2)
        .map(|_| {
            let desk = Desk::new();
            desk.add_code();
            let before = desk.text("Bees/Varroa mite.md");
            let ran = desk.run(["--offline", "note", "Bees/Varroa mite", "--apply", "--json"]);
            let answer = ran.done();
            assert_eq!(answer["left"], json!([]), "{answer}");
            let coverage = &answer["coverage"];
            assert!(coverage["sentences"].as_u64() > Some(0), "{answer}");
            assert_eq!(borne_out(coverage), coverage["sentences"], "{answer}");
            assert!(answer["notice"].as_str().unwrap().contains("no model"), "{answer}");
            let text = desk.text("Bees/Varroa mite.md");
            assert!(text.starts_with(before.trim_end()) && text.contains("\n## Research\n"), "{text}");
            let verified = desk.run(["verify", "Bees/Varroa mite", "--json"]).done();
            assert_eq!(borne_out(&verified["coverage"]), verified["coverage"]["sentences"], "{verified}");
            // Once more, the section takes its own place.
            let again = desk.run(["--offline", "note", "Bees/Varroa mite", "--apply", "--json"]).done();
            assert_eq!(
                section(&desk, "Bees/Varroa mite.md", &again),
                text.replace(answer["run_id"].as_str().unwrap(), "RUN")
            );
            section(&desk, "Bees/Varroa mite.md", &again)
        })
        .collect();
    assert_eq!(sections[0], sections[1]);
}

#[test]
fn a_note_is_written_only_if_that_is_said() {
    let desk = Desk::new();
    let before = desk.text("Bees/Varroa mite.md");
    let shown = desk.run(["--offline", "note", "Bees/Varroa mite"]);
    assert_eq!(shown.status, Some(0), "{shown:?}");
    assert!(shown.stdout.contains("+## Research"), "{shown:?}");
    assert!(shown.stderr.contains("nothing was written: `--apply` writes it"), "{shown:?}");
    let answer = desk.run(["--offline", "note", "Bees/Varroa mite", "--json"]).done();
    assert_eq!(answer["dry_run"], true, "{answer}");
    assert!(answer["notice"].as_str().unwrap().contains("`--apply` writes it"), "{answer}");
    let both = desk.run(["note", "Bees/Varroa mite", "--apply", "--dry-run"]);
    assert_eq!(both.status, Some(2), "{both:?}");
    assert_eq!(desk.text("Bees/Varroa mite.md"), before);
}

#[test]
fn every_note_of_the_example_vault_with_a_sentence_can_be_summarised() {
    let desk = Desk::new();
    for path in ["Home", "Glossary", "Bees/Varroa mite", "Bees/Hawthorn hive", "Projects/Season review 2024"]
    {
        let arguments = json!({ "path": path, "dry_run": true }).to_string();
        let answer = desk.run(["--offline", "tool", "summarize_file", &arguments]).done();
        let coverage = &answer["coverage"];
        assert!(coverage["sentences"].as_u64() > Some(0), "{answer}");
        assert_eq!(borne_out(coverage), coverage["sentences"], "{answer}");
    }
}

#[test]
fn where_there_is_no_network_at_all_it_works() {
    let desk = desk();
    let note = match cut_off(&desk, &["note", "Bees", "--apply", "--json"]) {
        Ok(ran) => ran,
        Err(why) => {
            skip(&format!("this system lends no network namespace: {why}"));
            return;
        }
    };
    note.done();
    assert!(desk.text("Bees.md").starts_with(&format!("{NOTE}\n## Research\n")), "{}", desk.text("Bees.md"));
    let question = "How many bees does a hive hold in winter?";
    let answer = cut_off(&desk, &["ask", "--json", question]).unwrap().done();
    assert_eq!(answer["kind"], "answer", "{answer}");
    assert!(answer["answer"].as_str().unwrap().contains("10,000 bees in winter"), "{answer}");
}

#[test]
fn offline_a_chosen_service_is_not_asked() {
    let desk = desk();
    let web = web();
    let mut command = desk.here();
    with_web(&mut command, &web).args(["--offline", "note", "Bees", "--deep", "--apply", "--json"]);
    let answer = Ran::of(&mut command).done();
    assert_eq!((&answer["left"], web.request_lines().len()), (&json!([]), 0), "{answer}");
    let mut command = desk.here();
    with_web(&mut command, &web).args(["--offline", "ask", "--json", "How many bees in winter?"]);
    let answer = Ran::of(&mut command).done();
    assert_ne!(answer["kind"], "unavailable", "it is answered from notes: {answer}");
    assert_eq!(web.request_lines().len(), 0);
}

#[test]
fn nothing_of_a_private_note_goes_to_a_model_or_a_search_elsewhere() {
    let desk = desk();
    let secret = "---\nprivate: true\n---\n# Hive code\n\nThe hive code is 4711, as in Wintering.\n";
    desk.save("Secret.md", secret);
    let web = WebServer::start();
    let mut command = desk.here();
    // The model's address is nobody's: what was sent there would be told as sent, and wait in vain. A search service counts as
    // elsewhere wherever it is.
    command.env("WELLREAD_MODEL_BASE_URL", "http://203.0.113.1:9/v1").env("LLM_MODEL", "some");
    // What is found is found by words: whether a reader would add it is not what this is about.
    command.env("WELLREAD_EMBEDDING_PROVIDER", "none");
    command.env("WELLREAD_SEARCH_SERVICES", "duckduckgo");
    command.env("WELLREAD_SEARCH_DUCKDUCKGO_BASE_URL", &web.base);
    let answer = Ran::of(command.args(["note", "Secret", "--deep", "--apply", "--json"])).done();
    assert_eq!(answer["left"], json!([]), "{answer}");
    assert!(answer["notice"].as_str().unwrap().contains("private"), "{answer}");
    assert!(desk.text("Secret.md").starts_with(secret.trim_end()), "{}", desk.text("Secret.md"));
    let run = answer["run_id"].as_str().unwrap();
    let shown = desk.run(["runs", "show", run]).stdout;
    assert!(!shown.contains("203.0.113.1"), "{shown}");
    assert_eq!(web.request_lines().len(), 0);
}

#[test]
fn a_model_on_this_machine_may_read_a_private_note() {
    let desk = desk();
    desk.save(
        "Secret.md",
        "---\nprivate: true\n---\n# Hive code\n\nThe hive code is 4711, as in Wintering.\n",
    );
    let turns = crate::study::thinks(2, &["hive in winter"], |prompt| {
        format!(
            "### Winter\n\nIn winter it holds 10,000 bees [{}].\n",
            crate::study::id_of(prompt, "eats 15 kg")
        )
    });
    let model = ModelServer::start(turns);
    let answer = Ran::of(with(&mut desk.here(), &model).args(["note", "Secret", "--apply", "--json"])).done();
    assert!(answer["left"].as_array().unwrap().iter().all(|one| one["stays"] == true), "{answer}");
    model.into_requests();
}

#[test]
fn a_note_about_which_nothing_is_found_stays_as_it_is_and_its_run_did_not_fail() {
    let desk = Desk::bare();
    let text = "# Quinces\n\nThe quince tree behind the shed bears late.\n";
    desk.save("Quinces.md", text);
    let failed = desk.run(["note", "Quinces", "--apply", "--json"]).failed(3);
    assert_eq!(
        (&failed["nothing_found"], desk.text("Quinces.md").as_str()),
        (&json!(true), text),
        "{failed}"
    );
    let runs = desk.run(["runs", "--json"]).done();
    assert_eq!(runs["runs"][0]["ended"], "nothing_found", "{runs}");
    assert!(desk.run(["runs"]).stdout.contains("nothing found"));
    let shown = desk.run(["runs", "show", failed["run_id"].as_str().unwrap()]);
    assert!(shown.stdout.contains("nothing was found"), "{shown:?}");
}
