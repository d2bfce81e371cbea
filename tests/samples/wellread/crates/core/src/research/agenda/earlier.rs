//! Whether two queries are about the same: so that nothing is researched twice unseen, and what was suppressed stays so.

use std::collections::BTreeSet;

use wellread_text::telling_words;

use super::super::Research;
use crate::Result;
use crate::agenda::{Agenda, Earlier, Task, TaskStatus};
use crate::ports::WhichAgendas;

/// How many agendas are looked back on.
const LOOKED_BACK: usize = 500;
/// How many of the words of both must be the same.
const SAME: f64 = 0.66;

/// Whether both speak of the same thing: most of their words are the same, whatever their order and form.
pub fn is_same_topic(one: &str, other: &str) -> bool {
    let words = |text: &str| telling_words(text).into_iter().collect::<BTreeSet<String>>();
    let (one, other) = (words(one), words(other));
    let shared = one.intersection(&other).count();
    let all = one.union(&other).count();
    all > 0 && shared as f64 >= SAME * all as f64
}

impl Research {
    /// The queries that are not to be proposed any more.
    pub(super) fn suppressed(&self) -> Result<Vec<String>> {
        Ok(self.agendas.topics()?.into_iter().map(|known| known.topic).collect())
    }

    /// The last task about the same that was carried out.
    pub(super) fn earlier(&self, tasks: &mut [Task]) -> Result<()> {
        let agendas = self.agendas.agendas(WhichAgendas::All, LOOKED_BACK)?;
        for task in tasks {
            task.earlier = agendas.iter().find_map(|agenda| carried_out(agenda, &task.query));
        }
        Ok(())
    }
}

fn carried_out(agenda: &Agenda, query: &str) -> Option<Earlier> {
    let at = agenda.approved?;
    let done = agenda.tasks.iter().filter(|task| task.status == TaskStatus::Done && !task.was_left_out());
    let same = done.into_iter().find(|task| is_same_topic(&task.query, query))?;
    Some(Earlier { at, agenda_id: agenda.id.clone(), query: same.query.clone() })
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
