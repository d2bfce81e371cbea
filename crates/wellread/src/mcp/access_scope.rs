//! What a remote client may be allowed to do, in four parts: the scopes of its OAuth tokens.
//!
//! Which scopes a tool needs follows from its declaration, here and nowhere else. A client of this machine has no scopes: the
//! token lets it do everything that the settings offer.

use std::collections::BTreeSet;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wellread_core::domain::rights::{Right, Rights};
use wellread_core::faces::tools::{Declaration, Effect};

/// One part of what can be allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AccessScope {
    /// Read notes, code and runs. Nothing is changed, and nothing leaves this machine but the answers.
    Read,
    /// Ask models and the web, which may cost money and sends words to other machines.
    Research,
    /// Change the vault.
    Write,
    /// Carry out the user's decisions.
    Decide,
}

impl AccessScope {
    /// All of them, from the least to the most.
    pub const ALL: [Self; 4] = [Self::Read, Self::Research, Self::Write, Self::Decide];

    /// Its name in tokens.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Research => "research",
            Self::Write => "write",
            Self::Decide => "decide",
        }
    }

    /// What the user allows with it.
    pub const fn about(self) -> &'static str {
        match self {
            Self::Read => "Search and read your notes, the codebases beside them, and earlier runs",
            Self::Research => {
                "Ask questions and research, with your models and search services, and propose agendas"
            }
            Self::Write => "Create, change, move and delete notes. Each edit can be undone",
            Self::Decide => {
                "Bring your decisions: approve agendas, accept and dismiss findings. It has to ask you each time, unless the setting \
                 `mcp.decides` is on"
            }
        }
    }

    /// The right that a user needs for it.
    pub const fn right(self) -> Right {
        match self {
            Self::Read => Right::Read,
            Self::Research => Right::Research,
            Self::Write => Right::Write,
            Self::Decide => Right::Decide,
        }
    }

    /// Whether a client that has it leaves everything as it is.
    pub const fn changes_nothing(self) -> bool {
        matches!(self, Self::Read | Self::Research)
    }
}

/// A set of scopes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AccessScopes(BTreeSet<AccessScope>);

impl AccessScopes {
    /// Every scope.
    pub fn all() -> Self {
        Self::from_iter(AccessScope::ALL)
    }

    /// The scopes that are named, with blanks between them. Names of others mean nothing here.
    pub fn parse(text: &str) -> Self {
        let known = |name: &str| AccessScope::ALL.into_iter().find(|scope| scope.name() == name);
        text.split(' ').filter_map(known).collect()
    }

    /// What a call of a tool needs. Every answer shows something of what is there, so `read` is part of each; what sends words to
    /// other machines needs `research` besides.
    pub fn for_tool(tool: &Declaration) -> Self {
        let sends = tool.reaches || tool.recipe;
        let effect = match tool.effect {
            Effect::Reads => AccessScope::Read,
            Effect::Proposes => AccessScope::Research,
            Effect::Adds | Effect::Writes => AccessScope::Write,
            Effect::Decides => AccessScope::Decide,
        };
        [AccessScope::Read, effect].into_iter().chain(sends.then_some(AccessScope::Research)).collect()
    }

    /// Those that a user with these rights can allow: a client never has more than its user.
    pub fn from_rights(rights: &Rights) -> Self {
        AccessScope::ALL.into_iter().filter(|scope| rights.contains(scope.right())).collect()
    }

    /// The rights that a user needs for all of them.
    pub fn rights(&self) -> Rights {
        self.iter().map(AccessScope::right).collect()
    }

    /// Those that are also among others.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        Self(self.0.intersection(&other.0).copied().collect())
    }

    pub fn contains(&self, scope: AccessScope) -> bool {
        self.0.contains(&scope)
    }

    /// Whether all of these are among them.
    pub fn covers(&self, needed: &Self) -> bool {
        needed.0.is_subset(&self.0)
    }

    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        Self(self.0.union(&other.0).copied().collect())
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = AccessScope> {
        self.0.iter().copied()
    }
}

impl FromIterator<AccessScope> for AccessScopes {
    fn from_iter<I: IntoIterator<Item = AccessScope>>(scopes: I) -> Self {
        Self(scopes.into_iter().collect())
    }
}

/// As tokens and challenges have them.
impl fmt::Display for AccessScopes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.iter().map(AccessScope::name).collect();
        f.write_str(&names.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use wellread_core::faces::tools::{catalog, find_tool};

    use super::*;

    #[test]
    fn what_a_tool_needs_follows_from_its_declaration() {
        let tools = catalog();
        let needs =
            |name: &str| AccessScopes::for_tool(find_tool(&tools, name).unwrap().declaration()).to_string();
        for (tool, scopes) in [
            ("read_file", "read"),
            ("search_vault", "read"),
            ("list_findings", "read"),
            ("research", "read research"),
            ("web_search", "read research"),
            ("check_claims", "read research"),
            ("propose_agenda", "read research"),
            ("append_to_file", "read write"),
            ("delete_file", "read write"),
            ("undo", "read write"),
            ("research_note", "read research write"),
            ("dismiss_finding", "read decide"),
            ("approve_agenda", "read research decide"),
        ] {
            assert_eq!(needs(tool), scopes, "{tool}");
        }
    }

    #[test]
    fn a_client_that_only_reads_changes_nothing_and_sends_nothing() {
        let read = AccessScopes::parse("read");
        for tool in catalog() {
            let tool = tool.declaration();
            let needed = AccessScopes::for_tool(tool);
            assert!(needed.contains(AccessScope::Read), "{}", tool.name);
            if read.covers(&needed) {
                assert!(tool.effect == Effect::Reads && !tool.reaches && !tool.recipe, "{}", tool.name);
            }
            if AccessScopes::parse("read research").covers(&needed) {
                assert!(matches!(tool.effect, Effect::Reads | Effect::Proposes), "{}", tool.name);
            }
            if !needed.contains(AccessScope::Decide) {
                assert_ne!(tool.effect, Effect::Decides, "{}", tool.name);
            }
        }
    }

    #[test]
    fn unknown_names_mean_nothing() {
        assert_eq!(AccessScopes::parse("write offline_access read READ").to_string(), "read write");
        assert!(AccessScopes::parse("admin").is_empty() && AccessScopes::parse("").is_empty());
        assert_eq!(
            serde_json::to_string(&AccessScopes::all()).unwrap(),
            r#"["read","research","write","decide"]"#
        );
    }
}
