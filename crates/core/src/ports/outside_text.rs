//! What is remembered about text from outside that was copied into notes.

use crate::Result;

/// The fingerprint of a line of text, from which the text can't be restored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LineDigest(pub u64);

/// Remembers which lines came from outside the vault, so that they are recognized in any note, for good: after a move,
/// an undo, or a rebuild of the index.
pub trait OutsideText: Send + Sync {
    /// Remembers these lines. They are stored durably before the call returns.
    fn remember(&self, lines: &[LineDigest]) -> Result<()>;

    /// Whether each of these lines is remembered, in their order.
    fn are_known(&self, lines: &[LineDigest]) -> Result<Vec<bool>>;
}

/// Remembers nothing: for a corpus without notes.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoOutsideText;

impl OutsideText for NoOutsideText {
    fn remember(&self, _lines: &[LineDigest]) -> Result<()> {
        Ok(())
    }

    fn are_known(&self, lines: &[LineDigest]) -> Result<Vec<bool>> {
        Ok(vec![false; lines.len()])
    }
}
