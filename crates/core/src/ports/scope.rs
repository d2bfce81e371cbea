//! Which part of the index is asked: all of it, or what may leave this machine.

/// Whether passages of private files are included.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PassageScope {
    /// All passages.
    #[default]
    All,
    /// Only passages of public files. Their scores do not depend on private files.
    Public,
}
