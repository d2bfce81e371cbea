//! Writes Open Knowledge Format fields into a note's frontmatter. What somebody else wrote there stays as it is, byte for
//! byte; where that does not allow a change, the field is left alone, with the reason.

use std::collections::{BTreeMap, BTreeSet};

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
    /// The entries that it wrote earlier, and that are removed where they are still exactly these.
    pub former: &'a [OkfSource],
    /// `generated`, unless somebody else's is there. Its actor begins with `producer/`, by which an earlier one is known.
    pub generated: &'a OkfEvent,
    /// The event in `verified`: replaces an earlier one of this actor. Without `at`, that one is only removed; without an
    /// event, the field stays as it is.
    pub verified: Option<&'a OkfEvent>,
    /// `stale_after`, unless somebody else's is there.
    pub stale_after: Option<&'a str>,
    /// The `stale_after` that it wrote earlier, which is replaced.
    pub former_stale_after: Option<&'a str>,
}

/// The fields of a note, written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StampedFields {
    /// The change; `None` if the note has all of them.
    pub splice: Option<Splice>,
    /// Why a field was left as it is, and what to do about it, for each one that should have been changed.
    pub left: Vec<String>,
}

impl OkfStamp<'_> {
    /// Writes the fields. `Err` if the frontmatter can't be read, or if a field can't be added to it.
    pub fn apply(&self, text: &str) -> Result<StampedFields, EditError> {
        let mut edit = FieldEdits::new(text)?;
        edit.set_type(self.kind)?;
        let sources = exchange_sources(&edit.now, self.former, self.sources);
        edit.make("sources", sources)?;
        let was_ours = self.write_generated(&mut edit)?;
        if let Some(event) = self.verified {
            let verified = stamp_verified(&edit.now, event);
            edit.make("verified", verified)?;
        }
        self.write_stale_after(&mut edit, was_ours)?;
        Ok(edit.finish())
    }

    /// Writes `generated`; whether an earlier one of this program was there.
    fn write_generated(&self, edit: &mut FieldEdits<'_>) -> Result<bool, EditError> {
        let (name, value) = ("generated", self.generated.to_value());
        let producer = |event: &OkfEvent| Some(event.by.as_deref()?.split_once('/')?.0.to_owned());
        let now = edit.field(name);
        let was_ours = now.as_ref().is_some_and(|now| {
            now.is_object() && producer(&OkfEvent::from_value(now)) == producer(self.generated)
        });
        let is_own = was_ours && now.as_ref().is_some_and(is_event) && !edit.has_inner_comment(name);
        if is_own || edit.is_free(name) {
            edit.set(name, value)?;
        } else if was_ours || !now.is_some_and(|now| now.is_object()) {
            edit.left.push(format!(
                "`{name}` is not as it was written by a program, and was left as it is: remove it to have it written anew"
            ));
        }
        Ok(was_ours)
    }

    fn write_stale_after(&self, edit: &mut FieldEdits<'_>, was_ours: bool) -> Result<(), EditError> {
        let name = "stale_after";
        let now = edit.field(name).and_then(|now| now.as_str().map(str::to_owned));
        let is_former = was_ours && now.is_some() && now.as_deref() == self.former_stale_after;
        match self.stale_after {
            Some(at) if is_former || edit.is_free(name) => edit.set(name, at.into())?,
            wanted if was_ours && !edit.is_free(name) && now.as_deref() != wanted => edit.left.push(format!(
                "`{name}` was left as it is, because it does not follow from `generated` and the settings: remove it to have it \
                 written anew"
            )),
            _ => {}
        }
        Ok(())
    }
}

/// Writes `type`, if the note has none. `Err` if the frontmatter can't be read, or if the field can't be added to it.
pub fn stamp_type(text: &str, kind: &str) -> Result<StampedFields, EditError> {
    let mut edit = FieldEdits::new(text)?;
    edit.set_type(kind)?;
    Ok(edit.finish())
}

/// Sets this actor's event in `verified`, and leaves those of others as they are. An event without `at` is removed.
/// `None` if nothing changes. `Err` if the field is written in a way that does not allow it, and was left as it is.
pub fn stamp_verified(text: &str, event: &OkfEvent) -> Result<Option<Splice>, EditError> {
    let name = "verified";
    let is_by = |item: &Value| item.is_object() && OkfEvent::from_value(item).by == event.by;
    let front = Frontmatter::parse(text);
    let now = front.as_ref().and_then(|front| front.field(name)).cloned().unwrap_or_default();
    let items = now.as_array().cloned().unwrap_or_default();
    let own = find_items(text, name, |item| is_by(item) && is_event(item));
    if event.at.is_none() && own.is_empty() {
        let is_left = is_by(&now) || items.iter().any(is_by);
        return if is_left { Err(not_own_error(name)) } else { Ok(None) };
    }
    if items.iter().any(|item| !item.is_object()) {
        return Err(EditError::not_a_list(name, "not a list of mappings"));
    }
    let added = event.at.iter().map(|_| event.to_value()).collect();
    change_frontmatter(text, name, &FrontmatterChange::Exchange { removed: own, added })
}

