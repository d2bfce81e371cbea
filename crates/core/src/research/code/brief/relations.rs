//! How code is reached: what calls it, and the path from one symbol to another.

use serde_json::{Value, json};
use wellread_text::FileRole;

use super::rendering::{
    is_unfinished, plain_line, render_edge, resolve_name, rows, statement_lines, text_field,
};
use super::{CodeBrief, summarize_envelope};
use crate::Result;
use crate::research::code::plan::QuestionPlan;

const SEEDS: usize = 3;
const CALLERS: usize = 4;
/// The most lines of a statement that is shown whole.
const LONGEST_STATEMENT: usize = 6;
const PATH_HEADING: &str = "How it fits together";
const CALLERS_HEADING: &str = "Called by";

impl CodeBrief<'_> {
    /// Collects what calls some symbols, tests last. Gaps in the graph are reported if the question named them. Returns
    /// whether anything was found.
    pub(super) async fn collect_callers(&mut self, symbols: &[String], is_named: bool) -> Result<bool> {
        let mut items = Vec::new();
        for symbol in symbols.iter().take(SEEDS) {
            let input = json!({ "symbol": symbol, "depth": 1, "direction": "in", "kinds": ["calls"] });
            let found = self.run_action("graph_expand", input).await?;
            let name = plain_line(symbol.rsplit("::").next().unwrap_or(symbol));
            if found["success"] != true && found != Value::Null {
                let why = plain_line(&summarize_envelope(&found));
                self.findings.missing.push(format!("- What calls `{name}` could not be determined: {why}."));
            }
            let mut edges = rows(&found, "edges");
            edges.retain(|edge| text_field(edge, "to") == symbol && edge["evidence"].is_string());
            edges.sort_by_key(|edge| FileRole::from_path(text_field(edge, "path")) != FileRole::Source);
            let count = edges.len();
            for edge in edges.iter().take(CALLERS) {
                items.extend(self.show_edge(edge).await?);
            }
            if count > CALLERS {
                let missing = format!("- `{name}` has {count} callers; {CALLERS} are shown.");
                self.findings.missing.push(missing);
            }
            if let (true, Some(notice)) = (is_named, found["notice"].as_str()) {
                let notice = plain_line(notice);
                self.findings.missing.push(format!("- `{name}`: {}.", notice.trim_end_matches('.')));
            }
        }
        let is_found = !items.is_empty();
        self.add_part(CALLERS_HEADING, items);
        Ok(is_found)
    }

    /// Collects the hops from the question's first name to its second. Returns whether there is a path.
    pub(super) async fn trace_path(&mut self, plan: &QuestionPlan, named: &[String]) -> Result<bool> {
        let [from, to, ..] = plan.names.as_slice() else { return Ok(false) };
        let mut found = Value::Null;
        // A name may have several definitions: the first connected pair counts.
        'pairs: for from in resolve_name(from, named) {
            for to in resolve_name(to, named) {
                found = self.run_action("graph_trace", json!({ "from": from, "to": to })).await?;
                if !rows(&found, "edges").is_empty() {
                    break 'pairs;
                }
            }
        }
        let mut items = Vec::new();
        for hop in rows(&found, "edges") {
            items.extend(self.show_edge(&hop).await?);
        }
        let is_found = !items.is_empty();
        if !is_found {
            let missing = format!("- No path from `{}` to `{}` was found.", plain_line(from), plain_line(to));
            self.findings.missing.push(missing);
        }
        self.add_part(PATH_HEADING, items);
        Ok(is_found)
    }

    /// An edge with the whole statement that it is in, cited.
    async fn show_edge(&mut self, edge: &Value) -> Result<Option<String>> {
        let Some(mut cited) = self.cite(edge) else { return Ok(None) };
        let mut code = text_field(edge, "text").trim().to_owned();
        if is_unfinished(&code) {
            let (path, first) = (text_field(edge, "path"), edge["line"].as_u64().unwrap_or(1));
            let open = |last: u64| json!({ "file_path": path, "start_line": first, "end_line": last });
            let last = first + LONGEST_STATEMENT as u64 - 1;
            let opened = self.run_action("open_span", open(last)).await?;
            code.clear();
            if let Some(count) = statement_lines(text_field(&opened, "text")) {
                let whole = self.run_action("open_span", open(first + count as u64 - 1)).await?;
                if let Some(id) = self.cite(&whole) {
                    cited = id;
                    code = text_field(&whole, "text").to_owned();
                }
            }
        }
        let forms = [code.as_str(), ""].map(|code| format!("{} {cited}", render_edge(edge, code)));
        self.first_that_passes(forms.into_iter())
    }
}
