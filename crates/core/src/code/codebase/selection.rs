//! Selects the repository to work on.

use std::sync::Arc;

use super::{Codebase, Scope};
use crate::library::indexing::Library;
use crate::{Error, Result};

impl Codebase {
    /// The repository with this name, or the only one there is. A scope may name it instead: `name:src/**`. An error if
    /// it is ambiguous or unknown.
    pub fn select(library: &Arc<Library>, repository: Option<&str>, scope: Option<&str>) -> Result<Self> {
        let repository = repository.map(str::trim).filter(|name| !name.is_empty());
        let scope = scope.unwrap_or_default().trim();
        let (of_scope, scope) = match scope.split_once(':') {
            Some((name, rest)) if library.repositories().any(|known| known == name) => (Some(name), rest),
            _ => (None, scope),
        };
        if let (Some(named), Some(of_scope)) = (repository, of_scope)
            && named != of_scope
        {
            return Err(Error::invalid(format!(
                "the repository is `{named}`, but the scope is one of `{of_scope}`"
            )));
        }
        let known: Vec<&str> = library.repositories().collect();
        let name = match (repository.or(of_scope), known.as_slice()) {
            (Some(name), _) => name,
            (None, [only]) => only,
            (None, []) => {
                return Err(
                    Error::not_found("there is no repository").hint("`wellread repo add DIR` adds one")
                );
            }
            (None, several) => {
                return Err(Error::invalid(format!(
                    "there are {} repositories, and none was named: {}",
                    several.len(),
                    several.join(", ")
                ))
                .with_detail("repositories", several.to_vec())
                .hint("name one"));
            }
        };
        Self::new(library.clone(), name, Scope::parse(scope)?)
    }
}
