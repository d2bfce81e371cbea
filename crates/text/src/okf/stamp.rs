//! Writes Open Knowledge Format fields into a note's frontmatter. What somebody else wrote there stays as it is.

use serde_json::Value;

use super::fields::{OkfEvent, OkfFields, OkfSource};
use crate::{EditError, Frontmatter, FrontmatterChange, Splice, apply_splices, change_frontmatter};

/// What a program vouches for: the fields that it writes into a note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OkfStamp<'a> {
    /// `type`, if the note has none.
    pub kind: &'a str,
    /// The entries of `sources` that it adds.
    pub sources: &'a [OkfSource],
    /// The entries that it wrote earlier, and that are replaced: those with the same id and resource.
    pub former: &'a [OkfSource],
    /// `generated`, unless somebody else's is there. Its actor begins with `producer/`, by which an earlier one is known.
    pub generated: &'a OkfEvent,
    /// The event in `verified`: replaces an earlier one of this actor. Without `at`, that one is only removed; without an
    /// event, the field stays as it is.
    pub verified: Option<&'a OkfEvent>,
    /// `stale_after`, unless somebody else's is there.
    pub stale_after: Option<&'a str>,
}

impl OkfStamp<'_> {
    /// The splice that writes the fields; `None` if the note has all of them. `Err` if the frontmatter can't be read, or
    /// can't be changed without changing other fields.
    pub fn apply(&self, text: &str) -> Result<Option<Splice>, EditError> {
        let before = OkfFields::read(text);
        let mut changed = text.to_owned();
        if before.kind.is_none() && is_free(text, "type") {
            change(&mut changed, "type", &FrontmatterChange::Set(self.kind.into()))?;
        }
        if is_list_of_mappings(text, "sources") {
            let is_former = |item: &Value| {
                let OkfSource { id, resource, .. } = OkfSource::from_value(item);
                self.former.iter().any(|former| former.id == id && former.resource == resource)
            };
            let removed: Vec<Value> = items(text, "sources").into_iter().filter(is_former).collect();
            let added = self.sources.iter().map(OkfSource::to_value).collect();
            change(&mut changed, "sources", &FrontmatterChange::Exchange { removed, added })?;
        }
        let producer =
            |event: &OkfEvent| event.by.as_deref().and_then(|by| Some(by.split_once('/')?.0.to_owned()));
        let is_ours =
            |event: &OkfEvent| producer(event).is_some() && producer(event) == producer(self.generated);
        let was_ours = before.generated.as_ref().is_some_and(is_ours);
        if was_ours || is_free(text, "generated") {
            change(&mut changed, "generated", &FrontmatterChange::Set(self.generated.to_value()))?;
        }
        let verified = self.verified.map(|event| stamp_verified(&changed, event)).transpose()?.flatten();
        if let Some(splice) = verified {
            changed =
                apply_splices(&changed, &[splice]).map_err(|error| EditError::refused(error.to_string()))?;
        }
        let follows_ours = was_ours && has_same_time(&before);
        match self.stale_after {
            Some(at) if follows_ours || is_free(text, "stale_after") => {
                change(&mut changed, "stale_after", &FrontmatterChange::Set(at.into()))?;
            }
            None if follows_ours => change(&mut changed, "stale_after", &FrontmatterChange::Remove)?,
            _ => {}
        }
        Ok(difference(text, &changed))
    }
}

/// Sets this actor's event in `verified`, and leaves those of others as they are. An event without `at` is removed.
/// `None` if nothing changes.
pub fn stamp_verified(text: &str, event: &OkfEvent) -> Result<Option<Splice>, EditError> {
    let front = Frontmatter::parse(text);
    let now = front.as_ref().and_then(|front| front.field("verified"));
    let is_ours = |item: &Value| item.is_object() && OkfEvent::from_value(item).by == event.by;
    let added: Vec<Value> = event.at.iter().map(|_| event.to_value()).collect();
    let change = match now {
        None | Some(Value::Null) if added.is_empty() => return Ok(None),
        Some(single @ Value::Object(_)) if is_ours(single) && added.is_empty() => FrontmatterChange::Remove,
        Some(single @ Value::Object(_)) => {
            let others = (!is_ours(single)).then(|| single.clone());
            let whole: Vec<Value> = others.into_iter().chain(added).collect();
            match whole.as_slice() {
                [only] if only == single => return Ok(None),
                _ => FrontmatterChange::Set(Value::Array(whole)),
            }
        }
        Some(Value::Array(items)) => {
            let removed = items.iter().filter(|item| is_ours(item)).cloned().collect();
            FrontmatterChange::Exchange { removed, added }
        }
        None | Some(Value::Null) => FrontmatterChange::Set(Value::Array(added)),
        // Somebody uses the name for something else.
        Some(_) => return Ok(None),
    };
    change_frontmatter(text, "verified", &change)
}

