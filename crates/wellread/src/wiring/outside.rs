//! What can be asked beyond this machine, as the settings have it. What is missing is an adapter that answers with the hint.

use std::sync::Arc;

use wellread_adapters::http::Web;
use wellread_adapters::speech::{SpeechCommand, SpeechEndpoint, SpeechService};
pub use wellread_adapters::web::{DEFAULT_ENGINE, ENGINE_NAMES, ENGINES, Engine, EngineAddress};
use wellread_adapters::web::{EngineSettings, PAPER_ENGINE, PdfReader, UnavailableSearch, WebPages};
use wellread_core::engine::outside::{NoSpeech, OutsideServices, SentLog};
use wellread_core::ports::{PageFetcher, Speech, WebFailure, WebSearchService};
use wellread_core::{Error, ErrorKind, Result};

use crate::config::{Config, SearchService, Secret};

/// What one call asks for besides the settings.
#[derive(Debug, Clone, Copy, Default)]
pub struct NetworkOptions {
    /// Nothing leaves the machine.
    pub offline: bool,
    /// The web is wanted, whatever is chosen: [`DEFAULT_ENGINE`] where nothing is.
    pub web: bool,
}

/// Everything that can be asked beyond this machine.
pub fn open_services(config: &Config, options: NetworkOptions) -> Result<OutsideServices> {
    let web = Web::new(config.web(options.offline)?)?;
    Ok(build_services(config, &web, open_pages(&web), options))
}

fn build_services(
    config: &Config,
    web: &Web,
    pages: Arc<dyn PageFetcher>,
    options: NetworkOptions,
) -> OutsideServices {
    let mut chosen = config.search_services();
    if options.web && chosen.is_empty() {
        chosen.push(config.search_service(DEFAULT_ENGINE));
    }
    OutsideServices {
        services: chosen.iter().map(|service| open_or_missing(service, web, options.offline)).collect(),
        arxiv: open_paper_search(config, &chosen, web, options.offline),
        pages,
        speech: open_speech(config, options.offline).unwrap_or_else(|error| Arc::new(NoSpeech::new(error))),
        sendings: SentLog::default(),
        offline: options.offline,
    }
}

/// Pages of the web, those that are PDFs read by a child of this program.
fn open_pages(web: &Web) -> Arc<dyn PageFetcher> {
    // Where the program does not know where it is, PDFs can't be read, and everything else can.
    let program = std::env::current_exe().unwrap_or_default();
    Arc::new(WebPages::new(web.clone(), PdfReader::new(program)))
}

/// arXiv is asked where it is among the chosen, or somebody took the trouble to say where it is.
fn open_paper_search(
    config: &Config,
    chosen: &[SearchService],
    web: &Web,
    offline: bool,
) -> Arc<dyn WebSearchService> {
    let service = config.search_service(PAPER_ENGINE);
    let is_chosen = chosen.iter().any(|chosen| chosen.engine.name == PAPER_ENGINE.name);
    if is_chosen || service.base_url.is_some() {
        return open_or_missing(&service, web, offline);
    }
    Arc::new(UnavailableSearch {
        name: PAPER_ENGINE.name.to_owned(),
        failure: not_set_up(
            "arXiv is not among the chosen services",
            "add it: `wellread config set search.services duckduckgo,arxiv`",
        ),
    })
}

fn open_or_missing(service: &SearchService, web: &Web, offline: bool) -> Arc<dyn WebSearchService> {
    let opened = if offline {
        Err(WebFailure::Refused { message: "offline: nothing is sent".to_owned() })
    } else {
        open_service(service, web)
    };
    let name = service.engine.name.to_owned();
    opened.unwrap_or_else(|failure| Arc::new(UnavailableSearch { name, failure }))
}

/// A chosen search service by its name, or what keeps it from being asked: a missing key, a wrong address.
pub type SearchServiceState = (&'static str, Result<Arc<dyn WebSearchService>>);

/// Each chosen search service. None is asked.
pub fn search_service_states(config: &Config, offline: bool) -> Result<Vec<SearchServiceState>> {
    let web = Web::new(config.web(offline)?)?;
    let state = |service: &SearchService| {
        let opened = open_service(service, &web).map_err(Error::from);
        (service.engine.name, opened)
    };
    Ok(config.search_services().iter().map(state).collect())
}

fn open_service(service: &SearchService, web: &Web) -> Result<Arc<dyn WebSearchService>, WebFailure> {
    let engine = service.engine;
    let key = match engine.key_hint() {
        Some(hint) => {
            let key = service.key().map_err(|error| not_set_up(error.message(), &hint))?;
            let missing = || not_set_up(&format!("{} needs a key, and none is set", engine.name), &hint);
            Some(key.ok_or_else(missing)?)
        }
        None => None,
    };
    let base_url = match (&service.base_url, engine.address) {
        (Some(base_url), _) => base_url,
        (None, EngineAddress::Public(base_url)) => base_url,
        (None, EngineAddress::UserSet { missing }) => {
            return Err(not_set_up(missing, &format!("set `{}`", engine.setting("base_url"))));
        }
    };
    let settings = EngineSettings { base_url, key: key.as_ref().map_or("", Secret::expose_secret) };
    (engine.open)(settings, web.clone()).map_err(|error| {
        let usual = format!("`{}` is scheme, host and port", engine.setting("base_url"));
        not_set_up(error.message(), error.hint_text().unwrap_or(&usual))
    })
}

/// Who transcribes recordings.
#[derive(Debug)]
pub enum SpeechPlace {
    Nowhere,
    /// A program of this machine, by its name or path.
    Program(String),
    /// A service, by scheme, host and port.
    Service(String),
}

/// Who would be asked to transcribe a recording. Nobody is.
pub fn find_speech(config: &Config, offline: bool) -> Result<SpeechPlace> {
    let settings = config.speech()?;
    let (place, _) = open_speech(config, offline)?.endpoint();
    Ok(match (settings.command, settings.base_url) {
        (Some(_), _) => SpeechPlace::Program(place),
        (None, Some(_)) => SpeechPlace::Service(place),
        (None, None) => SpeechPlace::Nowhere,
    })
}

fn open_speech(config: &Config, offline: bool) -> Result<Arc<dyn Speech>> {
    let settings = config.speech()?;
    if let Some(command) = &settings.command {
        return Ok(Arc::new(SpeechCommand::new(command)?));
    }
    let Some(base_url) = settings.base_url.clone() else { return Ok(OutsideServices::none().speech) };
    let key = settings.key()?.as_ref().map(Secret::expose_secret).map(str::to_owned);
    let endpoint = SpeechEndpoint::new(SpeechService {
        base_url,
        model: settings.name,
        key,
        key_hint: settings.key_hint,
        identity: config.identity()?,
    })?;
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
