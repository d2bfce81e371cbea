//! A small model on this machine that finds the answer to a question in a text.

/// A small model on this machine that reads a question beside the pieces of a text. Nothing is sent anywhere, and on the same
/// kind of processor the same words give the same answer.
pub trait AnswerReader: Send + Sync {
    /// How well each piece answers the question: above zero, it rather does than not. The context is what the text is part
    /// of, such as the name of its note and the heading above it.
    fn read(&self, question: &str, context: &str, pieces: &[String]) -> Vec<f32>;
}
