//! The user's decisions, as a type: proof that the user decided, and not a model.

/// Proof that the user decided something: approved an agenda, accepted or dismissed a finding, confirmed an edit.
///
/// Whatever acts on a decision takes this as an argument. Only the places through which the user speaks make one, and a
/// structure test lists them; nothing that a model says or calls for becomes one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UserDecision(DecidedBy);

/// How the user decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DecidedBy {
    /// With a command in a terminal or a script.
    Command,
    /// With a request to the server that has the token or a browser's session.
    Request,
    /// By confirming what a model proposed, after it was shown.
    Confirmation,
    /// By answering the question that a client, such as an editor, put to the user.
    Question,
    /// In advance, with a setting.
    Setting,
    /// Earlier: it is only being completed.
    Earlier,
}

impl UserDecision {
    /// A decision that the user made in this way.
    pub const fn new(by: DecidedBy) -> Self {
        Self(by)
    }

    /// How the user decided.
    pub const fn decided_by(self) -> DecidedBy {
        self.0
    }
}
