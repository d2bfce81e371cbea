//! The language models that programs on this machine serve.

use std::time::Duration;

use futures_util::future::join_all;
use wellread_core::Result;

use crate::wiring::model::list_local_models;

/// A server that is there answers at once.
const PATIENCE: Duration = Duration::from_secs(1);

/// Models that do not chat, by what their makers put into the names.
const OTHER_PURPOSES: [&str; 4] = ["embed", "rerank", "whisper", "bge-"];

/// The programs that serve models, with the port that each listens on unless told otherwise.
const PROGRAMS: [(&str, u16); 3] = [("Ollama", 11434), ("llama.cpp", 8080), ("LM Studio", 1234)];

/// The models of one program.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct LocalModels {
    pub program: &'static str,
    /// The address for `model.base_url`.
    pub base_url: String,
    pub models: Vec<String>,
}

/// Asks the usual ports of this machine, all at the same time.
pub fn find_local_models() -> Result<Vec<LocalModels>> {
    let ollama = std::env::var("OLLAMA_HOST").ok();
    let asked = PROGRAMS.map(|(program, port)| {
        let moved = ollama.as_deref().filter(|_| program == "Ollama").and_then(parse_ollama_host);
        let authority = moved.unwrap_or_else(|| format!("127.0.0.1:{port}"));
        ask_program(program, format!("http://{authority}/v1"))
    });
    let runtime = crate::cli::build_runtime()?;
    Ok(runtime.block_on(join_all(asked)).into_iter().flatten().collect())
}

async fn ask_program(program: &'static str, base_url: String) -> Option<LocalModels> {
    let models = list_local_models(&base_url, PATIENCE).await?;
    let chats = |name: &String| {
        let name = name.to_lowercase();
        !OTHER_PURPOSES.iter().any(|purpose| name.contains(purpose))
    };
    let models: Vec<String> = models.into_iter().filter(chats).collect();
    (!models.is_empty()).then_some(LocalModels { program, base_url, models })
}

/// Host and port of `OLLAMA_HOST`, as Ollama reads it: a scheme and either part may be missing. A server that listens on every
/// address is asked on this machine's own.
fn parse_ollama_host(written: &str) -> Option<String> {
    let written = written.trim().trim_start_matches("http://").trim_end_matches('/');
    let (host, port) = written.rsplit_once(':').unwrap_or((written, "11434"));
    let port: u16 = port.parse().ok()?;
    let host = match host {
        "" | "0.0.0.0" | "[::]" => "127.0.0.1",
        host => host,
    };
    Some(format!("{host}:{port}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variable_of_ollama_is_read_as_ollama_reads_it() {
        for (written, authority) in [
            ("127.0.0.1:5000", "127.0.0.1:5000"),
            ("http://localhost:5000/", "localhost:5000"),
            ("0.0.0.0", "127.0.0.1:11434"),
            ("0.0.0.0:9", "127.0.0.1:9"),
            (":7000", "127.0.0.1:7000"),
            ("box", "box:11434"),
        ] {
            assert_eq!(parse_ollama_host(written).as_deref(), Some(authority), "{written}");
        }
        assert_eq!(parse_ollama_host("box:port"), None);
    }
}
