//! Changes one field of the frontmatter and nothing else.
//!
//! Only the field's own lines are rewritten. The result is then parsed: this field must have the wanted value and
//! every other field its old one, otherwise the edit is refused. So whatever YAML a note contains, it is changed
//! correctly or not at all.

use serde_json::Value;

use super::layout::{FieldPlace, item_lines, place};
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
    /// Removes items of the field's list and appends others. The lines of the other items stay as they are where the
    /// list has one item per line. A list without items is removed, and a missing one is created.
    Exchange {
        /// The items to remove.
        removed: Vec<Value>,
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
    let Some(wanted) = target_value(fields.map.get(name), name, change)? else { return Ok(None) };
    let splice = match (&wanted, change) {
        (TargetValue::Gone, _) => edit.remove()?,
        (_, FrontmatterChange::Exchange { removed, added }) if fields.map.contains_key(name) => {
            edit.exchange(removed, added, &wanted)?
        }
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
    removed: &[Value],
    added: &[Value],
) -> Result<Option<TargetValue>, EditError> {
    let present = match now {
        None | Some(Value::Null) => &[],
        Some(Value::Array(items)) => items.as_slice(),
        Some(_) => return Err(EditError::refused(format!("the field `{name}` is not a list"))),
    };
    let kept = present.iter().filter(|item| !removed.contains(item));
    let whole: Vec<Value> = kept.chain(added).cloned().collect();
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

    /// Removes and adds items by their own lines; a list in which that can't be done is rewritten.
    fn exchange(
        &self,
        removed: &[Value],
        added: &[Value],
        wanted: &TargetValue,
    ) -> Result<Splice, EditError> {
        let place = self.place()?;
        let present = self.fields.map.get(self.name).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let items = item_lines(self.text, &place);
        let Some(first) = items.first().filter(|_| items.len() == present.len()) else {
            return self.set(wanted.value());
        };
        let item = &self.text[first.clone()];
        let indent = &item[..item.len() - item.trim_start().len()];
        let (mut text, mut at) = (String::new(), place.lines.start);
        for (span, item) in items.iter().zip(present) {
            let end = if removed.contains(item) { span.start } else { span.end };
            text.push_str(&self.text[at..end]);
            at = span.end;
        }
        text.push_str(&self.text[at..place.lines.end]);
        for item in added {
            text.push_str(&format!("{indent}- {}{}", render_item(item, indent, self.eol), self.eol));
        }
        let splice = Splice { span: place.lines, text };
        if self.verify(&splice, wanted).is_ok() { Ok(splice) } else { self.set(wanted.value()) }
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
