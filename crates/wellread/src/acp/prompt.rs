//! A prompt: the user's words, and what the editor put among them.
//!
//! Only text blocks are the user's words. The text of a file, and the name of one, are attached: somebody else wrote them.

use serde_json::Value;
use wellread_core::faces::chat::Attachment;

use super::editor_files::{EditorFile, EditorFiles};
use super::rpc::RpcError;

/// What stands for the text of a file of which the editor attached only the address.
const ONLY_NAMED: &str = "(Only its name is attached. Read it with a tool if it matters.)";
const NOT_READABLE: &str =
    "(Only its name is attached, and no tool can read it: it is neither in the vault nor in a repository.)";

/// A prompt as the chat takes it.
#[derive(Debug, Default, PartialEq)]
pub struct AcpPrompt {
    /// The user's words.
    pub message: String,
    pub attached: Vec<Attachment>,
}

impl AcpPrompt {
    /// Reads the blocks of a prompt.
    pub fn parse(blocks: &Value, files: &EditorFiles) -> Result<Self, RpcError> {
        let blocks = blocks.as_array().ok_or_else(|| RpcError::invalid_params("`prompt` is no list"))?;
        check_size(blocks)?;
        let mut prompt = Self::default();
        for block in blocks {
            let text = |field: &str| read_string(block, field);
            match block.get("type").and_then(Value::as_str) {
                Some("text") => prompt.message += text("text")?,
                Some("resource") => {
                    let resource = block.get("resource").unwrap_or(&Value::Null);
                    let (uri, text) = (read_string(resource, "uri")?, read_string(resource, "text"));
                    let text = text.map_err(|_| unsupported("files that are no text"))?;
                    let file = files.resolve(uri, text);
                    prompt.attach(&file, text);
                }
                Some("resource_link") => {
                    let file = files.resolve(text("uri")?, "");
                    let text = if file.readable { ONLY_NAMED } else { NOT_READABLE };
                    prompt.attach(&file, text);
                }
                Some("image") => return Err(unsupported("images")),
                Some("audio") => return Err(unsupported("sound")),
                _ => return Err(RpcError::invalid_params("a block of the prompt has no known type")),
            }
        }
        if prompt.message.trim().is_empty() {
            return Err(RpcError::invalid_params("the prompt is empty"));
        }
        Ok(prompt)
    }

    /// Attaches a file, and leaves a mark where it stood between the user's words.
    fn attach(&mut self, file: &EditorFile, text: &str) {
        let mark = format!("attached {}", self.attached.len() + 1);
        self.message += &format!("[{mark}]");
        self.attached.push(Attachment::new(format!("{mark}: {}", file.name), text, file.private));
    }
}

/// `Err` if more is attached than a message can have with it, before any file is looked at.
fn check_size(blocks: &[Value]) -> Result<(), RpcError> {
    let size = |block: &Value| {
        let named = match block.get("type").and_then(Value::as_str)? {
            "resource" => block.get("resource")?,
            "resource_link" => block,
            _ => return None,
        };
        let parts = ["uri", "text"].into_iter().filter_map(|field| named.get(field)?.as_str());
        Some(parts.map(str::len).sum::<usize>())
    };
    let sizes: Vec<usize> = blocks.iter().filter_map(size).collect();
    Attachment::check_total(sizes.len(), sizes.iter().sum()).map_err(RpcError::from)
}

/// A string that a message must have.
pub fn read_string<'a>(fields: &'a Value, name: &str) -> Result<&'a str, RpcError> {
    let found = fields.get(name).and_then(Value::as_str);
    found.ok_or_else(|| RpcError::invalid_params(format!("`{name}` is missing, or is no string")))
}

fn unsupported(what: &str) -> RpcError {
    RpcError::invalid_params(format!("{what} can't be part of a prompt here; leave them out"))
}
