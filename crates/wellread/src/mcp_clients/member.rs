//! One member of a value, and what setting or removing it makes of the whole: what a changed text is compared with.

use serde_json::{Value, json};
use wellread_core::{Error, Result};

/// Where the member is: the name of an object at the top, and the member's own name in it.
#[derive(Debug, Clone, Copy)]
pub struct MemberPath<'a> {
    pub object: &'a str,
    pub name: &'a str,
}

impl MemberPath<'_> {
    pub fn find<'v>(&self, whole: &'v Value) -> Option<&'v Value> {
        whole.get(self.object)?.get(self.name)
    }

    /// The whole value with the member.
    pub fn set(&self, mut whole: Value, member: &Value) -> Result<Value> {
        let object = whole
            .as_object_mut()
            .map(|top| top.entry(self.object).or_insert_with(|| json!({})))
            .and_then(Value::as_object_mut);
        let Some(object) = object else {
            return Err(Error::invalid(format!("`{}` in it is not an object", self.object)));
        };
        object.insert(self.name.to_owned(), member.clone());
        Ok(whole)
    }

    /// The whole value without the member.
    pub fn remove(&self, mut whole: Value) -> Value {
        if let Some(object) = whole.get_mut(self.object).and_then(Value::as_object_mut) {
            object.remove(self.name);
        }
        whole
    }
}

/// The error for a text that no way is known to change.
pub fn unsafe_layout() -> Error {
    Error::invalid("it is laid out in a way that can't be changed safely")
}
