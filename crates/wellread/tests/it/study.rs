//! A vault with a note worth researching, a small web that knows of it, and a model that researches as it is told.

use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use serde_json::{Value, json};
use wellread_testkit::web_server::{WebServerReply, duckduckgo};
use wellread_testkit::{ModelServer, Turn, WebServer};

use crate::desk::{Desk, Ran};
use crate::partner::{last_run, with};

pub const NOTE: &str = "# Bees\n\nA hive holds 40,000 bees in June.\n\n## Notes\n\nHoney keeps for years.\n";
pub const FOUND: &str = "A strong hive holds 60,000 bees at midsummer.";

/// Everything that a note is researched with. The web is DuckDuckGo's, and pages may be fetched from it.
pub struct Study {
    pub desk: Desk,
    pub web: WebServer,
    pub model: ModelServer,
}

impl Study {
    pub fn new(web: WebServer, turns: impl IntoIterator<Item = Turn>) -> Self {
        Self { desk: desk(), web, model: ModelServer::start(turns) }
    }

    /// With a web of one page, and a model that writes of it as often as it is asked to.
    pub fn usual(turns: usize) -> Self {
        Self::new(web(), thinks(turns, &["hive size"], of_hives))
    }

    pub fn here(&self) -> Command {
        let mut command = self.desk.here();
        with(with_web(&mut command, &self.web), &self.model);
        command
    }

    pub fn run(&self, args: &[&str]) -> Ran {
        Ran::of(self.here().args(args))
    }

    /// `wellread note Bees --json` with these words more; it writes unless they say `--dry-run`.
    pub fn note(&self, args: &[&str]) -> Ran {
        let apply: &[&str] = if args.contains(&"--dry-run") { &[] } else { &["--apply"] };
        self.run(&[&["note", "Bees", "--json"], args, apply].concat())
    }

    /// The same without waiting for its end.
    pub fn begun(&self) -> Child {
        let mut command = self.here();
        command.args(["note", "Bees", "--apply", "--json"]);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    pub fn text(&self) -> String {
        self.desk.text("Bees.md")
    }

    pub fn last_run(&self) -> Value {
        last_run(&self.desk)
    }

    /// How often the web was searched.
    pub fn searches(&self) -> usize {
        self.web.request_lines().iter().filter(|line| line.starts_with("GET /html/")).count()
    }
}

pub fn desk() -> Desk {
    let desk = Desk::bare();
    desk.save("Bees.md", NOTE);
    desk.save("Wintering.md", "# Wintering\n\nA hive holds 10,000 bees in winter and eats 15 kg of honey.\n");
    desk
}

/// One result for every search, which says all by itself.
pub fn web() -> WebServer {
    let web = WebServer::start();
    web.add_reply("/html/", results(&web));
    web
}

pub fn results(web: &WebServer) -> WebServerReply {
    duckduckgo(&[("How large is a hive", &web.url("/hive"), FOUND)])
}

/// The binary with the DuckDuckGo of this web, and leave to fetch its pages.
pub fn with_web<'a>(command: &'a mut Command, web: &WebServer) -> &'a mut Command {
    command
        .env("WELLREAD_SEARCH_SERVICES", "duckduckgo")
        .env("WELLREAD_SEARCH_DUCKDUCKGO_BASE_URL", &web.base)
        .env("WELLREAD_HTTP_ALLOW", web.base.trim_start_matches("http://"))
}

/// So many turns of a model that does what each request asks for: topics, what a page says, and a text from what it is shown.
pub fn thinks(
    turns: usize,
    topics: &[&str],
    writes: impl Fn(&str) -> String + Send + Sync + 'static,
) -> Vec<Turn> {
    let (topics, writes) = (topics_of(topics), Arc::new(writes));
    let turn = |_| {
        let (topics, writes) = (topics.clone(), writes.clone());
        Turn::from_request(move |body| {
            let prompt = prompt(body);
            if prompt.starts_with("You prepare the research") {
                return Turn::json(&topics);
            }
            if prompt.starts_with("From the page") {
                // What does not stand on the page counts for nothing.
                let lines = prompt.lines().filter(|line| line.contains("bees") || line.contains("kg"));
                return Turn::says(&lines.collect::<Vec<_>>().join("\n"));
            }
            Turn::says(&writes(&prompt))
        })
    };
    (0..turns).map(turn).collect()
}

pub fn topics_of(names: &[&str]) -> Value {
    let each = names.iter().map(|name| json!({ "topic": name, "context": "x", "type": "claim" }));
    json!({ "topics": each.collect::<Vec<_>>() })
}

/// What a request asks of the model.
pub fn prompt(body: &Value) -> String {
    let said = body["messages"].as_array().unwrap().iter().find(|message| message["role"] == "user");
    said.unwrap()["content"].as_str().unwrap().to_owned()
}

/// The id of the evidence that holds these words.
pub fn id_of(prompt: &str, words: &str) -> String {
    let at = prompt.find(words).unwrap_or_else(|| panic!("`{words}` is not shown:\n{prompt}"));
    let before = prompt[..at].rsplit_once("(cite as [").expect("it can be cited");
    before.1.split(']').next().unwrap().to_owned()
}

/// A section of two sentences, one from the web and one from another note.
pub fn of_hives(prompt: &str) -> String {
    format!(
        "### Hive size\n\nA strong hive holds 60,000 bees at midsummer [{}]. In winter it holds 10,000 bees [{}].\n",
        id_of(prompt, FOUND),
        id_of(prompt, "eats 15 kg")
    )
}

/// A page with a title and paragraphs, as articles are.
pub fn article(title: &str, paragraphs: &[&str]) -> WebServerReply {
    let body: String = paragraphs.iter().map(|paragraph| format!("<p>{paragraph}</p>\n")).collect();
    WebServerReply::html(format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><title>{title}</title></head><body><nav><a href=\"/\">Home</a></nav>\n\
         <article><h1>{title}</h1>\n{body}</article><footer>All rights reserved</footer></body></html>"
    ))
}

/// A PDF of one page with these lines.
pub fn pdf(lines: &[&str]) -> WebServerReply {
    let shown: String = lines.iter().map(|line| format!("({line}) Tj 0 -16 Td\n")).collect();
    let content = format!("BT /F1 12 Tf 72 720 Td\n{shown}ET");
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R \
         /Resources << /Font << /F1 5 0 R >> >> >>"
            .to_owned(),
        format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_owned(),
    ];
    let mut file = "%PDF-1.4\n".to_owned();
    let mut table = "0000000000 65535 f \n".to_owned();
    for (number, object) in (1..).zip(&objects) {
        table += &format!("{:010} 00000 n \n", file.len());
        file += &format!("{number} 0 obj\n{object}\nendobj\n");
    }
    let (at, size) = (file.len(), objects.len() + 1);
    file +=
        &format!("xref\n0 {size}\n{table}trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{at}\n%%EOF\n");
    WebServerReply::new(200, "application/pdf", file)
}
