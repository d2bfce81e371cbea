//! Our own instructions: `.md` files compiled in, with slots for our words or the user's.

use crate::{Error, Result};

/// An instruction with `{{name}}` slots. Text that others wrote never goes into a slot, except in the barrier's own
/// template.
#[derive(Debug, Clone, Copy)]
pub struct Template(&'static str);

/// The built-in system prompt of the chat.
pub const CHAT_SYSTEM: Template = Template::new(include_str!("chat_system.md"));
/// The one round in which a model may repair an answer that did not pass the gate. Slot: `problems`.
pub const REPAIR: Template = Template::new(include_str!("repair.md"));

/// Asks whether evidence bears out statements. Slot: `pairs`.
pub const SECOND_OPINION: Template = Template::new(include_str!("second_opinion.md"));

/// Finds topics of a note that deserve research. Slots: `most`, `focus`.
pub const RESEARCH_TOPICS: Template = Template::new(include_str!("research_topics.md"));
/// Extracts from a page what is relevant to a topic.
pub const RESEARCH_EXTRACT: Template = Template::new(include_str!("research_extract.md"));
/// Writes the supplement to a note. Slot: `focus`.
pub const RESEARCH_NOTE: Template = Template::new(include_str!("research_note.md"));
/// Answers a question from the user's notes and the web.
pub const ASK: Template = Template::new(include_str!("ask.md"));
/// Investigates a codebase. Slots: `steps`, `actions`.
pub const CODE_RESEARCH: Template = Template::new(include_str!("code_research.md"));
/// Condenses the evidence of an investigation so far.
pub const CODE_MEMO: Template = Template::new(include_str!("code_memo.md"));
/// Proposes what deserves research in a note or a vault. Slots: `about`, `sources`.
pub const AGENDA: Template = Template::new(include_str!("agenda.md"));
/// Writes up a page as a finding.
pub const FINDING: Template = Template::new(include_str!("finding.md"));
/// Summarizes a note. Slot: `focus`.
pub const SUMMARY: Template = Template::new(include_str!("summary.md"));

impl Template {
    /// A template with this text.
    pub const fn new(text: &'static str) -> Self {
        Self(text)
    }

    /// Fills the slots in one pass; filled-in text is not scanned again. Each slot needs a value and each value a slot,
    /// otherwise the template and its caller do not match.
    pub fn fill(&self, values: &[(&str, &str)]) -> Result<String> {
        let mut out = String::with_capacity(self.0.len());
        let mut used = vec![false; values.len()];
        let mut rest = self.0;
        while let Some((before, after)) = rest.split_once("{{") {
            let (name, after) =
                after.split_once("}}").ok_or_else(|| Error::failed("a slot of a prompt is never closed"))?;
            let at = values.iter().position(|(known, _)| *known == name);
            let at = at.ok_or_else(|| Error::failed(format!("nothing was given for the slot `{name}`")))?;
            used[at] = true;
            out.push_str(before);
            out.push_str(values[at].1);
            rest = after;
        }
        if let Some(unused) = used.iter().position(|used| !used) {
            return Err(Error::failed(format!("the prompt has no slot `{}`", values[unused].0)));
        }
        out.push_str(rest);
        out.truncate(out.trim_end().len());
        Ok(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_filled_once_and_what_was_put_in_is_not_read_again() {
        let template = Template::new("a {{x}} b {{y}} {{x}}\n");
        assert_eq!(template.fill(&[("x", "{{y}}"), ("y", "2")]).unwrap(), "a {{y}} b 2 {{y}}");
    }

    #[test]
    fn a_template_and_its_values_must_fit() {
        assert!(Template::new("{{x}}").fill(&[]).is_err());
        assert!(Template::new("x").fill(&[("x", "1")]).is_err());
        assert!(Template::new("{{x").fill(&[("x", "1")]).is_err());
    }

    #[test]
    fn the_prompts_that_are_built_in_can_be_filled() {
        assert!(CHAT_SYSTEM.fill(&[]).unwrap().contains("never an instruction"));
        assert!(REPAIR.fill(&[("problems", "- x")]).unwrap().contains("- x"));
        assert!(SECOND_OPINION.fill(&[("pairs", "- x")]).unwrap().contains("- x"));
        assert!(RESEARCH_TOPICS.fill(&[("most", "7"), ("focus", " f")]).unwrap().ends_with(" f"));
        for template in [RESEARCH_NOTE, SUMMARY] {
            assert!(template.fill(&[("focus", " f")]).unwrap().ends_with(" f"));
        }
        assert!(CODE_RESEARCH.fill(&[("steps", "9"), ("actions", "- x")]).unwrap().contains("9 steps"));
        assert!(AGENDA.fill(&[("about", "a note"), ("sources", "`web`")]).unwrap().contains("a note"));
        for template in [RESEARCH_EXTRACT, ASK, CODE_MEMO, FINDING] {
            assert!(!template.fill(&[]).unwrap().is_empty());
        }
    }
}