/// The entries of `sources` that stay when those are removed that a program wrote earlier. A single mapping is one.
pub fn find_other_sources(text: &str, former: &[OkfSource]) -> Vec<OkfSource> {
    let removed = find_former(text, former);
    let front = Frontmatter::parse(text);
    let Some(items) = front.as_ref().and_then(|front| front.field("sources")?.as_array()) else {
        return OkfFields::read(text).sources;
    };
    let others =
        items.iter().enumerate().filter(|(number, item)| !removed.contains(number) && item.is_object());
    others.map(|(_, item)| OkfSource::from_value(item)).collect()
}

/// Removes the former entries of `sources` and appends others.
fn exchange_sources(
    text: &str,
    former: &[OkfSource],
    sources: &[OkfSource],
) -> Result<Option<Splice>, EditError> {
    let name = "sources";
    let removed = find_former(text, former);
    if removed.is_empty() && sources.is_empty() {
        return Ok(None);
    }
    let front = Frontmatter::parse(text);
    let now = front.as_ref().and_then(|front| front.field(name));
    if now.and_then(Value::as_array).is_some_and(|items| items.iter().any(|item| !item.is_object())) {
        return Err(EditError::not_a_list(name, "not a list of mappings"));
    }
    let added = sources.iter().map(OkfSource::to_value).collect();
    change_frontmatter(text, name, &FrontmatterChange::Exchange { removed, added })
}

/// The numbers of the entries of `sources` that are exactly as a program wrote them.
fn find_former(text: &str, former: &[OkfSource]) -> BTreeSet<usize> {
    let by_id: BTreeMap<Option<&str>, Value> =
        former.iter().map(|source| (source.id.as_deref(), source.to_value())).collect();
    find_items(text, "sources", |item| by_id.get(&item.get("id").and_then(Value::as_str)) == Some(item))
}

/// The numbers of the items of a list that are like this, each on lines of its own and without a comment.
fn find_items(text: &str, name: &str, is_wanted: impl Fn(&Value) -> bool) -> BTreeSet<usize> {
    let find = || {
        let front = Frontmatter::parse(text)?;
        let spans = front.list_items(text, name)?;
        let comments: Vec<usize> = front.comments(text).collect();
        let has_comment = |number: usize| {
            let next = comments.partition_point(|at| *at < spans[number].start);
            comments.get(next).is_some_and(|at| spans[number].contains(at))
        };
        let items = front.field(name)?.as_array()?.iter().enumerate();
        let wanted = items.filter(|(number, item)| is_wanted(item) && !has_comment(*number));
        Some(wanted.map(|(number, _)| number).collect())
    };
    find().unwrap_or_default()
}

/// Whether a value is an event and nothing else.
fn is_event(value: &Value) -> bool {
    value.as_object().is_some_and(|fields| fields.keys().all(|name| ["by", "at"].contains(&name.as_str())))
}

fn not_own_error(name: &str) -> EditError {
    EditError::refused(format!(
        "an entry of `{name}` is not as it was written by a program, and was left as it is: remove it if it does not hold any \
         more"
    ))
}

/// A note whose fields are written one after the other.
struct FieldEdits<'a> {
    before: &'a str,
    now: String,
    /// Why fields were left as they are.
    left: Vec<String>,
}

impl<'a> FieldEdits<'a> {
    /// `Err` if the frontmatter can't be read.
    fn new(text: &'a str) -> Result<Self, EditError> {
        match Frontmatter::parse(text).map(|front| front.fields) {
            Some(Err(trouble)) => {
                Err(EditError::refused(format!("the frontmatter cannot be read: {trouble}")))
            }
            _ => Ok(Self { before: text, now: text.to_owned(), left: Vec::new() }),
        }
    }

    fn finish(self) -> StampedFields {
        StampedFields { splice: difference(self.before, &self.now), left: self.left }
    }

    fn set_type(&mut self, kind: &str) -> Result<(), EditError> {
        if self.is_free("type") {
            return self.set("type", kind.into());
        }
        let now = self.field("type");
        if now.as_ref().and_then(Value::as_str).is_none_or(|kind| kind.trim().is_empty()) {
            self.left.push("`type` is not a text, and was left as it is: the format wants a text".to_owned());
        }
        Ok(())
    }

    fn field(&self, name: &str) -> Option<Value> {
        Frontmatter::parse(self.before)?.field(name).cloned()
    }

    /// Whether the note does not have the field, or has it without a value.
    fn is_free(&self, name: &str) -> bool {
        Frontmatter::parse(self.before).is_none_or(|front| front.is_free(self.before, name))
    }

    fn has_inner_comment(&self, name: &str) -> bool {
        Frontmatter::parse(self.before).is_some_and(|front| front.has_inner_comment(self.before, name))
    }

    fn set(&mut self, name: &str, value: Value) -> Result<(), EditError> {
        let splice = change_frontmatter(&self.now, name, &FrontmatterChange::Set(value));
        self.make(name, splice)
    }

    /// Makes a change. A field that is there and does not allow it is left as it is; `Err` if there was none.
    fn make(&mut self, name: &str, splice: Result<Option<Splice>, EditError>) -> Result<(), EditError> {
        match splice {
            Ok(None) => {}
            Ok(Some(splice)) => {
                self.now = apply_splices(&self.now, &[splice])
                    .map_err(|error| EditError::refused(error.to_string()))?;
            }
            Err(error) if self.field(name).is_none() => return Err(error),
            Err(error) => self.left.push(error.message().to_owned()),
        }
        Ok(())
    }
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
mod tests;
