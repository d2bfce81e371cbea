//! `wellread extract`: the main content of a page or a saved file. Needs no vault.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use serde::Serialize;
use serde_json::json;
use wellread_core::ports::{FetchableUrl, PageLimits, WebFailure};
use wellread_core::{Error, ErrorKind, Result};

use super::Invocation;
use crate::output::success;
use crate::wiring::pages::{self, LARGEST_PDF, PageHints, ReadablePage, UnreadablePage};

/// Show the main content of a web page, or of a saved HTML, text, markdown or PDF file
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Invisible parts of a page (scripts, styles, hidden elements) are left out, as is everything around the main \
content. Relative links are resolved against the page's URL, or `--url` for a saved one.\n\nExample:\n  wellread extract \
https://example.org/article\n  wellread extract saved.html --url https://example.org/article --format text\n  wellread \
extract paper.pdf --json\n  cat page.html | wellread extract -"
)]
pub struct ExtractArgs {
    /// A file, `-` for standard input, or a URL that begins with http:// or https://
    #[arg(value_name = "FILE|URL")]
    what: String,
    /// Markdown, plain text, or one JSON object with both
    #[arg(long, value_enum, default_value_t = OutputFormat::Md)]
    format: OutputFormat,
    /// The original URL of a saved page
    #[arg(long, value_name = "U")]
    url: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum OutputFormat {
    Md,
    Text,
    Json,
}

/// How long a PDF may take, and how long a page.
const PATIENCE: Duration = Duration::from_secs(20);

pub fn run(invocation: &Invocation, args: &ExtractArgs) -> Result<ExitCode> {
    let is_address = ["http://", "https://"].iter().any(|scheme| starts_with_ignore_case(&args.what, scheme));
    let read = if is_address {
        if args.url.is_some() {
            return Err(Error::invalid("`--url` is for saved pages")
                .hint("leave it out: the address is already known"));
        }
        fetch_page(invocation, &args.what)?
    } else {
        read_saved_page(args)?
    };
    let output = invocation.output;
    match args.format {
        _ if output.json => output.object(&success(json!(ExtractAnswer::from_page(&read))))?,
        OutputFormat::Json => output.object(&success(json!(ExtractAnswer::from_page(&read))))?,
        OutputFormat::Md => output.text(&render_markdown(&read))?,
        OutputFormat::Text => output.text(&read.text)?,
    }
    if read.cut {
        output.notice("note: the page is longer than what was read");
    }
    Ok(ExitCode::SUCCESS)
}

/// What the hidden command does, in a process of its own.
pub fn run_pdf_text(invocation: &Invocation) -> Result<ExitCode> {
    invocation.output.line(&pages::pdf_child(io::stdin().lock()))?;
    Ok(ExitCode::SUCCESS)
}

fn starts_with_ignore_case(text: &str, start: &str) -> bool {
    text.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start))
}

fn fetch_page(invocation: &Invocation, url: &str) -> Result<ReadablePage> {
    let pages = pages::open_whole_pages(&invocation.load_config()?, invocation.offline)?;
    let limits = PageLimits { time: PATIENCE, bytes: u64::MAX, chars: usize::MAX };
    let read = super::build_runtime()?
        .block_on(pages.fetch(&FetchableUrl::from_user(url, super::BY_COMMAND), limits));
    read.map_err(|failure| {
        let kind = match &failure {
            WebFailure::Refused { .. } => ErrorKind::Refused,
            WebFailure::Busy { .. } | WebFailure::Unreachable { .. } | WebFailure::Blocked { .. } => {
                ErrorKind::Unavailable
            }
            WebFailure::NotSetUp { .. } | WebFailure::Key { .. } => ErrorKind::NotSetUp,
            WebFailure::TooLarge { .. } | WebFailure::Broken { .. } => ErrorKind::Failed,
        };
        Error::new(kind, format!("the page can't be read: {}", failure.message()))
    })
}

fn read_saved_page(args: &ExtractArgs) -> Result<ReadablePage> {
    let named = args.what.as_str();
    let bytes = if named == "-" {
        read_bytes(io::stdin().lock(), "standard input")?
    } else {
        read_file_bytes(named)?
    };
    let name = Path::new(named).file_name().and_then(|name| name.to_str());
    let known = PageHints { content_type: None, url: args.url.as_deref(), name };
    let shown = if named == "-" { "standard input" } else { named };
    pages::read_saved_page(&bytes, known, PATIENCE)?.map_err(|why| {
        let error = Error::failed(format!("`{shown}` can't be read: {}", why.message()));
        match why {
            UnreadablePage::Kind => error.hint("HTML, plain text, markdown and PDF can be read"),
            _ => error,
        }
    })
}

fn read_file_bytes(named: &str) -> Result<Vec<u8>> {
    let about = std::fs::metadata(named).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => Error::not_found(format!("there is no file `{named}`"))
            .hint("a file's path, `-` for standard input, or an address with http:// or https://"),
        _ => unreadable(named, &error.to_string()),
    })?;
    if !about.is_file() {
        return Err(unreadable(named, "it is not a file"));
    }
    read_bytes(File::open(named).map_err(|error| unreadable(named, &error.to_string()))?, named)
}

fn read_bytes(from: impl Read, named: &str) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = from.take(LARGEST_PDF + 1).read_to_end(&mut bytes);
    read.map_err(|error| unreadable(named, &error.to_string()))?;
    match bytes.len() as u64 {
        0 => Err(unreadable(named, "it is empty")),
        length if length > LARGEST_PDF => {
            Err(unreadable(named, &format!("it is larger than {} MiB", LARGEST_PDF >> 20)))
        }
        _ => Ok(bytes),
    }
}

fn unreadable(named: &str, why: &str) -> Error {
    Error::failed(format!("`{named}` can't be read: {why}"))
}

/// For people: the title is a heading unless the content begins with it.
fn render_markdown(read: &ReadablePage) -> String {
    let title = pages::markdown_line(read.title.as_deref().unwrap_or_default());
    let first = read.markdown.lines().next().unwrap_or_default().trim_start_matches('#').trim();
    if title.is_empty() || first == title {
        read.markdown.clone()
    } else {
        format!("# {title}\n\n{}", read.markdown)
    }
}

/// What programs read of a page: `title` is always there, the rest where it is known.
#[derive(Debug, Serialize)]
struct ExtractAnswer<'a> {
    title: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    author: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    date: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    site: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<&'a str>,
    markdown: &'a str,
    text: &'a str,
}

impl<'a> ExtractAnswer<'a> {
    fn from_page(read: &'a ReadablePage) -> Self {
        Self {
            title: read.title.as_deref(),
            author: read.author.as_deref(),
            date: read.date.as_deref(),
            site: read.site.as_deref(),
            language: read.language.as_deref(),
            markdown: &read.markdown,
            text: &read.text,
        }
    }
}