fn change(text: &mut String, name: &str, change: &FrontmatterChange) -> Result<(), EditError> {
    if let Some(splice) = change_frontmatter(text, name, change)? {
        *text = apply_splices(text, &[splice]).map_err(|error| EditError::refused(error.to_string()))?;
    }
    Ok(())
}

fn items(text: &str, name: &str) -> Vec<Value> {
    let front = Frontmatter::parse(text);
    front.and_then(|front| front.field(name)?.as_array().cloned()).unwrap_or_default()
}

/// Whether the note does not have the field, or has it without a value.
fn is_free(text: &str, name: &str) -> bool {
    Frontmatter::parse(text).is_none_or(|front| front.field(name).is_none_or(Value::is_null))
}

/// Whether the field is missing or a list of mappings: with anything else it is somebody's own.
fn is_list_of_mappings(text: &str, name: &str) -> bool {
    is_free(text, name)
        || Frontmatter::parse(text).is_some_and(|front| front.field(name).is_some_and(Value::is_array))
            && items(text, name).iter().all(Value::is_object)
}

/// Whether `stale_after` has the same time of day as `generated`, from which it is counted: then both were written at once.
fn has_same_time(fields: &OkfFields) -> bool {
    let time = |written: &str| Some(written.split_once('T')?.1.to_owned());
    let generated = fields.generated.as_ref().and_then(|event| time(event.at.as_deref()?));
    generated.is_some() && fields.stale_after.as_deref().and_then(time) == generated
}

