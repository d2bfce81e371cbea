//! Answers a server's requests to us: with our settings, and with a refusal for anything that would change or show
//! something.

use serde::Deserialize;
use serde_json::{Value, json};

use super::server_kind::ServerKind;
use super::wire::{self, MessageId};

/// How many settings it may request at once.
const MOST: usize = 256;

#[derive(Debug)]
pub struct Replies {
    pub known: ServerKind,
    /// The root's URI and name, as an object.
    pub folder: Value,
}

#[derive(Deserialize)]
struct Settings {
    items: Vec<Setting>,
}

#[derive(Deserialize)]
struct Setting {
    section: Option<String>,
}

impl Replies {
    pub fn reply_to(&self, id: &MessageId, method: &str, message: &[u8]) -> Value {
        let result = match method {
            "workspace/configuration" => match wire::params::<Settings>(message) {
                Some(asked) => asked.items.iter().take(MOST).map(|item| self.setting(item)).collect(),
                None => Value::Null,
            },
            "workspace/workspaceFolders" => json!([self.folder]),
            "workspace/applyEdit" => json!({ "applied": false, "failureReason": "files are only read" }),
            "window/showDocument" => json!({ "success": false }),
            "client/registerCapability"
            | "client/unregisterCapability"
            | "window/workDoneProgress/create"
            | "window/showMessageRequest" => Value::Null,
            _ if method.starts_with("workspace/") && method.ends_with("/refresh") => Value::Null,
            _ => return wire::method_not_found(id),
        };
        wire::response(id, &result)
    }

    fn setting(&self, item: &Setting) -> Value {
        match (self.known, item.section.as_deref()) {
            (ServerKind::RustAnalyzer, Some("rust-analyzer")) => self.known.settings(None),
            (ServerKind::Jdtls, Some("java")) => self.known.settings(None)["settings"]["java"].clone(),
            (ServerKind::Vtsls, Some(section)) => self.known.settings(None)[section].clone(),
            _ => Value::Null,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(known: ServerKind, method: &str, params: &Value) -> Value {
        let replies = Replies { known, folder: json!({"uri": "file:///r", "name": "r"}) };
        let message = json!({"id": 7, "method": method, "params": params}).to_string();
        let reply = replies.reply_to(&MessageId::Number(7), method, message.as_bytes());
        assert_eq!((&reply["id"], &reply["jsonrpc"]), (&json!(7), &json!("2.0")));
        reply
    }

    #[test]
    fn what_would_change_or_show_something_is_declined() {
        let none = json!({});
        assert_eq!(reply(ServerKind::Other, "workspace/applyEdit", &none)["result"]["applied"], false);
        assert_eq!(reply(ServerKind::Other, "window/showDocument", &none)["result"]["success"], false);
        for unknown in ["window/x", "workspace/executeClientCommand", "", "refresh"] {
            assert_eq!(reply(ServerKind::Other, unknown, &none)["error"]["code"], -32601, "{unknown}");
        }
        for quiet in
            ["client/registerCapability", "window/workDoneProgress/create", "workspace/codeLens/refresh"]
        {
            assert_eq!(reply(ServerKind::Other, quiet, &none).get("result"), Some(&Value::Null), "{quiet}");
        }
    }

    #[test]
    fn settings_are_ours_and_as_many_as_were_asked_for() {
        let asked = json!({"items": [{"section": "rust-analyzer"}, {"scopeUri": "file:///r"}]});
        let told = reply(ServerKind::RustAnalyzer, "workspace/configuration", &asked);
        assert_eq!(told["result"][0]["procMacro"]["enable"], false);
        assert_eq!((&told["result"][1], told["result"].as_array().unwrap().len()), (&Value::Null, 2));
        let nobody = reply(ServerKind::Other, "workspace/configuration", &asked);
        assert_eq!(nobody["result"], json!([null, null]));
        let many: Vec<Value> = vec![json!({}); 10_000];
        let few = reply(ServerKind::Other, "workspace/configuration", &json!({"items": many}));
        assert_eq!(few["result"].as_array().unwrap().len(), MOST);
        assert_eq!(reply(ServerKind::Other, "workspace/configuration", &json!(7))["result"], Value::Null);
    }
}
