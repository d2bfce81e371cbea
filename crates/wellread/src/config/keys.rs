//! The settings that there are: each declared once, with its shape and its names.

use std::fmt;

use wellread_core::agendas::jobs::Schedule;
use wellread_core::{Error, Result};

use super::code::{self, LanguageCommands};
use super::embedding::PROVIDERS;
use super::model;
use super::repos::{self, RepoSetting};
use super::search;
use super::secret::WrittenSecret;
use crate::telemetry;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingShape {
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
pub struct SettingKey {
    pub path: &'static str,
    pub shape: SettingShape,
    /// Older names of its environment variable; the first that is set counts.
    pub also: &'static [&'static str],
    pub about: &'static str,
}

/// In minutes.
const A_WEEK: u64 = 7 * 24 * 60;

/// Half of what a small machine has to spare.
const LARGEST_PAGE: u64 = 256 << 20;

pub const KEYS: &[SettingKey] = &[
    SettingKey {
        path: "vault.path",
        shape: SettingShape::Folder,
        also: &["VAULT_PATH"],
        about: "the folder of notes",
    },
    SettingKey {
        path: "vault.excluded",
        shape: SettingShape::List,
        also: &[],
        about: "folders never read, listed or written",
    },
    SettingKey {
        path: "vault.attachments",
        shape: SettingShape::Text,
        also: &["ATTACHMENTS_DIR"],
        about: "the folder in which embedded files are looked for first",
    },
    SettingKey {
        path: "vault.daily_notes",
        shape: SettingShape::Text,
        also: &[],
        about: "the folder of the daily notes",
    },
    SettingKey {
        path: "vault.fleeting_folder",
        shape: SettingShape::Text,
        also: &[],
        about: "the folder of fleeting notes",
    },
    SettingKey {
        path: "vault.clippings",
        shape: SettingShape::List,
        also: &[],
        about: "folders whose notes came from outside",
    },
    SettingKey {
        path: "vault.private_folders",
        shape: SettingShape::List,
        also: &[],
        about: "folders whose notes never leave this machine",
    },
    SettingKey {
        path: "vault.private_tags",
        shape: SettingShape::List,
        also: &[],
        about: "tags of notes that never leave this machine",
    },
    SettingKey {
        path: "data.path",
        shape: SettingShape::Folder,
        also: &["WELLREAD_DATA"],
        about: "where everything else is kept",
    },
    SettingKey {
        path: "repos",
        shape: SettingShape::Repos,
        also: &[],
        about: "codebases beside the vault, by name and path",
    },
    SettingKey {
        path: "index.interval_minutes",
        shape: SettingShape::Number(A_WEEK),
        also: &["INDEX_INTERVAL"],
        about: "how often everything is looked at anew; 0 is never",
    },
    SettingKey {
        path: "embedding.provider",
        shape: SettingShape::OneOf(PROVIDERS),
        also: &[],
        about: "who makes the vectors: builtin, openai (any compatible endpoint) or none",
    },
    SettingKey {
        path: "embedding.base_url",
        shape: SettingShape::Text,
        also: &[],
        about: "the endpoint, up to and with /v1",
    },
    SettingKey { path: "embedding.name", shape: SettingShape::Text, also: &[], about: "the embedding model" },
    SettingKey {
        path: "embedding.path",
        shape: SettingShape::Folder,
        also: &[],
        about: "where the model is kept",
    },
    SettingKey {
        path: "embedding.api_key",
        shape: SettingShape::Secret,
        also: &[],
        about: "the endpoint's key, or env:NAME or file:PATH",
    },
    SettingKey {
        path: "chat.rounds",
        shape: SettingShape::Number(1000),
        also: &[],
        about: "how often a model may call for tools in one turn",
    },
    SettingKey {
        path: "chat.result_chars",
        shape: SettingShape::Number(1_000_000),
        also: &[],
        about: "how much of a tool's answer a model gets at once, in characters",
    },
    SettingKey {
        path: "chat.tool_seconds",
        shape: SettingShape::Number(3600),
        also: &[],
        about: "how long a tool that only reads may take in a turn",
    },
    SettingKey {
        path: "budget.seconds",
        shape: SettingShape::Number(A_WEEK * 60),
        also: &[],
        about: "how long one run may take; 0 is no limit",
    },
    SettingKey {
        path: "budget.tokens",
        shape: SettingShape::Number(1_000_000_000),
        also: &[],
        about: "how many tokens one run may use; 0 is no limit",
    },
    SettingKey {
        path: "budget.cents",
        shape: SettingShape::Number(1_000_000),
        also: &[],
        about: "how many US cents one run may cost; 0 is no limit",
    },
    SettingKey {
        path: "budget.requests",
        shape: SettingShape::Number(1_000_000),
        also: &[],
        about: "how many requests one run may send out; 0 is no limit",
    },
    SettingKey {
        path: "server.bind",
        shape: SettingShape::Text,
        also: &[],
        about: "the address that the server listens on; other than loopback only with --allow-remote",
    },
    SettingKey {
        path: "server.port",
        shape: SettingShape::Number(65535),
        also: &["API_PORT"],
        about: "the server's port; 0 picks a free one",
    },
    SettingKey {
        path: "server.token",
        shape: SettingShape::Secret,
        also: &["WELLREAD_TOKEN"],
        about: "what programs send to the server, or env:NAME or file:PATH; made at first start where empty",
    },
    SettingKey {
        path: "model.provider",
        shape: SettingShape::OneOf(model::PROVIDERS),
        also: &[],
        about: "the language model's wire format: openai (any compatible endpoint), anthropic or none",
    },
    SettingKey {
        path: "model.base_url",
        shape: SettingShape::Text,
        also: &[],
        about: "the language model's endpoint, up to and with /v1",
    },
    SettingKey {
        path: "model.name",
        shape: SettingShape::Text,
        also: &["LLM_MODEL"],
        about: "the language model",
    },
    SettingKey {
        path: "model.api_key",
        shape: SettingShape::Secret,
        also: &[],
        about: "the language model's key, or env:NAME or file:PATH",
    },
    SettingKey {
        path: "model.research",
        shape: SettingShape::Text,
        also: &["RESEARCH_MODEL"],
        about: "another model of the same endpoint for research; empty means model.name",
    },
    SettingKey {
        path: "model.price_in",
        shape: SettingShape::Decimal,
        also: &[],
        about: "US dollars for a million tokens read",
    },
    SettingKey {
        path: "model.price_out",
        shape: SettingShape::Decimal,
        also: &[],
        about: "US dollars for a million tokens written",
    },
    SettingKey {
        path: "research.max_topics",
        shape: SettingShape::Number(100),
        also: &["MAX_RESEARCH_TOPICS"],
        about: "how many topics of a note are researched at the most",
    },
    SettingKey {
        path: "research.concurrency",
        shape: SettingShape::Number(64),
        also: &[],
        about: "how many topics are gathered for at once",
    },
    SettingKey {
        path: "research.pages_per_topic",
        shape: SettingShape::Number(20),
        also: &[],
        about: "how many pages of a topic are read in a deep run",
    },
    SettingKey {
        path: "research.page_timeout_s",
        shape: SettingShape::Number(600),
        also: &["PAGE_FETCH_TIMEOUT"],
        about: "how long a page may take, in seconds",
    },
    SettingKey {
        path: "research.page_chars",
        shape: SettingShape::Number(10_000_000),
        also: &["MAX_PAGE_CHARS"],
        about: "how much of a page is read, in characters",
    },
    SettingKey {
        path: "research.note_chars",
        shape: SettingShape::Number(10_000_000),
        also: &["MAX_SUMMARIZE_CHARS"],
        about: "how much of a note is read, in characters",
    },
    SettingKey {
        path: "research.max_findings_per_run",
        shape: SettingShape::Number(100),
        also: &[],
        about: "how many findings an agenda makes at the most",
    },
    SettingKey {
        path: "research.dedup_threshold",
        shape: SettingShape::Decimal,
        also: &[],
        about: "from which similarity to a note or an earlier finding on a page counts as known, 0 to 1",
    },
    SettingKey {
        path: "research.sources",
        shape: SettingShape::OneOf(&["web", "arxiv", "both"]),
        also: &[],
        about: "who is asked for the tasks of an agenda: web, arxiv or both",
    },
    SettingKey {
        path: "research.agenda_timeout_s",
        shape: SettingShape::Number(600),
        also: &[],
        about: "how long a model may take to propose an agenda, in seconds",
    },
    SettingKey {
        path: "research.fetch_timeout_s",
        shape: SettingShape::Number(600),
        also: &[],
        about: "how long a page may take that is fetched for an agenda, in seconds",
    },
    SettingKey {
        path: "research.max_fetch_bytes",
        shape: SettingShape::Number(LARGEST_PAGE),
        also: &[],
        about: "the largest page that is fetched for an agenda, in bytes",
    },
    SettingKey {
        path: "research.fleeting_folder",
        shape: SettingShape::Text,
        also: &[],
        about: "the folder into which accepted findings go; empty means vault.fleeting_folder",
    },
    SettingKey {
        path: "research.auto_approve",
        shape: SettingShape::Switch,
        also: &[],
        about: "whether an agenda is approved as soon as it is proposed",
    },
    SettingKey {
        path: "research.schedule",
        shape: SettingShape::Schedule,
        also: &[],
        about: "when an agenda for the vault is proposed by itself: off, or a weekday and an hour",
    },
    SettingKey {
        path: "code.steps",
        shape: SettingShape::Number(100),
        also: &[],
        about: "how many steps research of code may take",
    },
    SettingKey {
        path: "code.seconds",
        shape: SettingShape::Number(3600),
        also: &[],
        about: "how long research of code may take",
    },
    SettingKey {
        path: "code.action_seconds",
        shape: SettingShape::Number(3600),
        also: &[],
        about: "how long one of its actions may take",
    },
    SettingKey {
        path: "code.language_servers",
        shape: SettingShape::Commands,
        also: &[],
        about: "the language servers that are switched on: languages with their commands; none is off",
    },
    SettingKey {
        path: "search.services",
        shape: SettingShape::Some(search::SERVICES),
        also: &[],
        about: "who is asked to search the web, in turn: duckduckgo, brave, tavily, searxng, arxiv; none is nobody",
    },
    SettingKey {
        path: "search.duckduckgo.base_url",
        shape: SettingShape::Text,
        also: &[],
        about: "scheme, host and port; empty means the service's own",
    },
    SettingKey {
        path: "search.brave.base_url",
        shape: SettingShape::Text,
        also: &[],
        about: "scheme, host and port; empty means the service's own",
    },
    SettingKey {
        path: "search.brave.api_key",
        shape: SettingShape::Secret,
        also: &["BRAVE_API_KEY"],
        about: "Brave's key, or env:NAME or file:PATH",
    },
    SettingKey {
        path: "search.tavily.base_url",
        shape: SettingShape::Text,
        also: &[],
        about: "scheme, host and port; empty means the service's own",
    },
    SettingKey {
        path: "search.tavily.api_key",
        shape: SettingShape::Secret,
        also: &["TAVILY_API_KEY"],
        about: "Tavily's key, or env:NAME or file:PATH",
    },
    SettingKey {
        path: "search.searxng.base_url",
        shape: SettingShape::Text,
        also: &[],
        about: "where it is: scheme, host and port",
    },
    SettingKey {
        path: "search.arxiv.base_url",
        shape: SettingShape::Text,
        also: &[],
        about: "scheme, host and port; empty means the service's own",
    },
    SettingKey {
        path: "speech.base_url",
        shape: SettingShape::Text,
        also: &[],
        about: "the endpoint that writes down recordings, up to and with /v1",
    },
    SettingKey {
        path: "speech.name",
        shape: SettingShape::Text,
        also: &["WHISPER_MODEL"],
        about: "its model",
    },
    SettingKey {
        path: "speech.api_key",
        shape: SettingShape::Secret,
        also: &[],
        about: "its key, or env:NAME or file:PATH",
    },
    SettingKey {
        path: "speech.command",
        shape: SettingShape::Text,
        also: &[],
        about: "a program of this machine instead: it gets the path of a recording and prints what is said",
    },
    SettingKey {
        path: "http.allow",
        shape: SettingShape::List,
        also: &[],
        about: "hosts with their ports that pages may be fetched from although they are internal",
    },
    SettingKey {
        path: "http.ca_file",
        shape: SettingShape::Folder,
        also: &["SSL_CERT_FILE"],
        about: "a further trusted CA, as a PEM file",
    },
    SettingKey {
        path: "http.wire_bytes",
        shape: SettingShape::Number(LARGEST_PAGE),
        also: &[],
        about: "how many bytes of a page may come, as they are sent",
    },
    SettingKey {
        path: "http.decoded_bytes",
        shape: SettingShape::Number(LARGEST_PAGE),
        also: &[],
        about: "how many bytes a page may have once it is unpacked",
    },
    SettingKey {
        path: "http.user_agent",
        shape: SettingShape::Text,
        also: &[],
        about: "what this program calls itself on the web; empty means its name, version and page",
    },
    SettingKey {
        path: "telemetry.otlp_endpoint",
        shape: SettingShape::Text,
        also: &["OTEL_EXPORTER_OTLP_ENDPOINT"],
        about: "an OpenTelemetry collector that is told how research goes, by HTTP; empty is nobody",
    },
    SettingKey {
        path: "telemetry.headers",
        shape: SettingShape::Secret,
        also: &["OTEL_EXPORTER_OTLP_HEADERS"],
        about: "what is sent to it as headers, NAME=VALUE separated by commas, or env:NAME or file:PATH",
    },
    SettingKey {
        path: "log.level",
        shape: SettingShape::Level,
        also: &["RUST_LOG"],
        about: "off, error, warn, info, debug or trace",
    },
];