/// One splice from a text to another, as short as possible in whole lines.
fn difference(old: &str, new: &str) -> Option<Splice> {
    if old == new {
        return None;
    }
    let same = |(one, other): &(&str, &str)| one == other;
    let lines = |text| str::split_inclusive(text, '\n');
    let start: usize = lines(old).zip(lines(new)).take_while(same).map(|(line, _)| line.len()).sum();
    let rest = lines(&old[start..]).rev().zip(lines(&new[start..]).rev());
    let end: usize = rest.take_while(same).map(|(line, _)| line.len()).sum();
    Some(Splice { span: start..old.len() - end, text: new[start..new.len() - end].to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(by: &str, at: &str) -> OkfEvent {
        OkfEvent { by: Some(by.to_owned()), at: (!at.is_empty()).then(|| at.to_owned()) }
    }

    fn source(id: &str, resource: &str) -> OkfSource {
        OkfSource { id: Some(id.to_owned()), resource: Some(resource.to_owned()), title: None }
    }

    /// The note after a stamp of this day, with a source of this id; `former` was written before.
    fn stamped(text: &str, day: &str, id: &str, former: &[&str]) -> String {
        let at = format!("{day}T08:00:00Z");
        let former: Vec<OkfSource> =
            former.iter().map(|id| source(id, if *id == "old" { "/Old.md" } else { "/Wax.md" })).collect();
        let stamp = OkfStamp {
            kind: "Note",
            sources: &[source(id, "/Wax.md")],
            former: &former,
            generated: &event("wellread/2", &at),
            verified: Some(&event("process:gate", &at)),
            stale_after: Some("2027-01-01T08:00:00Z"),
        };
        match stamp.apply(text).unwrap() {
            Some(splice) => apply_splices(text, &[splice]).unwrap(),
            None => text.to_owned(),
        }
    }

    const STAMPED: &str = "type: Note\nsources:\n  - id: wax\n    resource: /Wax.md\ngenerated:\n  by: wellread/2\n  at: 2026-01-01T08:00:00Z\nverified:\n  - by: process:gate\n    at: 2026-01-01T08:00:00Z\nstale_after: 2027-01-01T08:00:00Z\n";

    #[test]
    fn a_note_gets_its_fields_whatever_it_begins_with() {
        for (text, expected) in [
            ("# Bees\n", format!("---\n{STAMPED}---\n# Bees\n")),
            ("\u{feff}# Bees\n", format!("\u{feff}---\n{STAMPED}---\n# Bees\n")),
            ("---\n---\n# Bees\n", format!("---\n{STAMPED}---\n# Bees\n")),
            (
                "---\n# mine\ntags: [a] # keep\n---\n",
                format!("---\n# mine\ntags: [a] # keep\n{STAMPED}---\n"),
            ),
            (
                "# Bees\r\n\r\nx\r\n",
                format!("---\n{STAMPED}---\n").replace('\n', "\r\n") + "# Bees\r\n\r\nx\r\n",
            ),
        ] {
            let once = stamped(text, "2026-01-01", "wax", &[]);
            assert_eq!(once, expected, "{text:?}");
            assert_eq!(stamped(&once, "2026-01-01", "wax", &["wax"]), once, "{text:?}");
        }
        let trouble = change_frontmatter("---\na: [\n---\n", "b", &FrontmatterChange::Set(1.into()));
        assert!(trouble.is_err());
    }

    #[test]
    fn what_was_written_earlier_is_replaced_and_what_others_wrote_stays() {
        let first = stamped("# Bees\n", "2026-01-01", "wax", &[]);
        let next = stamped(&first, "2026-02-02", "honey", &["wax"]);
        assert_eq!(next.replace("honey", "wax").replace("2026-02-02", "2026-01-01"), first);
        let theirs = "---\ntype: Metric # ours\nsources:\n  # the policy\n  - {id: policy, resource: 'https://a.org'} # binding\n  - id: old\n    resource: /Old.md\n  # the end\ngenerated: { by: human:ana, at: 2025-01-01T00:00:00Z }\nverified: { by: human:ana, at: 2025-01-01T00:00:00Z }\nstale_after: 2026-12-01\n---\nx\n";
        let after = stamped(theirs, "2026-01-01", "wax", &["old"]);
        let expected = theirs.replace(
            "  - id: old\n    resource: /Old.md\n  # the end\n",
            "  # the end\n  - id: wax\n    resource: /Wax.md\n",
        );
        let expected = expected.replace(
            "verified: { by: human:ana, at: 2025-01-01T00:00:00Z }",
            "verified:\n  - by: human:ana\n    at: 2025-01-01T00:00:00Z\n  - by: process:gate\n    at: 2026-01-01T08:00:00Z",
        );
        // A comment behind the list is not of the list: what is added comes before it.
        let expected = expected.replace(
            "  # the end\n  - id: wax\n    resource: /Wax.md\n",
            "  - id: wax\n    resource: /Wax.md\n  # the end\n",
        );
        assert_eq!(after, expected);
        // Names that somebody uses for something else.
        let other =
            "---\ntype: book\nsources: [a, b]\nverified: true\ngenerated: yes\nstale_after: never\n---\n";
        assert_eq!(stamped(other, "2026-01-01", "wax", &[]), other);
    }

    #[test]
    fn an_actors_event_is_set_and_removed_and_those_of_others_stay() {
        let set = |text: &str, at: &str| {
            let splice = stamp_verified(text, &event("process:gate", at)).unwrap();
            splice.map_or_else(|| text.to_owned(), |splice| apply_splices(text, &[splice]).unwrap())
        };
        let none = "---\ntype: x\n---\n";
        let ours = set(none, "2026-01-01T08:00:00Z");
        assert_eq!(
            ours,
            "---\ntype: x\nverified:\n  - by: process:gate\n    at: 2026-01-01T08:00:00Z\n---\n"
        );
        assert_eq!(set(&ours, "2026-02-02T08:00:00Z"), ours.replace("2026-01-01", "2026-02-02"));
        assert_eq!(set(&ours, ""), none);
        assert_eq!(set(none, ""), none);
        let both = "---\nverified:\n  - { by: human:ana, at: 2025-01-01T00:00:00Z } # read twice\n---\n";
        let added = set(both, "2026-01-01T08:00:00Z");
        assert!(added.starts_with(both.trim_end_matches("---\n")), "{added}");
        assert_eq!(set(&added, ""), both);
    }
}
