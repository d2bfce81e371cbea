//! What clients of the Model Context Protocol may do, as the settings say it.

use std::time::Duration;

use wellread_core::faces::tools::Group;
use wellread_core::{Error, Result};

use super::Config;
use super::key::settings;
use crate::mcp::AccessScopes;

settings! {
    TOOLS: Choices(ToolSet::WORDS) = "mcp.tools",
        "the tools for MCP clients: `default` for a few broad ones, `all`, or groups of them";
    READ_ONLY: Switch = "mcp.read_only",
        "whether MCP clients are offered only tools that change nothing";
    DECIDES: Switch = "mcp.decides",
        "whether the model of an MCP client may approve agendas and accept or dismiss findings without asking you";
    CONFIRM_EDITS: Switch = "mcp.confirm_edits",
        "whether each edit of an MCP client waits until you have seen it, where the client can ask you; it is refused elsewhere";
    ANSWER_SECONDS: Number(3600) = "mcp.answer_seconds",
        "how many seconds you have to answer a question that an MCP client puts to you";
    PRIVATE: Switch = "mcp.private",
        "whether MCP clients see private notes; turn it on only if their models run on this machine";
}

/// What the user lets the model of a client do. Nobody knows where that model runs, so by default it is one elsewhere.
#[derive(Debug, Clone, Default)]
pub struct McpSettings {
    /// The tools that are offered.
    pub tools: ToolSet,
    /// Only those of them that change nothing are offered.
    pub read_only: bool,
    /// It may decide in the user's name; otherwise the user is asked.
    pub decides: bool,
    /// Its edits wait until the user has seen them.
    pub confirms_edits: bool,
    /// How long a question to the user waits for its answer.
    pub answer_limit: Duration,
    /// Private notes exist for it.
    pub sees_private: bool,
    /// What the user has allowed a remote client; nothing for one that the token lets in, which may do all of the above.
    pub scopes: Option<AccessScopes>,
}

/// Which tools a client is offered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ToolSet {
    /// A few broad ones that stand for the catalog.
    #[default]
    Broad,
    /// Those of the catalog that are in these groups.
    Groups(Vec<Group>),
}

const BROAD: &str = "default";
const ALL: &str = "all";

impl ToolSet {
    /// The words by which tools are chosen.
    pub const WORDS: &'static [&'static str] =
        &[BROAD, ALL, Group::Vault.name(), Group::Research.name(), Group::Code.name(), Group::Agenda.name()];

    /// The tools of these names; the broad ones if there is no name.
    pub fn parse(names: &[String]) -> Result<Self> {
        let names: Vec<&str> = names.iter().map(|name| name.trim()).collect();
        if let Some(unknown) = names.iter().find(|name| !Self::WORDS.contains(name)) {
            return Err(Error::invalid(format!("there is no tool group `{unknown}`"))
                .hint(format!("choose one of: {}", Self::WORDS.join(", "))));
        }
        match names.as_slice() {
            [] | [BROAD] => Ok(Self::Broad),
            names if names.contains(&BROAD) => {
                Err(Error::invalid(format!("`{BROAD}` can't be combined with other tool groups"))
                    .hint(format!("`{ALL}` offers every tool by its own name")))
            }
            names if names.contains(&ALL) => Ok(Self::Groups(Group::ALL.to_vec())),
            names => Ok(Self::Groups(
                Group::ALL.into_iter().filter(|group| names.contains(&group.name())).collect(),
            )),
        }
    }

    /// Whether tools of a group are offered.
    pub fn includes(&self, group: Group) -> bool {
        match self {
            Self::Broad => true,
            Self::Groups(groups) => groups.contains(&group),
        }
    }
}

impl Config {
    /// What the user lets the model of a client do.
    pub fn mcp(&self) -> Result<McpSettings> {
        Ok(McpSettings {
            tools: ToolSet::parse(self.get(&TOOLS))?,
            read_only: self.get(&READ_ONLY),
            decides: self.get(&DECIDES),
            confirms_edits: self.get(&CONFIRM_EDITS),
            answer_limit: Duration::from_secs(self.get(&ANSWER_SECONDS).max(1)),
            sees_private: self.get(&PRIVATE),
            scopes: None,
        })
    }
}
