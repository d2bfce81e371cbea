//! How much each sign counts, in one place. Every weight is between 0 and 1: how far the sign alone settles the matter.
//!
//! A frame of a trace says where it happened, a message where it was said, a name what it is about, words only what it
//! sounds like. The signs of a file are joined as chances are that do not depend on each other, so that two signs are more
//! than either and no number of weak ones is certain.

/// The innermost frame that is ours; each one further out counts this much of the one before it, but never less than the
/// least.
pub const FRAME: f32 = 0.9;
pub const FRAME_OUTWARD: f32 = 0.85;
pub const FRAME_LEAST: f32 = 0.15;
/// A frame that names a function and no file.
pub const FRAME_WITHOUT_FILE: f32 = 0.6;
/// A file that the text names by its path.
pub const PATH: f32 = 0.75;
/// Only the file's name fits, and its folder does not.
pub const NAMESAKE: f32 = 0.35;
/// A definition that the text names: marked as code or qualified, or by its spelling alone.
pub const NAME_MARKED: f32 = 0.65;
pub const NAME_SPELLED: f32 = 0.5;
/// A definition whose name holds the name.
pub const NAME_ALIKE: f32 = 0.15;
/// A file that uses what the text names and the repository does not define.
pub const NAME_USED: f32 = 0.3;
/// A source line that holds a message as a whole.
pub const MESSAGE: f32 = 0.85;
/// A message in a comment or in prose, which speaks of it and does not print it.
pub const MESSAGE_TOLD: f32 = 0.4;
/// The passage whose words fit best; the others in proportion.
pub const WORDS: f32 = 0.45;

/// What is left of a test's weight: it shows that something fails, seldom why. One that is named by its path keeps all.
pub const OF_A_TEST: f32 = 0.45;
/// What is left of a text's: it describes, and does nothing.
pub const OF_PROSE: f32 = 0.5;

/// Below this a file is not worth listing beside one that is sure.
pub const LEAST: f32 = 0.03;
