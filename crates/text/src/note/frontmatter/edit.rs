//! Changes one field of the frontmatter and nothing else.
//!
//! Only the field's own lines are rewritten. The result is then parsed: this field must have the wanted value and
//! every other field its old one, otherwise the edit is refused. So whatever YAML a note contains, it is changed
//! correctly or not at all.

use std::collections::BTreeSet;

use serde_json::Value;

use super::layout::{FieldPlace, is_empty_list, is_written_empty, list_items, place};
use super::write::{check_name, field, render_inline, render_item, render_value};
use super::{Fields, Frontmatter, yaml};
use crate::span::bom_len;
use crate::{EditError, Splice, apply_splices, line_ending};

/// A change to one frontmatter field.
#[derive(Debug, Clone, PartialEq)]
pub enum FrontmatterChange {
    /// Sets the value, and creates a missing field.
    Set(Value),
    /// Removes the field. A missing field is an error.
    Remove,
    /// Appends to the field's list. A missing list is created; a single value becomes the first item; an item that is
    /// already in the list is skipped. If the value is a list, each of its items is appended.
    Append(Value),
    /// Removes items of the field's list by their own lines and appends others. Everything else in the list stays byte for
    /// byte, so a list that does not begin each item on a line of its own is refused. A missing list is created; one that
    /// loses all its items is removed, unless comments are in it.
    Exchange {
        /// The numbers of the items to remove, from 0.
        removed: BTreeSet<usize>,
        /// The items to append.
        added: Vec<Value>,
    },
}

/// The splice that makes the change; `None` if the note already has the wanted value.
pub fn change_frontmatter(
    text: &str,
    name: &str,
    change: &FrontmatterChange,
) -> Result<Option<Splice>, EditError> {
    check_name(name)?;
    let Some(frontmatter) = Frontmatter::parse(text) else { return new_block(text, name, change) };
    let fields = match &frontmatter.fields {
        Ok(_) => yaml::parse(&text[frontmatter.inner.clone()]).map_err(EditError::refused)?,
        Err(trouble) => return Err(EditError::refused(format!("the frontmatter cannot be read: {trouble}"))),
    };
    let edit = FieldEdit { text, frontmatter: &frontmatter, fields: &fields, name, eol: line_ending(text) };
    let Some(mut wanted) = target_value(fields.map.get(name), name, change)? else { return Ok(None) };
    let splice = match (&wanted, change) {
        (_, FrontmatterChange::Exchange { removed, added }) if fields.map.contains_key(name) => {
            let splice = edit.exchange(removed, added, wanted.value())?;
            // The comments of a list without items stay, behind a key without a value.
            if matches!(wanted, TargetValue::Gone) && !splice.text.is_empty() {
                wanted = TargetValue::Value(Value::Null);
            }
            splice
        }
        (TargetValue::Gone, _) => edit.remove()?,
        (TargetValue::List { added, .. }, FrontmatterChange::Append(_)) if fields.map.contains_key(name) => {
            edit.append(wanted.value(), added)?
        }
        _ => edit.set(wanted.value())?,
    };
    edit.verify(&splice, &wanted)?;
    Ok(Some(splice))
}

/// The value that the field must have after the edit.
enum TargetValue {
    Gone,
    Value(Value),
    /// A list that exists and is extended by `added`.
    List {
        whole: Value,
        added: Vec<Value>,
    },
}

impl TargetValue {
    fn value(&self) -> &Value {
        match self {
            Self::Gone => &Value::Null,
            Self::Value(value) | Self::List { whole: value, .. } => value,
        }
    }
}

