//! Compares queries by topic, so that repeated research is pointed out and suppressed topics stay suppressed.

use std::collections::BTreeSet;

use wellread_text::significant_words;

use crate::Result;
use crate::ports::AgendaFilter;
use crate::ports::agenda::{Agenda, EarlierTask, Task, TaskStatus};
use crate::research::Research;

/// How many of the latest agendas are searched.
const LOOKED_BACK: usize = 500;
/// The share of their words that two queries must have in common.
const SAME: f64 = 0.66;

/// Whether two queries have the same topic: most of their words are the same, in any order and inflection.
pub fn is_same_topic(one: &str, other: &str) -> bool {
    let words = |text: &str| significant_words(text).into_iter().collect::<BTreeSet<String>>();
    let (one, other) = (words(one), words(other));
    let shared = one.intersection(&other).count();
    let all = one.union(&other).count();
    all > 0 && shared as f64 >= SAME * all as f64
}

impl Research {
    /// The topics that must not be proposed.
    pub(super) fn suppressed_queries(&self) -> Result<Vec<String>> {
        Ok(self.agendas.topics()?.into_iter().map(|known| known.topic).collect())
    }

    /// Sets for each task the latest completed one on the same topic.
    pub(super) fn set_earlier_tasks(&self, tasks: &mut [Task]) -> Result<()> {
        let agendas = self.agendas.agendas(AgendaFilter::All, LOOKED_BACK)?;
        for task in tasks {
            task.earlier = agendas.iter().find_map(|agenda| find_earlier_task(agenda, &task.query));
        }
        Ok(())
    }
}

fn find_earlier_task(agenda: &Agenda, query: &str) -> Option<EarlierTask> {
    let at = agenda.approved?;
    let done = agenda.tasks.iter().filter(|task| task.status == TaskStatus::Done && !task.was_left_out());
    let same = done.into_iter().find(|task| is_same_topic(&task.query, query))?;
    Some(EarlierTask { at, agenda_id: agenda.id.clone(), query: same.query.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_words_in_another_form_are_the_same_topic() {
        for (one, other, same) in [
            ("varroa mites", "Varroa mite", true),
            ("winter losses of bees", "bees: winter loss", true),
            ("varroa treatment", "varroa", false),
            ("oxalic acid dosage", "formic acid dosage", false),
            ("", "", false),
        ] {
            assert_eq!(is_same_topic(one, other), same, "{one} / {other}");
        }
    }
}
