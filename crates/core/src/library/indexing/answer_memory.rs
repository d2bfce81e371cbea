//! Answers that were computed from one version of the index, kept for when the same is asked again.

use std::any::Any;
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use crate::Result;

/// How much is kept, counted in rows of answers.
const MOST_ROWS: usize = 100_000;

/// A memory of answers. Each library has one of its own, which begins empty where a library is cloned: a view without private
/// notes or with fewer repositories knows nothing that was computed from the whole library.
#[derive(Default)]
pub struct AnswerMemory(Mutex<KeptAnswers>);

impl Clone for AnswerMemory {
    fn clone(&self) -> Self {
        Self::default()
    }
}

#[derive(Default)]
struct KeptAnswers {
    /// The version of the index that all of them were computed from.
    version: u64,
    answers: HashMap<String, Arc<dyn Any + Send + Sync>>,
    rows: usize,
}

impl AnswerMemory {
    /// The answer that is known by this key for this version of the index, or what `compute` returns, with how many rows it has.
    /// A key stands for one type of answers.
    pub fn find_or_compute<T: Any + Send + Sync>(
        &self,
        version: u64,
        key: String,
        compute: impl FnOnce() -> Result<(T, usize)>,
    ) -> Result<Arc<T>> {
        if let Some(known) = self.find(version, &key) {
            return Ok(known);
        }
        let (answer, rows) = compute()?;
        let answer = Arc::new(answer);
        self.keep(version, key, answer.clone(), rows);
        Ok(answer)
    }

    fn find<T: Any + Send + Sync>(&self, version: u64, key: &str) -> Option<Arc<T>> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = kept.answers.get(key).filter(|_| kept.version == version)?;
        known.clone().downcast().ok()
    }

    /// Where there is no room, all others are dropped.
    fn keep(&self, version: u64, key: String, answer: Arc<dyn Any + Send + Sync>, rows: usize) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.version > version || rows > MOST_ROWS {
            return;
        }
        if kept.version < version || kept.rows + rows > MOST_ROWS {
            *kept = KeptAnswers { version, ..KeptAnswers::default() };
        }
        kept.rows += rows;
        kept.answers.insert(key, answer);
    }
}

impl fmt::Debug for AnswerMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AnswerMemory").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;

    fn ask(memory: &AnswerMemory, version: u64, key: &str, rows: usize, answer: u32) -> u32 {
        *memory.find_or_compute(version, key.to_owned(), || Ok((answer, rows))).unwrap()
    }

    #[test]
    fn an_answer_holds_for_one_version_and_one_key() {
        let memory = AnswerMemory::default();
        assert_eq!(ask(&memory, 1, "a", 1, 10), 10);
        assert_eq!(ask(&memory, 1, "a", 1, 11), 10);
        assert_eq!(ask(&memory, 1, "b", 1, 12), 12);
        assert_eq!(ask(&memory, 2, "a", 1, 13), 13);
        // A slow question from before is answered, and changes nothing.
        assert_eq!(ask(&memory, 1, "a", 1, 14), 14);
        assert_eq!(ask(&memory, 2, "a", 1, 15), 13);
    }

    #[test]
    fn a_clone_remembers_nothing() {
        let memory = AnswerMemory::default();
        assert_eq!(ask(&memory, 1, "a", 1, 10), 10);
        assert_eq!(ask(&memory.clone(), 1, "a", 1, 11), 11);
        assert_eq!(ask(&memory, 1, "a", 1, 12), 10);
    }

    #[test]
    fn memory_is_bounded_and_errors_are_not_kept() {
        let memory = AnswerMemory::default();
        assert_eq!(ask(&memory, 1, "a", MOST_ROWS - 1, 1), 1);
        assert_eq!(ask(&memory, 1, "b", 1, 2), 2);
        assert_eq!(ask(&memory, 1, "a", 1, 3), 1);
        assert_eq!(ask(&memory, 1, "c", 1, 4), 4);
        assert_eq!(ask(&memory, 1, "a", 1, 5), 5);
        assert_eq!(ask(&memory, 1, "d", MOST_ROWS + 1, 6), 6);
        assert_eq!(ask(&memory, 1, "d", 1, 7), 7);
        let failed = memory.find_or_compute::<u32>(1, "e".to_owned(), || Err(Error::failed("no")));
        assert!(failed.is_err());
        assert_eq!(ask(&memory, 1, "e", 1, 8), 8);
    }
}
