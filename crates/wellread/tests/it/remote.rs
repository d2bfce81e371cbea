//! A server behind a proxy, and the two sides of OAuth: a client that says exactly what a test wants said, and the user who signs
//! in and decides.

use serde_json::{Value, json};

use crate::desk::Desk;
use crate::served::{Reply, Served};

/// The address that the proxy has.
pub const PUBLIC: &str = "https://wellread.example";
pub const MCP: &str = "https://wellread.example/mcp";
pub const CALLBACK: &str = "https://client.example/callback?tenant=7";
/// From RFC 7636, appendix B.
pub const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
pub const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
const HOST: &str = "Host: wellread.example";
const FORM: &str = "application/x-www-form-urlencoded";

/// What a client is given.
#[derive(Debug, Clone)]
pub struct Tokens {
    pub access: String,
    pub refresh: String,
}

/// The server as it is seen through the proxy.
pub struct Remote {
    pub served: Served,
    /// Lines of a head that belong to the user's session.
    user: Option<(String, String)>,
}

impl Remote {
    pub fn start(desk: &Desk) -> Self {
        Self::new(Served::with(desk, &[], |command| command.env("WELLREAD_SERVER_PUBLIC_URL", PUBLIC)))
    }

    /// With the user signed in by the public address.
    pub fn new(served: Served) -> Self {
        let mut remote = Self { served, user: None };
        let opened = remote.post(
            "/open",
            &[&format!("Origin: {PUBLIC}"), "Sec-Fetch-Site: same-origin"],
            FORM,
            &format!("token={}", remote.served.token),
        );
        let cookie = opened.header("set-cookie").unwrap_or_else(|| panic!("{opened:?}")).to_owned();
        assert!(cookie.contains("; Secure") && cookie.contains("HttpOnly"), "{cookie}");
        let key = opened.body.split("content=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
        let cookie = cookie.split(';').next().unwrap().to_owned();
        remote.user = Some((format!("Cookie: {cookie}"), format!("X-Wellread-Key: {key}")));
        remote
    }

    /// A request with these lines in its head, and the public name.
    pub fn ask(&self, request: &str, lines: &[&str]) -> Reply {
        self.send(request, &[&[HOST], lines].concat(), None)
    }

    pub fn get(&self, path: &str) -> Reply {
        self.ask(&format!("GET {path}"), &[])
    }

    pub fn post(&self, path: &str, lines: &[&str], media_type: &str, body: &str) -> Reply {
        self.send(&format!("POST {path}"), &[&[HOST], lines].concat(), Some((media_type, body)))
    }

    pub fn send(&self, request: &str, lines: &[&str], body: Option<(&str, &str)>) -> Reply {
        let mut head: String = lines.iter().map(|line| format!("{line}\r\n")).collect();
        if let Some((media_type, body)) = body {
            head += &format!("Content-Type: {media_type}\r\nContent-Length: {}\r\n", body.len());
        }
        let text = body.map(|(_, body)| body).unwrap_or_default();
        self.served.raw(format!("{request} HTTP/1.1\r\n{head}Connection: close\r\n\r\n{text}").as_bytes())
    }

    pub fn register(&self, redirect: &str) -> String {
        let request = json!({ "client_name": "Bee client", "redirect_uris": [redirect] }).to_string();
        let reply = self.post("/oauth/register", &[], "application/json", &request);
        assert_eq!(reply.status, 201, "{reply:?}");
        reply.json()["client_id"].as_str().unwrap().to_owned()
    }

    /// What the user's page asks and says, with the session.
    pub fn as_user(&self, path: &str, body: &Value) -> Reply {
        let (cookie, key) = self.user.as_ref().unwrap();
        let own = format!("Origin: {PUBLIC}");
        self.post(path, &[cookie, key, &own], "application/json", &body.to_string())
    }

    /// The user's cookie alone, without the key of the page.
    pub fn cookie(&self) -> &str {
        &self.user.as_ref().unwrap().0
    }

    /// Where the browser is sent once the user has allowed this.
    pub fn allow(&self, query: &str, scopes: &[&str], vaults: &[String]) -> Reply {
        let said = json!({ "query": query, "allow": true, "scopes": scopes, "vaults": vaults });
        self.as_user("/oauth/consent", &said)
    }

    /// The names of the vaults that a request is about.
    pub fn vaults(&self, query: &str) -> Vec<String> {
        let asked = self.as_user("/oauth/consent/request", &json!({ "query": query })).done();
        asked["vaults"].as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned()).collect()
    }

    pub fn token(&self, fields: &[(&str, &str)]) -> Reply {
        self.post("/oauth/token", &[], FORM, &form(fields))
    }

    /// A code for a client, with everything that the client asks for at this address.
    pub fn code(&self, client: &str, resource: &str, scopes: &[&str]) -> String {
        let query = Ask::new(client).with("resource", resource).query();
        let redirect =
            self.allow(&query, scopes, &self.vaults(&query)).done()["redirect"].as_str().unwrap().to_owned();
        parameter(&redirect, "code")
    }

    /// The tokens of a new client.
    pub fn connect(&self, resource: &str, scopes: &[&str]) -> (String, Tokens) {
        let client = self.register(CALLBACK);
        let code = self.code(&client, resource, scopes);
        let mut fields = redemption(&client, &code);
        fields.retain(|(name, _)| *name != "resource");
        fields.push(("resource", resource));
        let tokens = read_tokens(&self.token(&fields));
        (client, tokens)
    }