/// The target value; `None` if the field already has it.
fn target_value(
    now: Option<&Value>,
    name: &str,
    change: &FrontmatterChange,
) -> Result<Option<TargetValue>, EditError> {
    let appended = match change {
        FrontmatterChange::Remove if now.is_none() => return Err(no_field(name)),
        FrontmatterChange::Remove => return Ok(Some(TargetValue::Gone)),
        FrontmatterChange::Set(value) if now == Some(value) => return Ok(None),
        FrontmatterChange::Set(value) => return Ok(Some(TargetValue::Value(value.clone()))),
        FrontmatterChange::Append(Value::Array(items)) => items.clone(),
        FrontmatterChange::Append(item) => vec![item.clone()],
        FrontmatterChange::Exchange { removed, added } => return exchanged(now, name, removed, added),
    };
    let present = match now {
        None | Some(Value::Null) => vec![],
        Some(Value::Array(items)) => items.clone(),
        Some(Value::Object(_)) => {
            return Err(EditError::refused(format!(
                "the field `{name}` is a mapping: nothing can be appended to it"
            )));
        }
        Some(scalar) => vec![scalar.clone()],
    };
    let mut whole = present.clone();
    for item in appended {
        if !whole.contains(&item) {
            whole.push(item);
        }
    }
    let added = whole[present.len()..].to_vec();
    if added.is_empty() && now.is_some_and(|value| !value.is_null()) {
        return Ok(None);
    }
    Ok(Some(match now {
        Some(Value::Array(_)) => TargetValue::List { whole: Value::Array(whole), added },
        _ => TargetValue::Value(Value::Array(whole)),
    }))
}

/// The target value of an exchange.
fn exchanged(
    now: Option<&Value>,
    name: &str,
    removed: &BTreeSet<usize>,
    added: &[Value],
) -> Result<Option<TargetValue>, EditError> {
    let present = match now {
        None | Some(Value::Null) => &[],
        Some(Value::Array(items)) => items.as_slice(),
        Some(Value::Object(_)) => return Err(EditError::not_a_list(name, "a single mapping")),
        Some(_) => return Err(EditError::not_a_list(name, "not a list")),
    };
    let kept = present.iter().enumerate().filter(|(number, _)| !removed.contains(number));
    let whole: Vec<Value> = kept.map(|(_, item)| item).chain(added).cloned().collect();
    if whole == present {
        return Ok(None);
    }
    Ok(Some(if whole.is_empty() { TargetValue::Gone } else { TargetValue::Value(Value::Array(whole)) }))
}

fn no_field(name: &str) -> EditError {
    EditError::not_found(format!("no field `{name}` in the frontmatter"))
}

/// A new block at the very top, for a note without frontmatter.
fn new_block(text: &str, name: &str, change: &FrontmatterChange) -> Result<Option<Splice>, EditError> {
    let Some(wanted) = target_value(None, name, change)? else { return Ok(None) };
    let fields = [(name.to_owned(), wanted.value().clone())].into_iter().collect();
    let at = bom_len(text);
    Ok(Some(Splice { span: at..at, text: super::frontmatter_block(&fields, line_ending(text))? }))
}

struct FieldEdit<'a> {
    text: &'a str,
    frontmatter: &'a Frontmatter,
    fields: &'a Fields,
    name: &'a str,
    eol: &'static str,
}

