//! A long list, returned in pages.

use schemars::JsonSchema;
use serde::Serialize;

/// The default number of entries on a page.
pub fn hundred() -> usize {
    100
}

/// A part of a list.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Paged<T> {
    pub results: Vec<T>,
    /// The number of entries in the whole list.
    pub total: usize,
    /// Something the caller should know about the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
    /// The file whose words the entries are, where they are not paths themselves.
    #[serde(skip)]
    pub of: Option<String>,
}

impl<T> Paged<T> {
    pub fn new(all: Vec<T>, limit: usize, offset: usize) -> Self {
        let total = all.len();
        Self { results: all.into_iter().skip(offset).take(limit).collect(), total, notice: None, of: None }
    }

    /// The same page with its entries in another form.
    pub fn map<U>(self, form: impl FnMut(T) -> U) -> Paged<U> {
        let Self { results, total, notice, of } = self;
        Paged { results: results.into_iter().map(form).collect(), total, notice, of }
    }
}
