//! The page of the book about the Model Context Protocol: made from what the server tells a client.

use std::fmt::Write as _;

use serde_json::{Value, json};
use wellread_testkit::check_generated;

use crate::desk::{Desk, Ran};

const PAGE: &str = "docs/book/src/reference/mcp.md";

const INTRODUCTION: &str = "# What an MCP client sees\n\n\
<!-- Generated from what the server answers; a test compares the two. -->\n\n\
`wellread mcp` serves the Model Context Protocol on standard input and output, and `wellread serve` at `/mcp`. [How to add it to \
a client](../agents.md).\n\n\
## Tools\n\n\
These are offered by default. Each passes its arguments on to one of the tools that [docs/tools.md](../../../tools.md) describes; `op` \
chooses which. `--tools all` offers those by their own names instead.\n";

/// What a client is told, by the method that it asks.
fn ask_server() -> Vec<Value> {
    let desk = Desk::new();
    let client = json!({ "name": "book", "version": "1" });
    let hello = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
    let mut lines = vec![
        json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello }),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
    ];
    for (id, method) in (1..).zip(["tools/list", "prompts/list", "resources/templates/list"]) {
        lines.push(json!({ "jsonrpc": "2.0", "id": id, "method": method }));
    }
    let input: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let ran = Ran::fed(desk.here().arg("mcp"), input.as_bytes());
    let answers: Vec<Value> = ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    (1..4)
        .map(|id| {
            answers.iter().find(|answer| answer["id"] == id).unwrap_or_else(|| panic!("{ran:?}"))["result"]
                .clone()
        })
        .collect()
}

fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().unwrap_or_default()
}

fn render_page() -> String {
    let answers = ask_server();
    let mut page = String::from(INTRODUCTION);
    for tool in answers[0]["tools"].as_array().unwrap() {
        let _ = write!(page, "\n### `{}`\n\n", text(tool, "name"));
        let about = text(tool, "description");
        match about.split_once(" Example: ") {
            Some((about, example)) => {
                let _ = write!(page, "{about}\n\n```json\n{example}\n```\n");
            }
            None => {
                let _ = writeln!(page, "{about}");
            }
        }
        let fields = tool["inputSchema"]["properties"].as_object().unwrap();
        if let Some(op) = fields.get("op") {
            let _ = write!(page, "\n`op` is one of these. {}\n", text(op, "description"));
        }
        let others: Vec<String> =
            fields.keys().filter(|name| *name != "op").map(|name| format!("`{name}`")).collect();
        if !others.is_empty() {
            let _ = write!(page, "\nArguments: {}.\n", others.join(", "));
        }
    }
    page += "\n## Prompts\n\n| prompt | arguments | what |\n| --- | --- | --- |\n";
    for prompt in answers[1]["prompts"].as_array().unwrap() {
        let arguments: Vec<String> = prompt["arguments"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| format!("`{}`", text(one, "name")))
            .collect();
        let _ = writeln!(
            page,
            "| `{}` | {} | {} |",
            text(prompt, "name"),
            arguments.join(", "),
            text(prompt, "description")
        );
    }
    page += "\n## Resources\n\n| address | what |\n| --- | --- |\n";
    for template in answers[2]["resourceTemplates"].as_array().unwrap() {
        let _ = writeln!(page, "| `{}` | {} |", text(template, "uriTemplate"), text(template, "description"));
    }
    page
}

#[test]
fn what_an_mcp_client_sees_is_in_the_book() {
    check_generated(PAGE, &render_page());
}