impl FieldEdit<'_> {
    fn place(&self) -> Result<FieldPlace, EditError> {
        place(self.text, self.frontmatter, self.fields, self.name)
    }

    fn remove(&self) -> Result<Splice, EditError> {
        Ok(Splice { span: self.place()?.lines, text: String::new() })
    }

    fn set(&self, value: &Value) -> Result<Splice, EditError> {
        if !self.fields.map.contains_key(self.name) {
            return Ok(self.insert(value));
        }
        let place = self.place()?;
        let written = render_value(value, &place.indent, self.eol);
        let comment = place.comment.map_or("", |span| &self.text[span]);
        // A comment at the end of the key's line comes before the lines of a list.
        let first_line = written.find(['\r', '\n']).unwrap_or(written.len());
        let text = format!("{}{comment}{}", &written[..first_line], &written[first_line..]);
        Ok(Splice { span: place.value, text })
    }

    /// Adds a new field at the end of the block, indented like the others.
    fn insert(&self, value: &Value) -> Splice {
        let indent = self.fields.keys.first().map_or(0, |key| key.column.saturating_sub(1));
        let at = self.frontmatter.inner.end;
        Splice { span: at..at, text: field(self.name, value, &" ".repeat(indent), self.eol) }
    }

    /// Adds items to the list in its own style; a list in any other style is rewritten.
    fn append(&self, whole: &Value, added: &[Value]) -> Result<Splice, EditError> {
        let place = self.place()?;
        let value = &self.text[place.value.clone()];
        let first_line = value.split('\n').next().unwrap_or_default();
        let on_first_line = match &place.comment {
            Some(comment) => &self.text[place.value.start..comment.start],
            None => first_line,
        };
        if on_first_line.trim_start().starts_with('[') {
            return self.append_to_flow(&place, added);
        }
        let mut items =
            value[first_line.len()..].lines().filter(|line| format!("{} ", line.trim()).starts_with("- "));
        let Some(item) = items.next().filter(|_| on_first_line.trim().is_empty()) else {
            return self.set(whole);
        };
        let indent = &item[..item.len() - item.trim_start().len()];
        let lines =
            added.iter().map(|item| format!("{indent}- {}{}", render_item(item, indent, self.eol), self.eol));
        Ok(Splice { span: place.lines.end..place.lines.end, text: lines.collect() })
    }

    /// Removes and adds items by their own lines.
    fn exchange(
        &self,
        removed: &BTreeSet<usize>,
        added: &[Value],
        whole: &Value,
    ) -> Result<Splice, EditError> {
        let place = self.place()?;
        if is_written_empty(self.text, &place) || is_empty_list(self.text, &place) {
            return self.set(whole);
        }
        let present = self.fields.map.get(self.name).and_then(Value::as_array).map_or(0, Vec::len);
        let items = list_items(self.text, &place, present);
        let Some((items, first)) = items.as_ref().and_then(|items| Some((items, items.first()?))) else {
            return Err(EditError::not_a_list(self.name, "not written with one entry per line"));
        };
        let first = &self.text[first.clone()];
        let indent = &first[..first.len() - first.trim_start().len()];
        let (mut text, mut at) = (String::new(), place.lines.start);
        for (number, span) in items.iter().enumerate() {
            let end = if removed.contains(&number) { span.start } else { span.end };
            text.push_str(&self.text[at..end]);
            at = span.end;
        }
        text.push_str(&self.text[at..place.lines.end]);
        for item in added {
            text.push_str(&format!("{indent}- {}{}", render_item(item, indent, self.eol), self.eol));
        }
        if whole.is_null() && !self.frontmatter.has_comment(self.text, &place.lines) {
            text.clear();
        }
        Ok(Splice { span: place.lines, text })
    }

    fn append_to_flow(&self, place: &FieldPlace, added: &[Value]) -> Result<Splice, EditError> {
        let unsafe_list =
            || EditError::refused(format!("the list of `{}` is written in an unusual way", self.name));
        let value = place.value.start..place.comment.as_ref().map_or(place.value.end, |comment| {
            // A comment on the key's line ends a list that is on one line; otherwise the list continues after it.
            if self.text[comment.end..place.value.end].trim().is_empty() {
                comment.start
            } else {
                place.value.end
            }
        });
        let written = self.text[value.clone()].trim_end();
        let items = written.strip_suffix(']').ok_or_else(unsafe_list)?.trim_end();
        let before = match items.chars().next_back() {
            Some('[') => "",
            Some(',') => " ",
            _ => ", ",
        };
        let added: Vec<String> = added.iter().map(|item| render_inline(item, true)).collect();
        let at = value.start + items.len();
        Ok(Splice { span: at..at, text: format!("{before}{}", added.join(", ")) })
    }

    /// Parses the note with the splice applied, and compares it with the target value.
    fn verify(&self, change: &Splice, wanted: &TargetValue) -> Result<(), EditError> {
        let refused = |why: &str| {
            EditError::refused(format!("the field `{}` cannot be changed safely: {why}", self.name))
        };
        let changed = apply_splices(self.text, std::slice::from_ref(change))
            .map_err(|error| refused(&error.to_string()))?;
        let after = Frontmatter::parse(&changed)
            .ok_or_else(|| refused("the frontmatter would not end where it does"))?;
        if changed[after.span.end..] != self.text[self.frontmatter.span.end..] {
            return Err(refused("the frontmatter would not end where it does"));
        }
        let read = after.fields.as_ref().map_err(|trouble| refused(trouble))?;
        let mut expected = self.fields.map.clone();
        match wanted {
            TargetValue::Gone => drop(expected.shift_remove(self.name)),
            _ => drop(expected.insert(self.name.to_owned(), wanted.value().clone())),
        }
        let same_order = read.keys().eq(expected.keys());
        if !same_order || *read != expected {
            return Err(refused("the way it is written, other fields would change with it"));
        }
        Ok(())
    }
}
