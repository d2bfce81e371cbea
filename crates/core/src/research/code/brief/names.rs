//! What the question names: where its names are defined, and which of its words are names of symbols.

use serde_json::{Value, json};

use super::rendering::{plain_line, rows, text_field, text_rows};
use super::{CodeBrief, DEFINED};
use crate::Result;
use crate::research::code::plan::{AskedRelation, QuestionPlan};

impl CodeBrief<'_> {
    /// Looks up where the question's names are defined, and what the files that it names define. A word that stands where
    /// a name is expected becomes a name of the plan if a symbol has it.
    pub(super) async fn look_up_names(&mut self, plan: &mut QuestionPlan) -> Result<Vec<Value>> {
        let mut all: Vec<Value> = Vec::new();
        for name in plan.names.clone() {
            let found = self.run_action("find_symbol", json!({ "name": name })).await?;
            let defined = definitions(&found);
            // What is in quotation marks and no name of a definition may be a text of one word.
            let is_text = defined.is_empty()
                && plan.quoted_names.contains(&name)
                && self.collect_literal(&name).await? == Some(true);
            if defined.is_empty() && !is_text {
                self.say_undefined(&name, &found);
            }
            self.add_definitions(&mut all, &name, &defined);
        }
        for reading in plan.readings.clone() {
            for word in reading.words {
                if plan.names.contains(&word) {
                    continue;
                }
                let found = self.run_action("find_symbol", json!({ "name": word })).await?;
                let mut defined = definitions(&found);
                defined.retain(|row| reading.relation.fits(text_field(row, "kind")));
                if !defined.is_empty() {
                    self.add_definitions(&mut all, &word, &defined);
                    plan.names.push(word);
                } else if plan.names.is_empty() && self.is_certainly_a_name(reading.relation, &word) {
                    self.say_undefined(&word, &found);
                }
            }
        }
        for path in &plan.paths {
            let file = path.split(':').next().unwrap_or(path);
            let found = self.run_action("outline", json!({ "file_path": file })).await?;
            if found["success"] != true {
                self.findings.missing.push(format!("- `{}` could not be read.", plain_line(path)));
            }
            for row in rows(&found, "definitions").iter().take(DEFINED) {
                let id = format!("{}::{}", text_field(row, "path"), text_field(row, "qualified_name"));
                add_row(&mut all, row, &id, "");
            }
        }
        Ok(all)
    }

    /// Whether nothing but a name can be meant: what is called stands at the end of the question.
    fn is_certainly_a_name(&self, relation: AskedRelation, word: &str) -> bool {
        let question = self.work.job.question.to_lowercase();
        let question = question.trim_end_matches(|letter: char| !letter.is_alphanumeric() && letter != '_');
        relation == AskedRelation::Callers
            && question.contains("call")
            && question.ends_with(&word.to_lowercase())
    }

    fn say_undefined(&mut self, name: &str, found: &Value) {
        let near = text_rows(found, "near");
        let near = match near.is_empty() {
            true => String::new(),
            false => format!("; similar names: {}", near.join(", ")),
        };
        let missing = format!("- `{}` is not defined in the searched files{near}.", plain_line(name));
        self.findings.missing.push(missing);
    }

    fn add_definitions(&mut self, all: &mut Vec<Value>, name: &str, defined: &[Value]) {
        for row in defined.iter().take(DEFINED) {
            add_row(all, row, text_field(row, "id"), name);
        }
        if defined.len() > DEFINED {
            let (plain, count) = (plain_line(name), defined.len());
            let many = format!("- `{plain}` has {count} definitions; {DEFINED} are considered.");
            self.findings.missing.push(many);
        }
    }
}

/// The definitions that were found, declarations without a body last. Where functions or types have the name, the variables
/// that imports bind to it are left out.
fn definitions(found: &Value) -> Vec<Value> {
    let mut all = rows(found, "definitions");
    let is_data = |row: &Value| matches!(text_field(row, "kind"), "variable" | "constant" | "field");
    if !all.iter().all(is_data) {
        all.retain(|row| !is_data(row));
    }
    all.sort_by_key(|row| row["without_body"] == true);
    all
}

/// Adds a definition with its id and the name that it was asked for by, unless it is known.
fn add_row(all: &mut Vec<Value>, row: &Value, id: &str, asked: &str) {
    if !all.iter().any(|known| text_field(known, "id") == id) {
        let mut row = row.clone();
        row["id"] = json!(id);
        row["asked"] = json!(asked);
        all.push(row);
    }
}
