//! JSON schemas that are made when they are first looked at, once in a process.

use std::any::TypeId;
use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use serde_json::Value;

/// A JSON schema that is made when it is first looked at: most commands look at none. All lists of tools share it, and every user of
/// a server has such a list.
#[derive(Debug, Clone)]
pub struct LazySchema(Arc<LazyLock<Value>>);

/// The schemas by their type and by what makes a schema of it.
static SCHEMAS: Mutex<BTreeMap<(TypeId, SchemaUse), LazySchema>> = Mutex::new(BTreeMap::new());

/// What a type is in the contract of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SchemaUse {
    Arguments,
    Answer,
}

impl LazySchema {
    /// The schema of a type, which `make` makes.
    pub(super) fn shared<T: 'static>(used_as: SchemaUse, make: fn() -> Value) -> Self {
        let mut schemas = SCHEMAS.lock().unwrap_or_else(PoisonError::into_inner);
        let known = schemas.entry((TypeId::of::<T>(), used_as));
        known.or_insert_with(|| Self(Arc::new(LazyLock::new(make)))).clone()
    }
}

impl Deref for LazySchema {
    type Target = Value;

    fn deref(&self) -> &Value {
        &self.0
    }
}
