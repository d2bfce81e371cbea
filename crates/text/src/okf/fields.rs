//! Reads the fields of the Open Knowledge Format from a note's frontmatter.

use serde_json::{Map, Value, json};

use crate::Frontmatter;
use crate::note::frontmatter::scalar_text;

/// A material that a note derives from: an entry of `sources`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OkfSource {
    /// The key of the footnotes that cite it.
    pub id: Option<String>,
    /// An address, a path, or a description of what it is.
    pub resource: Option<String>,
    /// Its title for readers.
    pub title: Option<String>,
}

/// Who wrote or confirmed a note, and when.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OkfEvent {
    /// The actor: `producer/version`, `human:id` or `process:id`.
    pub by: Option<String>,
    /// The instant, as written.
    pub at: Option<String>,
}

/// The fields of a note that the format defines and Wellread reads.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OkfFields {
    /// `type`, the kind of note.
    pub kind: Option<String>,
    /// `sources`, in order.
    pub sources: Vec<OkfSource>,
    /// `generated`: how the current text came to be.
    pub generated: Option<OkfEvent>,
    /// `verified`: who confirmed it. A single mapping counts as a list of one.
    pub verified: Vec<OkfEvent>,
    /// `stale_after`, as written.
    pub stale_after: Option<String>,
}

impl OkfFields {
    /// The fields of a note. All are empty if it has no frontmatter that can be read.
    pub fn read(text: &str) -> Self {
        let Some(Ok(fields)) = Frontmatter::parse(text).map(|front| front.fields) else {
            return Self::default();
        };
        let scalar =
            |name: &str| fields.get(name).and_then(scalar_text).filter(|text| !text.trim().is_empty());
        Self {
            kind: scalar("type"),
            sources: entries(fields.get("sources")).iter().map(OkfSource::from_value).collect(),
            generated: fields.get("generated").filter(|value| value.is_object()).map(OkfEvent::from_value),
            verified: entries(fields.get("verified")).iter().map(OkfEvent::from_value).collect(),
            stale_after: scalar("stale_after"),
        }
    }

    /// Whether the note has a field that only this format has. `type` alone is common elsewhere.
    pub fn is_okf(&self) -> bool {
        let is_sourced = self.sources.iter().any(|source| source.resource.is_some());
        let is_by = |event: &OkfEvent| event.by.is_some();
        is_sourced
            || self.generated.as_ref().is_some_and(is_by)
            || self.verified.iter().any(is_by)
            || self.stale_after.is_some()
    }

    /// The source that a footnote with this label cites.
    pub fn find_source(&self, label: &str) -> Option<&OkfSource> {
        self.sources.iter().find(|source| source.id.as_deref() == Some(label))
    }
}

impl OkfSource {
    pub(super) fn from_value(value: &Value) -> Self {
        Self { id: part(value, "id"), resource: part(value, "resource"), title: part(value, "title") }
    }

    pub(super) fn to_value(&self) -> Value {
        let parts = [("id", &self.id), ("resource", &self.resource), ("title", &self.title)];
        let parts =
            parts.into_iter().filter_map(|(name, part)| Some((name.to_owned(), json!(part.as_ref()?))));
        Value::Object(parts.collect::<Map<String, Value>>())
    }
}

impl OkfEvent {
    pub(super) fn from_value(value: &Value) -> Self {
        Self { by: part(value, "by"), at: part(value, "at") }
    }

    pub(super) fn to_value(&self) -> Value {
        let parts = [("by", &self.by), ("at", &self.at)];
        let parts =
            parts.into_iter().filter_map(|(name, part)| Some((name.to_owned(), json!(part.as_ref()?))));
        Value::Object(parts.collect::<Map<String, Value>>())
    }
}

/// The mappings of a list, or a single one.
fn entries(value: Option<&Value>) -> Vec<Value> {
    match value {
        Some(Value::Array(items)) => items.iter().filter(|item| item.is_object()).cloned().collect(),
        Some(single @ Value::Object(_)) => vec![single.clone()],
        _ => Vec::new(),
    }
}

fn part(value: &Value, name: &str) -> Option<String> {
    value.get(name).and_then(scalar_text).filter(|text| !text.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_in_either_form_and_a_type_alone_is_not_the_format() {
        let text = "---\ntype: Metric\nsources:\n  - id: a\n    resource: https://a.org\n  - oops\nverified: { by: human:ana, at: 2026-06-25T09:00:00Z }\n---\nx\n";
        let fields = OkfFields::read(text);
        assert_eq!(fields.kind.as_deref(), Some("Metric"));
        assert_eq!(fields.find_source("a").unwrap().resource.as_deref(), Some("https://a.org"));
        assert_eq!((fields.sources.len(), fields.find_source("b")), (1, None));
        assert_eq!(fields.verified[0].by.as_deref(), Some("human:ana"));
        assert!(fields.is_okf());
        for other in [
            "---\ntype: book\nsources: [a, b]\n---\n",
            "---\nsources: x\nverified: true\n---\n",
            "x",
            "---\na: [\n---\n",
        ] {
            assert!(!OkfFields::read(other).is_okf(), "{other}");
        }
    }
}
