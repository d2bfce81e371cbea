//! What can be asked beyond this machine, as the settings have it. What is missing is an adapter that answers with the hint.

use std::sync::Arc;

use wellread_adapters::http::{self, Web};
use wellread_adapters::speech::{SpeechCommand, SpeechEndpoint, SpeechService};
use wellread_adapters::web::{
    Arxiv, Brave, DuckDuckGo, PdfReader, Searxng, Tavily, UnavailableSearch, WebPages,
};
use wellread_core::engine::outside::{NoSpeech, OutsideServices, SentLog};
use wellread_core::ports::{PageFetcher, Speech, WebFailure, WebSearchService};
use wellread_core::{Error, ErrorKind, Result};

use crate::config::{Config, SearchService, Secret};

/// What one call asks for besides the settings.
#[derive(Debug, Clone, Copy, Default)]
pub struct NetworkOptions {
    /// Nothing leaves the machine.
    pub offline: bool,
    /// The web is wanted, whatever is chosen: DuckDuckGo where nothing is.
    pub web: bool,
}

/// Everything that can be asked beyond this machine.
pub fn open_services(config: &Config, asked: NetworkOptions) -> Result<OutsideServices> {
    let settings = config.web(asked.offline)?;
    http::set_identity(&settings.user_agent, settings.ca_file.as_deref());
    let web = Web::new(settings)?;
    Ok(build_services(config, &web, open_pages(&web), asked))
}

fn build_services(
    config: &Config,
    web: &Web,
    pages: Arc<dyn PageFetcher>,
    asked: NetworkOptions,
) -> OutsideServices {
    let mut chosen = config.search_services();
    if asked.web && chosen.is_empty() {
        chosen.extend(config.search_service("duckduckgo"));
    }
    OutsideServices {
        services: chosen.iter().map(|service| open_or_missing(service, web, asked.offline)).collect(),
        arxiv: open_arxiv(config, &chosen, web, asked.offline),
        pages,
        speech: open_speech(config, asked.offline).unwrap_or_else(|error| Arc::new(NoSpeech::new(error))),
        sendings: SentLog::default(),
        offline: asked.offline,
    }
}

/// Pages of the web, those that are PDFs read by a child of this program.
fn open_pages(web: &Web) -> Arc<dyn PageFetcher> {
    // Where the program does not know where it is, PDFs can't be read, and everything else can.
    let program = std::env::current_exe().unwrap_or_default();
    Arc::new(WebPages::new(web.clone(), PdfReader::new(program)))
}

/// arXiv is asked where it is among the chosen, or somebody took the trouble to say where it is.
fn open_arxiv(
    config: &Config,
    chosen: &[SearchService],
    web: &Web,
    offline: bool,
) -> Arc<dyn WebSearchService> {
    let by_address = || config.search_service("arxiv").filter(|service| service.base_url.is_some());
    match chosen.iter().find(|service| service.name == "arxiv").cloned().or_else(by_address) {
        Some(service) => open_or_missing(&service, web, offline),
        None => Arc::new(UnavailableSearch {
            name: "arxiv".to_owned(),
            failure: not_set_up(
                "arXiv is not among the services that are chosen",
                "add it: `wellread config set search.services duckduckgo,arxiv`",
            ),
        }),
    }
}

fn open_or_missing(service: &SearchService, web: &Web, offline: bool) -> Arc<dyn WebSearchService> {
    let opened = if offline {
        Err(WebFailure::Refused { message: "offline: nothing is sent out".to_owned() })
    } else {
        open_service(service, web)
    };
    opened.unwrap_or_else(|failure| Arc::new(UnavailableSearch { name: service.name.to_owned(), failure }))
}

fn open_service(service: &SearchService, web: &Web) -> Result<Arc<dyn WebSearchService>, WebFailure> {
    let base = |own: &str| service.base_url.clone().unwrap_or_else(|| own.to_owned());
    let wrong = |error: Error| {
        let usual = format!("`search.{}.base_url` is scheme, host and port", service.name);
        not_set_up(error.message(), error.hint_text().unwrap_or(&usual))
    };
    let key = |hint: &str| {
        let key = service.key().map_err(|error| not_set_up(error.message(), hint))?;
        key.ok_or_else(|| not_set_up(&format!("{} needs a key, and none is set", service.name), hint))
    };
    let web = web.clone();
    Ok(match service.name {
        "duckduckgo" => Arc::new(DuckDuckGo::new(&base(DuckDuckGo::BASE), web).map_err(wrong)?),
        "brave" => {
            let key = key(Brave::KEY_HINT)?;
            Arc::new(Brave::new(&base(Brave::BASE), key.expose(), web).map_err(wrong)?)
        }
        "tavily" => {
            let key = key(Tavily::KEY_HINT)?;
            Arc::new(Tavily::new(&base(Tavily::BASE), key.expose(), web).map_err(wrong)?)
        }
        "searxng" => {
            let unset = || not_set_up("where the SearXNG is has to be said", "set `search.searxng.base_url`");
            let base = service.base_url.as_deref().ok_or_else(unset)?;
            Arc::new(Searxng::new(base, web).map_err(wrong)?)
        }
        _ => Arc::new(Arxiv::new(&base(Arxiv::BASE), web).map_err(wrong)?),
    })
}

fn open_speech(config: &Config, offline: bool) -> Result<Arc<dyn Speech>> {
    let settings = config.speech()?;
    if let Some(command) = &settings.command {
        return Ok(Arc::new(SpeechCommand::new(command)?));
    }
    let Some(base_url) = settings.base_url.clone() else { return Ok(OutsideServices::none().speech) };
    let key = settings.key()?.as_ref().map(Secret::expose).map(str::to_owned);
    let service = SpeechService { base_url, model: settings.name, key, key_hint: settings.key_hint };
    let endpoint = SpeechEndpoint::new(service)?;
    let (address, is_local) = endpoint.endpoint();
    if offline && !is_local {
        return Err(Error::new(
            ErrorKind::NotSetUp,
            format!("recordings are not sent to {address}: --offline"),
        ));
    }
    Ok(Arc::new(endpoint))
}

fn not_set_up(message: &str, hint: &str) -> WebFailure {
    WebFailure::NotSetUp { message: message.to_owned(), hint: hint.to_owned() }
}
