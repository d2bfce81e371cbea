//! Programs that every system has stand for one that transcribes.

use super::*;

fn transcribed(command: &SpeechCommand) -> Result<String> {
    let recording = Recording { name: "a b/--x.M4A".to_owned(), bytes: b"sound".to_vec() };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(command.transcribe(&recording)).map(|said| said.expose().to_owned())
}

#[test]
fn a_command_is_words_and_no_shell() {
    for (written, expected) in [
        ("whisper", vec!["whisper"]),
        ("  a  \"b c\" d\"e f\" \"\" ", vec!["a", "b c", "de f", ""]),
        ("a $(x);y|z", vec!["a", "$(x);y|z"]),
        ("", vec![]),
    ] {
        assert_eq!(words(written).unwrap(), expected, "{written}");
    }
    assert!(words("a \"b").is_err());
    assert!(SpeechCommand::new(" ").is_err());
}

#[cfg(unix)]
#[test]
fn the_program_gets_the_file_and_says_what_is_in_it() {
    assert_eq!(transcribed(&SpeechCommand::new("cat").unwrap()).unwrap(), "sound");
    let echoed = transcribed(&SpeechCommand::new("echo \"a b\"").unwrap()).unwrap();
    assert!(echoed.starts_with("a b /") && echoed.trim_end().ends_with("/recording.M4A"), "{echoed}");
    let path = echoed.trim_end().strip_prefix("a b ").unwrap();
    assert!(
        !Path::new(path).exists() && !Path::new(path).parent().unwrap().exists(),
        "nothing is left behind"
    );
}

#[cfg(unix)]
#[test]
fn a_program_that_fails_is_missing_or_does_not_end_is_an_error() {
    for (command, why, kind) in [
        ("false", "failed", ErrorKind::Unavailable),
        ("ls /no/such/folder", "`ls` failed: ls: ", ErrorKind::Unavailable),
        ("no-such-program-here", "can't be started", ErrorKind::NotSetUp),
    ] {
        let error = transcribed(&SpeechCommand::new(command).unwrap()).unwrap_err();
        assert!(error.message().contains(why) && error.kind() == kind, "{error}");
    }
    let endless = SpeechCommand { patience: Duration::ZERO, ..SpeechCommand::new("tail -f").unwrap() };
    assert!(transcribed(&endless).unwrap_err().message().contains("did not end in time"));
}

#[test]
fn times_before_every_line_are_left_out() {
    let timed = "\n[00:00:00.000 --> 00:00:02.500]   Bees fly\n[00:00:02.500 --> 00:00:04.000]  in May.\n";
    assert_eq!(strip_times(timed), "Bees fly\nin May.");
    for kept in ["[00:01 --> 00:02] said\nand more\n", "[sic] said\n", "plain\n", "", "[a --> b] said"] {
        assert_eq!(strip_times(kept), kept);
    }
}
