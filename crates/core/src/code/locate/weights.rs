//! The weight of each signal. Every weight is between 0 and 1: the confidence in a file that the signal alone gives.
//!
//! A frame of a stack trace says where it happened, a message where it was printed, a name what it is about, words only
//! what it resembles. The signals of a file are combined like independent probabilities, so that two signals count more
//! than either, and no number of weak ones is certain.

/// The innermost frame in the repository. Each one further out has the weight of the one before it times
/// `FRAME_OUTWARD`, but at least `FRAME_LEAST`.
pub const FRAME: f32 = 0.9;
pub const FRAME_OUTWARD: f32 = 0.85;
pub const FRAME_LEAST: f32 = 0.15;
/// A frame that names a function and no file.
pub const FRAME_WITHOUT_FILE: f32 = 0.6;
/// A file that the text names by its path.
pub const PATH: f32 = 0.75;
/// A file of which only the name matches, and not the folder.
pub const NAMESAKE: f32 = 0.35;
/// A definition that the text names: marked as code or qualified (`NAME_MARKED`), or only spelled like a name.
pub const NAME_MARKED: f32 = 0.65;
pub const NAME_SPELLED: f32 = 0.5;
/// A definition named by one plain word in backticks, which may mean something else; less for an everyday word.
pub const NAME_PLAIN: f32 = 0.35;
pub const NAME_EVERYDAY: f32 = 0.15;
/// A definition whose name contains the name in the text.
pub const NAME_ALIKE: f32 = 0.15;
/// A file that uses a name in the text which the repository does not define.
pub const NAME_USED: f32 = 0.3;
/// A source line that contains the whole message in a string.
pub const MESSAGE: f32 = 0.85;
/// A message in a comment or in prose, where it is not printed.
pub const MESSAGE_TOLD: f32 = 0.4;
/// A source line that has an option of the text, such as `--no-cache`.
pub const OPTION: f32 = 0.6;
/// The file whose best passages match the words best; the others in proportion.
pub const WORDS: f32 = 0.45;

/// The factor for a test, which shows that something fails, but seldom why. Not applied to a file named by its path.
pub const OF_A_TEST: f32 = 0.45;
/// The factor for prose, which describes and does nothing.
pub const OF_PROSE: f32 = 0.4;
/// The factor for examples and scripts, which use the program and are no part of it.
pub const OF_AN_EXTRA: f32 = 0.5;

/// The lowest score of a file that is listed.
pub const LEAST: f32 = 0.03;
