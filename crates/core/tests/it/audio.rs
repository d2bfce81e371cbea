//! `transcribe_audio`: which recordings a note embeds, and which of them may leave.

use std::sync::Arc;

use serde_json::{Value, json};
use wellread_core::engine::outside::OutsideServices;
use wellread_core::{Error, ErrorKind};
use wellread_testkit::{ScriptedSpeech, World};

use crate::ask::{fails, ok};

fn world(vault: &str, speech: ScriptedSpeech) -> (World, Arc<ScriptedSpeech>) {
    let (mut world, speech) = (World::new(vault), Arc::new(speech));
    world.reach = Arc::new(OutsideServices { speech: speech.clone(), ..OutsideServices::none() });
    (world, speech)
}

fn files(answer: &Value, list: &str) -> Vec<String> {
    answer[list].as_array().unwrap().iter().map(|row| row["file"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn every_embed_is_found_as_obsidian_finds_it() {
    let vault = "-- Notes/Talk.md\n![[a.m4a]] ![[Sub/b.MP3|player]]\n![[a.m4a#t=10]] [[c.wav]] ![[d.png]]\n`![[e.ogg]]` ![spoken](g%20h.wav) ![web](https://example.org/i.mp3)\n![[f.webm]]\n\
                 -- Attachments/a.m4a\nfrom attachments\n-- Notes/a.m4a\nbeside the note\n-- Notes/Sub/b.MP3\nsub\n-- Deep/er/f.webm\ndeep\n-- Notes/g h.wav\nspoken\n\
                 -- c.wav\nx\n-- e.ogg\nx\n-- d.png\nx\n";
    let said =
        [("a.m4a", Ok(" One.\n")), ("b.MP3", Ok("Two.")), ("f.webm", Ok("Three.")), ("g h.wav", Ok("Four."))];
    let (world, speech) = world(vault, ScriptedSpeech::new(false, said));
    let answer = ok(&world, "transcribe_audio", json!({"path": "Notes/Talk"}));
    assert_eq!(files(&answer, "results"), ["a.m4a", "Sub/b.MP3", "g h.wav", "f.webm"]);
    assert_eq!(answer["results"][0]["transcript"], "One.");
    assert_eq!(answer.get("errors"), None);
    let heard: Vec<String> = speech
        .recordings()
        .iter()
        .map(|(_, bytes)| String::from_utf8_lossy(bytes).trim().to_owned())
        .collect();
    assert_eq!(heard, ["from attachments", "sub", "spoken", "deep"]);
}

#[test]
fn none_embedded_some_failed_and_all_failed_are_told_apart() {
    let busy = || {
        Error::new(ErrorKind::Unavailable, "the endpoint has reached its rate limit").hint("try again later")
    };
    let vault = "-- None.md\ntext\n-- Some.md\n![[a.m4a]]\n![[b.mp3]]\n![[gone.wav]]\n-- All.md\n![[b.mp3]]\n-- a.m4a\nx\n-- b.mp3\nx\n";
    let (world, _) =
        world(vault, ScriptedSpeech::new(false, [("a.m4a", Ok("One.")), ("b.mp3", Err(busy()))]));
    let none = ok(&world, "transcribe_audio", json!({"path": "None"}));
    assert_eq!((&none["message"], &none["results"]), (&json!("No audio embeds found"), &json!([])));
    let some = ok(&world, "transcribe_audio", json!({"path": "Some"}));
    assert_eq!(
        (files(&some, "results"), files(&some, "errors")),
        (vec!["a.m4a".to_owned()], vec!["b.mp3".to_owned(), "gone.wav".to_owned()])
    );
    assert!(some["errors"][1]["error"].as_str().unwrap().contains("File not found"), "{some}");
    let all = fails(&world, "transcribe_audio", json!({"path": "All"}));
    assert!(all["error"].as_str().unwrap().contains("rate limit"), "{all}");
    assert_eq!((&all["hint"], files(&all, "errors")), (&json!("try again later"), vec!["b.mp3".to_owned()]));
    fails(&world, "transcribe_audio", json!({"path": "Nowhere"}));
}

#[test]
fn where_nothing_is_set_up_the_hint_says_what_to_set() {
    let world = World::new("-- A.md\n![[a.m4a]]\n-- a.m4a\nx\n");
    let answer = fails(&world, "transcribe_audio", json!({"path": "A"}));
    assert!(answer["hint"].as_str().unwrap().contains("speech.base_url"), "{answer}");
}

#[test]
fn what_is_private_is_heard_on_this_machine_alone() {
    let vault = "-- Diary.md\n---\nprivate: true\n---\n![[a.m4a]]\n-- a.m4a\nx\n";
    let (away, speech) = world(vault, ScriptedSpeech::new(false, [("a.m4a", Ok("Secret."))]));
    let answer = fails(&away, "transcribe_audio", json!({"path": "Diary"}));
    assert!(answer["error"].as_str().unwrap().contains("private"), "{answer}");
    assert!(speech.recordings().is_empty());
    let (here, _) = world(vault, ScriptedSpeech::new(true, [("a.m4a", Ok("Secret."))]));
    assert_eq!(
        ok(&here, "transcribe_audio", json!({"path": "Diary"}))["results"][0]["transcript"],
        "Secret."
    );
}

#[test]
fn a_private_recording_in_a_public_note_is_heard_on_this_machine_alone() {
    let vault = "-- Open.md\n![[P/a.m4a]]\n-- P/a.m4a\nx\n";
    for is_local in [false, true] {
        let (world, speech) = world(vault, ScriptedSpeech::new(is_local, [("a.m4a", Ok("Secret."))]));
        let world = world.with_private_folders(&["P"]);
        let answer = world.call_tool("transcribe_audio", json!({"path": "Open"}));
        assert_eq!(
            (answer["success"] == true, speech.recordings().is_empty()),
            (is_local, !is_local),
            "{answer}"
        );
    }
}

#[test]
fn a_recording_that_is_too_large_is_not_read() {
    let large = vec![0; 25 * 1024 * 1024 + 1];
    let mut world = World::with_files([("A.md", &b"![[a.wav]]"[..]), ("a.wav", &large)]);
    let speech = Arc::new(ScriptedSpeech::new(true, []));
    world.reach = Arc::new(OutsideServices { speech: speech.clone(), ..OutsideServices::none() });
    let answer = fails(&world, "transcribe_audio", json!({"path": "A"}));
    assert!(answer["error"].as_str().unwrap().contains("larger than 25 MiB"), "{answer}");
    assert!(speech.recordings().is_empty());
}
