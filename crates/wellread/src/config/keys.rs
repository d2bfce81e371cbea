//! The settings that there are: each declared once, with its shape and its names.

use std::fmt;

use wellread_core::agendas::jobs::Schedule;
use wellread_core::{Error, Result};

use super::code::{self, Commands};
use super::embedding::PROVIDERS;
use super::model;
use super::repos::{self, RepoSetting};
use super::search;
use super::secret::WrittenSecret;
use crate::telemetry;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    Text,
    Folder,
    /// One of the log's levels.
    Level,
    List,
    /// A list of some of these, each once.
    Some(&'static [&'static str]),
    /// A whole number, zero up to this.
    Number(u64),
    /// A decimal number, zero or more, as text; empty where it is not known.
    Decimal,
    OneOf(&'static [&'static str]),
    /// `on` or `off`.
    Switch,
    /// A weekday and an hour, or `off`.
    Schedule,
    Secret,
    /// The codebases: changed by a command of their own.
    Repos,
    /// A command for each of some languages.
    Commands,
}

/// A setting's declaration.
#[derive(Debug)]
pub struct Key {
    pub path: &'static str,
    pub shape: Shape,
    /// Older names of its environment variable; the first that is set counts.
    pub also: &'static [&'static str],
    pub about: &'static str,
}

/// In minutes.
const A_WEEK: u64 = 7 * 24 * 60;

/// Half of what a small machine has to spare.
const LARGEST_PAGE: u64 = 256 << 20;

