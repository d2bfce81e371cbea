//! The documents opened in a server: it takes these for the files, whatever is on disk.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;

use serde_json::json;
use tokio::time::Instant;
use wellread_core::domain::corpus::{Hash, VaultPath};
use wellread_core::ports::{Corpus as _, ServerQuestion};

use super::places::file_uri;
use super::process::{NoReply, ServerProcess};
use crate::repository::RepositoryFiles;

/// The most documents that are open at once.
const MOST: usize = 8;

#[derive(Debug, Default)]
pub struct Documents {
    /// The open documents; the one asked about last is at the end.
    shown: VecDeque<Document>,
    versions: i64,
}

#[derive(Debug)]
struct Document {
    path: VaultPath,
    address: String,
    hash: Hash,
}

impl Documents {
    /// Opens the question's file with the question's text, and updates the other open files from disk. Returns the
    /// file's URI; `None` if it has none.
    pub async fn show(
        &mut self,
        process: &ServerProcess,
        repository: &Arc<RepositoryFiles>,
        root: &Path,
        question: &ServerQuestion,
        deadline: Instant,
    ) -> Result<Option<String>, NoReply> {
        self.refresh(process, repository, &question.path, deadline).await?;
        let hash = Hash::compute(question.text.as_bytes());
        if let Some(at) = self.shown.iter().position(|document| document.path == question.path)
            && let Some(mut document) = self.shown.remove(at)
        {
            if document.hash != hash {
                self.change(process, &document, &question.text, deadline).await?;
                document.hash = hash;
            }
            let address = document.address.clone();
            self.shown.push_back(document);
            return Ok(Some(address));
        }
        let Some(address) = file_uri(&root.join(question.path.as_str())) else { return Ok(None) };
        self.versions += 1;
        let open = json!({ "textDocument": {
            "uri": address,
            "languageId": language_id(&question.language, &question.path),
            "version": self.versions,
            "text": question.text,
        } });
        process.notify("textDocument/didOpen", &open, deadline).await?;
        self.shown.push_back(Document { path: question.path.clone(), address: address.clone(), hash });
        while self.shown.len() > MOST
            && let Some(oldest) = self.shown.pop_front()
        {
            close(process, &oldest, deadline).await?;
        }
        Ok(Some(address))
    }

    async fn refresh(
        &mut self,
        process: &ServerProcess,
        repository: &Arc<RepositoryFiles>,
        but: &VaultPath,
        deadline: Instant,
    ) -> Result<(), NoReply> {
        for at in (0..self.shown.len()).rev() {
            let Some(document) = self.shown.get(at).filter(|document| document.path != *but) else {
                continue;
            };
            let text = repository.read(&document.path).ok();
            let text = text.and_then(|content| Some((content.hash, String::from_utf8(content.bytes).ok()?)));
            match text {
                Some((hash, _)) if hash == document.hash => {}
                Some((hash, text)) => {
                    let Some(mut document) = self.shown.remove(at) else { continue };
                    self.change(process, &document, &text, deadline).await?;
                    document.hash = hash;
                    self.shown.insert(at, document);
                }
                None => {
                    let Some(gone) = self.shown.remove(at) else { continue };
                    close(process, &gone, deadline).await?;
                }
            }
        }
        Ok(())
    }

    async fn change(
        &mut self,
        process: &ServerProcess,
        document: &Document,
        text: &str,
        deadline: Instant,
    ) -> Result<(), NoReply> {
        self.versions += 1;
        let change = json!({
            "textDocument": { "uri": document.address, "version": self.versions },
            "contentChanges": [{ "text": text }],
        });
        process.notify("textDocument/didChange", &change, deadline).await
    }
}

async fn close(process: &ServerProcess, document: &Document, deadline: Instant) -> Result<(), NoReply> {
    let close = json!({ "textDocument": { "uri": document.address } });
    process.notify("textDocument/didClose", &close, deadline).await
}

/// The protocol's id of a language.
fn language_id<'a>(language: &'a str, path: &VaultPath) -> &'a str {
    match language {
        "bash" => "shellscript",
        "tsx" => "typescriptreact",
        "javascript" if path.as_str().ends_with(".jsx") => "javascriptreact",
        other => other,
    }
}
