//! What an endpoint writes down: one text, or segments with their speakers.

use serde::Deserialize;

#[derive(Deserialize)]
struct TranscriptBody {
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    segments: Vec<Segment>,
}

#[derive(Deserialize)]
struct Segment {
    #[serde(default)]
    text: String,
    /// `speaker` and `speaker_id` are both in use, as a name or a number.
    #[serde(default, alias = "speaker_id")]
    speaker: Option<serde_json::Value>,
}

/// The transcript; nothing where the answer is none. Who speaks stands before what they say, where that is known.
pub fn parse_transcript(body: &[u8]) -> Option<String> {
    let written: TranscriptBody = serde_json::from_slice(body).ok()?;
    let mut lines: Vec<(String, String)> = Vec::new();
    for segment in &written.segments {
        let Some(speaker) = segment.speaker.as_ref().and_then(speaker_name) else {
            return written.text.or_else(|| join_segments(&written.segments));
        };
        match lines.last_mut() {
            Some((last, said)) if *last == speaker => {
                said.push(' ');
                said.push_str(segment.text.trim());
            }
            _ => lines.push((speaker, segment.text.trim().to_owned())),
        }
    }
    if lines.is_empty() {
        return written.text;
    }
    let lines: Vec<String> = lines.iter().map(|(speaker, said)| format!("{speaker}: {said}")).collect();
    Some(lines.join("\n"))
}

fn speaker_name(speaker: &serde_json::Value) -> Option<String> {
    match speaker {
        serde_json::Value::String(name) if !name.trim().is_empty() => Some(name.trim().to_owned()),
        serde_json::Value::Number(number) => Some(format!("Speaker {number}")),
        _ => None,
    }
}

fn join_segments(segments: &[Segment]) -> Option<String> {
    let all: Vec<&str> = segments.iter().map(|segment| segment.text.trim()).collect();
    (!all.is_empty()).then(|| all.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_speakers_are_read() {
        for (body, said) in [
            (r#"{"text":"Hello."}"#, Some("Hello.")),
            (r#"{"text":"Hello.","segments":[{"text":" Hello."}],"duration":1.5}"#, Some("Hello.")),
            (r#"{"segments":[{"text":" One."},{"text":" Two."}]}"#, Some("One. Two.")),
            (
                r#"{"text":"x","segments":[{"text":"Hi.","speaker":"Ann"},{"text":"So.","speaker":"Ann"},{"text":"Yes.","speaker_id":2}]}"#,
                Some("Ann: Hi. So.\nSpeaker 2: Yes."),
            ),
            (r#"{"text":""}"#, Some("")),
            (r#"{}"#, None),
            ("Hello.", None),
            ("", None),
            (r#"{"text":3}"#, None),
        ] {
            assert_eq!(parse_transcript(body.as_bytes()).as_deref(), said, "{body}");
        }
    }
}