pub const KEYS: &[Key] = &[
    Key { path: "vault.path", shape: Shape::Folder, also: &["VAULT_PATH"], about: "the folder of notes" },
    Key {
        path: "vault.excluded",
        shape: Shape::List,
        also: &[],
        about: "folders never read, listed or written",
    },
    Key {
        path: "vault.attachments",
        shape: Shape::Text,
        also: &["ATTACHMENTS_DIR"],
        about: "the folder in which embedded files are looked for first",
    },
    Key { path: "vault.daily_notes", shape: Shape::Text, also: &[], about: "the folder of the daily notes" },
    Key {
        path: "vault.fleeting_folder",
        shape: Shape::Text,
        also: &[],
        about: "the folder of fleeting notes",
    },
    Key {
        path: "vault.clippings",
        shape: Shape::List,
        also: &[],
        about: "folders whose notes came from outside",
    },
    Key {
        path: "vault.private_folders",
        shape: Shape::List,
        also: &[],
        about: "folders whose notes never leave this machine",
    },
    Key {
        path: "vault.private_tags",
        shape: Shape::List,
        also: &[],
        about: "tags of notes that never leave this machine",
    },
    Key {
        path: "data.path",
        shape: Shape::Folder,
        also: &["WELLREAD_DATA"],
        about: "where everything else is kept",
    },
    Key {
        path: "repos",
        shape: Shape::Repos,
        also: &[],
        about: "codebases beside the vault, by name and path",
    },
    Key {
        path: "index.interval_minutes",
        shape: Shape::Number(A_WEEK),
        also: &["INDEX_INTERVAL"],
        about: "how often everything is looked at anew; 0 is never",
    },
    Key {
        path: "embedding.provider",
        shape: Shape::OneOf(PROVIDERS),
        also: &[],
        about: "who makes the vectors: builtin, openai (any compatible endpoint) or none",
    },
    Key {
        path: "embedding.base_url",
        shape: Shape::Text,
        also: &[],
        about: "the endpoint, up to and with /v1",
    },
    Key { path: "embedding.name", shape: Shape::Text, also: &[], about: "the embedding model" },
    Key { path: "embedding.path", shape: Shape::Folder, also: &[], about: "where the model is kept" },
    Key {
        path: "embedding.api_key",
        shape: Shape::Secret,
        also: &[],
        about: "the endpoint's key, or env:NAME or file:PATH",
    },
    Key {
        path: "chat.rounds",
        shape: Shape::Number(1000),
        also: &[],
        about: "how often a model may call for tools in one turn",
    },
    Key {
        path: "chat.result_chars",
        shape: Shape::Number(1_000_000),
        also: &[],
        about: "how much of a tool's answer a model gets at once, in characters",
    },
    Key {
        path: "chat.tool_seconds",
        shape: Shape::Number(3600),
        also: &[],
        about: "how long a tool that only reads may take in a turn",
    },
    Key {
        path: "budget.seconds",
        shape: Shape::Number(A_WEEK * 60),
        also: &[],
        about: "how long one run may take; 0 is no limit",
    },
    Key {
        path: "budget.tokens",
        shape: Shape::Number(1_000_000_000),
        also: &[],
        about: "how many tokens one run may use; 0 is no limit",
    },
    Key {
        path: "budget.cents",
        shape: Shape::Number(1_000_000),
        also: &[],
        about: "how many US cents one run may cost; 0 is no limit",
    },
    Key {
        path: "budget.requests",
        shape: Shape::Number(1_000_000),
        also: &[],
        about: "how many requests one run may send out; 0 is no limit",
    },
    Key {
        path: "server.bind",
        shape: Shape::Text,
        also: &[],
        about: "the address that the server listens on; other than loopback only with --allow-remote",
    },
    Key {
        path: "server.port",
        shape: Shape::Number(65535),
        also: &["API_PORT"],
        about: "the server's port; 0 picks a free one",
    },
    Key {
        path: "server.token",
        shape: Shape::Secret,
        also: &["WELLREAD_TOKEN"],
        about: "what programs send to the server, or env:NAME or file:PATH; made at first start where empty",
    },
    Key {
        path: "model.provider",
        shape: Shape::OneOf(model::PROVIDERS),
        also: &[],
        about: "the language model's wire format: openai (any compatible endpoint), anthropic or none",
    },
    Key {
        path: "model.base_url",
        shape: Shape::Text,
        also: &[],
        about: "the language model's endpoint, up to and with /v1",
    },
    Key { path: "model.name", shape: Shape::Text, also: &["LLM_MODEL"], about: "the language model" },
    Key {
        path: "model.api_key",
        shape: Shape::Secret,
        also: &[],
        about: "the language model's key, or env:NAME or file:PATH",
    },
    Key {
        path: "model.research",
        shape: Shape::Text,
        also: &["RESEARCH_MODEL"],
        about: "another model of the same endpoint for research; empty means model.name",
    },
    Key {
        path: "model.price_in",
        shape: Shape::Decimal,
        also: &[],
        about: "US dollars for a million tokens read",
    },
    Key {
        path: "model.price_out",
        shape: Shape::Decimal,
        also: &[],
        about: "US dollars for a million tokens written",
    },
    Key {
        path: "research.max_topics",
        shape: Shape::Number(100),
        also: &["MAX_RESEARCH_TOPICS"],
        about: "how many topics of a note are researched at the most",
    },
    Key {
        path: "research.concurrency",
        shape: Shape::Number(64),
        also: &[],
        about: "how many topics are gathered for at once",
    },
    Key {
        path: "research.pages_per_topic",
        shape: Shape::Number(20),
        also: &[],
        about: "how many pages of a topic are read in a deep run",
    },
    Key {
        path: "research.page_timeout_s",
        shape: Shape::Number(600),
        also: &["PAGE_FETCH_TIMEOUT"],
        about: "how long a page may take, in seconds",
    },
    Key {
        path: "research.page_chars",
        shape: Shape::Number(10_000_000),
        also: &["MAX_PAGE_CHARS"],
        about: "how much of a page is read, in characters",
    },
    Key {
        path: "research.note_chars",
        shape: Shape::Number(10_000_000),
        also: &["MAX_SUMMARIZE_CHARS"],
        about: "how much of a note is read, in characters",
    },
    Key {
        path: "research.max_findings_per_run",
        shape: Shape::Number(100),
        also: &[],
        about: "how many findings an agenda makes at the most",
    },
    Key {
        path: "research.dedup_threshold",
        shape: Shape::Decimal,
        also: &[],
        about: "from which similarity to a note or an earlier finding on a page counts as known, 0 to 1",
    },
    Key {
        path: "research.sources",
        shape: Shape::OneOf(&["web", "arxiv", "both"]),
        also: &[],
        about: "who is asked for the tasks of an agenda: web, arxiv or both",
    },
    Key {
        path: "research.agenda_timeout_s",
        shape: Shape::Number(600),
        also: &[],
        about: "how long a model may take to propose an agenda, in seconds",
    },
    Key {
        path: "research.fetch_timeout_s",
        shape: Shape::Number(600),
        also: &[],
        about: "how long a page may take that is fetched for an agenda, in seconds",
    },
    Key {
        path: "research.max_fetch_bytes",
        shape: Shape::Number(LARGEST_PAGE),
        also: &[],
        about: "the largest page that is fetched for an agenda, in bytes",
    },
    Key {
        path: "research.fleeting_folder",
        shape: Shape::Text,
        also: &[],
        about: "the folder into which accepted findings go; empty means vault.fleeting_folder",
    },
    Key {
        path: "research.auto_approve",
        shape: Shape::Switch,
        also: &[],
        about: "whether an agenda is approved as soon as it is proposed",
    },
    Key {
        path: "research.schedule",
        shape: Shape::Schedule,
        also: &[],
        about: "when an agenda for the vault is proposed by itself: off, or a weekday and an hour",
    },
    Key {
        path: "code.steps",
        shape: Shape::Number(100),
        also: &[],
        about: "how many steps research of code may take",
    },
    Key {
        path: "code.seconds",
        shape: Shape::Number(3600),
        also: &[],
        about: "how long research of code may take",
    },
    Key {
        path: "code.action_seconds",
        shape: Shape::Number(3600),
        also: &[],
        about: "how long one of its actions may take",
    },
    Key {
        path: "code.language_servers",
        shape: Shape::Commands,
        also: &[],
        about: "the language servers that are switched on: languages with their commands; none is off",
    },
    Key {
        path: "search.services",
        shape: Shape::Some(search::SERVICES),
        also: &[],
        about: "who is asked to search the web, in turn: duckduckgo, brave, tavily, searxng, arxiv; none is nobody",
    },
    Key {
        path: "search.duckduckgo.base_url",
        shape: Shape::Text,
        also: &[],
        about: "scheme, host and port; empty means the service's own",
    },
    Key {
        path: "search.brave.base_url",
        shape: Shape::Text,
        also: &[],
        about: "scheme, host and port; empty means the service's own",
    },
    Key {
        path: "search.brave.api_key",
        shape: Shape::Secret,
        also: &["BRAVE_API_KEY"],
        about: "Brave's key, or env:NAME or file:PATH",
    },
    Key {
        path: "search.tavily.base_url",
        shape: Shape::Text,
        also: &[],
        about: "scheme, host and port; empty means the service's own",
    },
    Key {
        path: "search.tavily.api_key",
        shape: Shape::Secret,
        also: &["TAVILY_API_KEY"],
        about: "Tavily's key, or env:NAME or file:PATH",
    },
    Key {
        path: "search.searxng.base_url",
        shape: Shape::Text,
        also: &[],
        about: "where it is: scheme, host and port",
    },
    Key {
        path: "search.arxiv.base_url",
        shape: Shape::Text,
        also: &[],
        about: "scheme, host and port; empty means the service's own",
    },
    Key {
        path: "speech.base_url",
        shape: Shape::Text,
        also: &[],
        about: "the endpoint that writes down recordings, up to and with /v1",
    },
    Key { path: "speech.name", shape: Shape::Text, also: &["WHISPER_MODEL"], about: "its model" },
    Key {
        path: "speech.api_key",
        shape: Shape::Secret,
        also: &[],
        about: "its key, or env:NAME or file:PATH",
    },
    Key {
        path: "speech.command",
        shape: Shape::Text,
        also: &[],
        about: "a program of this machine instead: it gets the path of a recording and prints what is said",
    },
    Key {
        path: "http.allow",
        shape: Shape::List,
        also: &[],
        about: "hosts with their ports that pages may be fetched from although they are internal",
    },
    Key {
        path: "http.ca_file",
        shape: Shape::Folder,
        also: &["SSL_CERT_FILE"],
        about: "a further trusted CA, as a PEM file",
    },
    Key {
        path: "http.wire_bytes",
        shape: Shape::Number(LARGEST_PAGE),
        also: &[],
        about: "how many bytes of a page may come, as they are sent",
    },
    Key {
        path: "http.decoded_bytes",
        shape: Shape::Number(LARGEST_PAGE),
        also: &[],
        about: "how many bytes a page may have once it is unpacked",
    },
    Key {
        path: "http.user_agent",
        shape: Shape::Text,
        also: &[],
        about: "what this program calls itself on the web; empty means its name, version and page",
    },
    Key {
        path: "telemetry.otlp_endpoint",
        shape: Shape::Text,
        also: &["OTEL_EXPORTER_OTLP_ENDPOINT"],
        about: "an OpenTelemetry collector that is told how research goes, by HTTP; empty is nobody",
    },
    Key {
        path: "telemetry.headers",
        shape: Shape::Secret,
        also: &["OTEL_EXPORTER_OTLP_HEADERS"],
        about: "what is sent to it as headers, NAME=VALUE separated by commas, or env:NAME or file:PATH",
    },
    Key {
        path: "log.level",
        shape: Shape::Level,
        also: &["RUST_LOG"],
        about: "off, error, warn, info, debug or trace",
    },
];