    /// A message of the newest revision to an address of the protocol.
    pub fn say(&self, path: &str, access: &str, method: &str, params: Value) -> Reply {
        self.say_declaring(path, access, method, params, &json!({}))
    }

    /// The same by a client that can do this.
    pub fn say_declaring(
        &self,
        path: &str,
        access: &str,
        method: &str,
        mut params: Value,
        capabilities: &Value,
    ) -> Reply {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": "tests", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": capabilities,
        });
        let name = ["name", "uri", "taskId"]
            .iter()
            .find_map(|field| params[*field].as_str())
            .map(|name| format!("Mcp-Name: {name}"));
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string();
        let lines = [
            format!("Authorization: Bearer {access}"),
            "Accept: application/json, text/event-stream".to_owned(),
            "MCP-Protocol-Version: 2026-07-28".to_owned(),
            format!("Mcp-Method: {method}"),
        ];
        let lines: Vec<&str> = lines.iter().chain(&name).map(String::as_str).collect();
        self.post(path, &lines, "application/json", &message)
    }

    pub fn tools(&self, path: &str, access: &str) -> Vec<String> {
        let answer = result(&self.say(path, access, "tools/list", json!({})));
        answer["tools"]
            .as_array()
            .unwrap()
            .iter()
            .map(|tool| tool["name"].as_str().unwrap().to_owned())
            .collect()
    }

    pub fn call(&self, path: &str, access: &str, name: &str, args: &Value) -> Reply {
        self.say(path, access, "tools/call", json!({ "name": name, "arguments": args }))
    }
}

/// The result of a message, however it was sent.
pub fn result(reply: &Reply) -> Value {
    assert_eq!(reply.status, 200, "{reply:?}");
    let message = match reply.header("content-type") {
        Some("text/event-stream") => reply
            .body
            .lines()
            .filter_map(|line| line.strip_prefix("data: "))
            .filter_map(|data| serde_json::from_str::<Value>(data).ok())
            .find(|message| message.get("id").is_some())
            .unwrap_or_else(|| panic!("{reply:?}")),
        _ => reply.json(),
    };
    assert!(message.get("result").is_some(), "{message}");
    message["result"].clone()
}

/// The request of a client in the address of the user's page.
#[derive(Clone)]
pub struct Ask(Vec<(&'static str, String)>);

impl Ask {
    pub fn new(client: &str) -> Self {
        let fields = [
            ("response_type", "code"),
            ("client_id", client),
            ("redirect_uri", CALLBACK),
            ("code_challenge", CHALLENGE),
            ("code_challenge_method", "S256"),
            ("scope", "read research write decide"),
            ("state", "a state&=#"),
            ("resource", MCP),
        ];
        Self(fields.map(|(name, value)| (name, value.to_owned())).to_vec())
    }

    /// With another value; an empty one leaves the field out.
    pub fn with(mut self, name: &'static str, value: &str) -> Self {
        self.0.retain(|(known, _)| *known != name);
        if !value.is_empty() {
            self.0.push((name, value.to_owned()));
        }
        self
    }

    pub fn query(&self) -> String {
        form(&self.0.iter().map(|(name, value)| (*name, value.as_str())).collect::<Vec<_>>())
    }
}

/// What a client sends for a code.
pub fn redemption<'a>(client: &'a str, code: &'a str) -> Vec<(&'a str, &'a str)> {
    vec![
        ("grant_type", "authorization_code"),
        ("client_id", client),
        ("code", code),
        ("redirect_uri", CALLBACK),
        ("code_verifier", VERIFIER),
        ("resource", MCP),
    ]
}

pub fn read_tokens(reply: &Reply) -> Tokens {
    assert_eq!(reply.status, 200, "{reply:?}");
    let said = reply.json();
    assert_eq!((&said["token_type"], &said["expires_in"]), (&json!("Bearer"), &json!(900)), "{said}");
    assert_eq!(reply.header("cache-control"), Some("no-store"));
    let text = |name: &str| said[name].as_str().unwrap().to_owned();
    Tokens { access: text("access_token"), refresh: text("refresh_token") }
}

pub fn form(fields: &[(&str, &str)]) -> String {
    fields.iter().map(|(name, value)| format!("{name}={}", escape(value))).collect::<Vec<_>>().join("&")
}

fn escape(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    text.bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

/// A parameter of an address.
pub fn parameter(address: &str, name: &str) -> String {
    let query = address.split_once('?').unwrap().1;
    let value = query
        .split('&')
        .find_map(|pair| pair.strip_prefix(&format!("{name}=")))
        .unwrap_or_else(|| panic!("{address}"));
    unescape(value)
}

fn unescape(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let (byte, next) = match (first, after) {
            (b'%', [high, low, next @ ..]) => {
                let digits = [*high, *low];
                (u8::from_str_radix(std::str::from_utf8(&digits).unwrap(), 16).unwrap(), next)
            }
            (b'+', next) => (b' ', next),
            (byte, next) => (*byte, next),
        };
        bytes.push(byte);
        rest = next;
    }
    String::from_utf8(bytes).unwrap()
}

/// A port that was free a moment ago.
pub fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}