impl SettingKey {
    /// `vault.path` is `WELLREAD_VAULT_PATH`.
    pub fn variable_name(&self) -> String {
        format!("WELLREAD_{}", self.path.replace('.', "_").to_uppercase())
    }

    pub fn find(path: &str) -> Result<&'static Self> {
        KEYS.iter().find(|key| key.path == path).ok_or_else(|| {
            let near = KEYS.iter().max_by_key(|key| similarity(key.path, path));
            let error = Error::invalid(format!("there is no setting `{path}`"));
            match near.filter(|key| similarity(key.path, path) > 700) {
                Some(near) => error.hint(format!("did you mean `{}`?", near.path)),
                None => error.hint("`wellread config show` lists all of them"),
            }
        })
    }

    /// A value as it is written on the command line or in the environment.
    pub fn parse(&self, written: &str) -> Result<SettingValue> {
        match self.shape {
            SettingShape::Text | SettingShape::Folder => Ok(SettingValue::Text(written.to_owned())),
            SettingShape::Level => {
                parse_level(written).map(SettingValue::Text).ok_or_else(|| self.must_be(&list_levels()))
            }
            SettingShape::List => {
                let items = written.split(',').map(str::trim).filter(|item| !item.is_empty());
                Ok(SettingValue::List(items.map(str::to_owned).collect()))
            }
            SettingShape::Some(words) => {
                let items = written.split(',').map(str::trim).filter(|item| !item.is_empty());
                self.parse_choices(items, words)
            }
            SettingShape::Number(most) => {
                let number = written.trim().parse().ok().filter(|number| *number <= most);
                number.map(SettingValue::Number).ok_or_else(|| self.must_be_number(most))
            }
            SettingShape::Decimal => {
                let number = written.trim();
                let fits = number.is_empty() || parse_decimal(number).is_some();
                fits.then(|| SettingValue::Text(number.to_owned())).ok_or_else(|| self.must_be(A_DECIMAL))
            }
            SettingShape::OneOf(words) => {
                let word = written.trim().to_lowercase();
                let known = words.contains(&word.as_str()).then_some(word);
                known
                    .map(SettingValue::Text)
                    .ok_or_else(|| self.must_be(&format!("one of {}", words.join(", "))))
            }
            SettingShape::Switch => match written.trim().to_lowercase().as_str() {
                "on" | "true" | "yes" | "1" => Ok(SettingValue::Text("on".to_owned())),
                "off" | "false" | "no" | "0" | "" => Ok(SettingValue::Text("off".to_owned())),
                _ => Err(self.must_be("on or off")),
            },
            SettingShape::Schedule => {
                let word = written.trim().to_lowercase();
                let fits = word == "off" || Schedule::parse(&word).is_some();
                fits.then_some(SettingValue::Text(word)).ok_or_else(|| self.must_be(A_SCHEDULE))
            }
            SettingShape::Secret => Ok(SettingValue::Secret(WrittenSecret::new(written))),
            SettingShape::Repos => repos::parse(written).map(SettingValue::Repos),
            SettingShape::Commands => code::parse(written).map(SettingValue::Commands),
        }
    }

    /// A list of known words, each once and in its order.
    pub(super) fn parse_choices<'a>(
        &self,
        items: impl Iterator<Item = &'a str>,
        words: &[&str],
    ) -> Result<SettingValue> {
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
        Ok(SettingValue::List(known))
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
pub(super) fn parse_decimal(written: &str) -> Option<f64> {
    let plain = written.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    written.parse().ok().filter(|number: &f64| plain && number.is_finite())
}

fn parse_level(written: &str) -> Option<String> {
    let word = written.trim().to_lowercase();
    telemetry::LEVELS.contains(&word.as_str()).then_some(word)
}

fn list_levels() -> String {
    format!("one of {}", telemetry::LEVELS.join(", "))
}

/// `RUST_LOG` is shared with other programs: only what it says to all of them, or to us, counts.
pub(super) fn parse_rust_log(filter: &str) -> Option<String> {
    let for_us = |directive: &str| match directive.split_once('=') {
        Some((program, said)) => (program.trim() == "wellread").then(|| parse_level(said)).flatten(),
        None => parse_level(directive),
    };
    filter.split(',').filter_map(for_us).next_back()
}

pub(super) fn similarity(one: &str, other: &str) -> u32 {
    (strsim::jaro_winkler(one, other) * 1000.0) as u32
}

#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(untagged)]
pub enum SettingValue {
    Text(String),
    List(Vec<String>),
    Number(u64),
    Secret(WrittenSecret),
    Repos(Vec<RepoSetting>),
    Commands(LanguageCommands),
}

impl fmt::Display for SettingValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => write!(f, "{text:?}"),
            Self::List(items) => write!(f, "{items:?}"),
            Self::Number(number) => write!(f, "{number}"),
            Self::Secret(written) => write!(f, "{:?}", written.as_redacted()),
            Self::Commands(commands) => write!(f, "{commands}"),
            Self::Repos(repos) => {
                let shown =
                    |repo: &RepoSetting| format!("{{ name = {:?}, path = {:?} }}", repo.name, repo.path);
                write!(f, "[{}]", repos.iter().map(shown).collect::<Vec<_>>().join(", "))
            }
        }
    }
}