impl Key {
    /// `vault.path` is `WELLREAD_VAULT_PATH`.
    pub fn variable(&self) -> String {
        format!("WELLREAD_{}", self.path.replace('.', "_").to_uppercase())
    }

    pub fn named(path: &str) -> Result<&'static Self> {
        KEYS.iter().find(|key| key.path == path).ok_or_else(|| {
            let near = KEYS.iter().max_by_key(|key| likeness(key.path, path));
            let error = Error::invalid(format!("there is no setting `{path}`"));
            match near.filter(|key| likeness(key.path, path) > 700) {
                Some(near) => error.hint(format!("did you mean `{}`?", near.path)),
                None => error.hint("`wellread config show` lists all of them"),
            }
        })
    }

    /// A value as it is written on the command line or in the environment.
    pub fn parse(&self, written: &str) -> Result<Value> {
        match self.shape {
            Shape::Text | Shape::Folder => Ok(Value::Text(written.to_owned())),
            Shape::Level => level(written).map(Value::Text).ok_or_else(|| self.must_be(&one_of_the_levels())),
            Shape::List => {
                let items = written.split(',').map(str::trim).filter(|item| !item.is_empty());
                Ok(Value::List(items.map(str::to_owned).collect()))
            }
            Shape::Some(words) => {
                let items = written.split(',').map(str::trim).filter(|item| !item.is_empty());
                self.some(items, words)
            }
            Shape::Number(most) => {
                let number = written.trim().parse().ok().filter(|number| *number <= most);
                number.map(Value::Number).ok_or_else(|| self.must_be_number(most))
            }
            Shape::Decimal => {
                let number = written.trim();
                let fits = number.is_empty() || decimal(number).is_some();
                fits.then(|| Value::Text(number.to_owned())).ok_or_else(|| self.must_be(A_DECIMAL))
            }
            Shape::OneOf(words) => {
                let word = written.trim().to_lowercase();
                let known = words.contains(&word.as_str()).then_some(word);
                known.map(Value::Text).ok_or_else(|| self.must_be(&format!("one of {}", words.join(", "))))
            }
            Shape::Switch => match written.trim().to_lowercase().as_str() {
                "on" | "true" | "yes" | "1" => Ok(Value::Text("on".to_owned())),
                "off" | "false" | "no" | "0" | "" => Ok(Value::Text("off".to_owned())),
                _ => Err(self.must_be("on or off")),
            },
            Shape::Schedule => {
                let word = written.trim().to_lowercase();
                let fits = word == "off" || Schedule::parse(&word).is_some();
                fits.then_some(Value::Text(word)).ok_or_else(|| self.must_be(A_SCHEDULE))
            }
            Shape::Secret => Ok(Value::Secret(WrittenSecret::new(written))),
            Shape::Repos => repos::parse(written).map(Value::Repos),
            Shape::Commands => code::parse(written).map(Value::Commands),
        }
    }

    /// A list of known words, each once and in its order.
    pub(super) fn some<'a>(&self, items: impl Iterator<Item = &'a str>, words: &[&str]) -> Result<Value> {
        let mut known: Vec<String> = Vec::new();
        for item in items {
            let item = item.trim().to_lowercase();
            if !words.contains(&item.as_str()) {
                let error = Error::invalid(format!("the setting `{}` knows no `{item}`", self.path));
                return Err(error.hint(format!("there are: {}", words.join(", "))));
            }
            if !known.contains(&item) {
                known.push(item);
            }
        }
        Ok(Value::List(known))
    }

    pub(super) fn must_be_number(&self, most: u64) -> Error {
        self.must_be(&format!("a whole number from 0 to {most}"))
    }

    pub(super) fn must_be(&self, what: &str) -> Error {
        Error::invalid(format!("the setting `{}` must be {what}", self.path))
    }
}

pub(super) const A_SCHEDULE: &str = "off, or a weekday and an hour such as \"sunday 9\"";
pub(super) const A_DECIMAL: &str = "a number such as \"0.15\", zero or more";

/// A number as it is written by hand: no exponent, no sign, nothing without end.
pub(super) fn decimal(written: &str) -> Option<f64> {
    let plain = written.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    written.parse().ok().filter(|number: &f64| plain && number.is_finite())
}

fn level(written: &str) -> Option<String> {
    let word = written.trim().to_lowercase();
    telemetry::LEVELS.contains(&word.as_str()).then_some(word)
}

fn one_of_the_levels() -> String {
    format!("one of {}", telemetry::LEVELS.join(", "))
}

/// `RUST_LOG` is shared with other programs: only what it says to all of them, or to us, counts.
pub(super) fn shared_level(filter: &str) -> Option<String> {
    let for_us = |directive: &str| match directive.split_once('=') {
        Some((program, said)) => (program.trim() == "wellread").then(|| level(said)).flatten(),
        None => level(directive),
    };
    filter.split(',').filter_map(for_us).next_back()
}

pub(super) fn likeness(one: &str, other: &str) -> u32 {
    (strsim::jaro_winkler(one, other) * 1000.0) as u32
}

#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(untagged)]
pub enum Value {
    Text(String),
    List(Vec<String>),
    Number(u64),
    Secret(WrittenSecret),
    Repos(Vec<RepoSetting>),
    Commands(Commands),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => write!(f, "{text:?}"),
            Self::List(items) => write!(f, "{items:?}"),
            Self::Number(number) => write!(f, "{number}"),
            Self::Secret(written) => write!(f, "{:?}", written.shown()),
            Self::Commands(commands) => write!(f, "{commands}"),
            Self::Repos(repos) => {
                let shown =
                    |repo: &RepoSetting| format!("{{ name = {:?}, path = {:?} }}", repo.name, repo.path);
                write!(f, "[{}]", repos.iter().map(shown).collect::<Vec<_>>().join(", "))
            }
        }
    }
}
