//! What the web's failures are to whoever asked for something that needs it.

use crate::ports::WebFailure;
use crate::{Error, Kind};

impl From<WebFailure> for Error {
    fn from(failure: WebFailure) -> Self {
        match failure {
            WebFailure::NotSetUp { message, hint } | WebFailure::Key { message, hint } => {
                Self::new(Kind::NotSetUp, message).hint(hint)
            }
            WebFailure::Blocked { message } => Self::new(Kind::Unavailable, message)
                .hint("try again later, or choose another service with `search.services`"),
            WebFailure::Busy { message, .. } | WebFailure::Unreachable { message } => {
                Self::new(Kind::Unavailable, message).hint("try again later")
            }
            WebFailure::Refused { message } => Self::refused(message),
            WebFailure::TooLarge { message } | WebFailure::Broken { message } => {
                Self::new(Kind::Unavailable, message)
            }
        }
    }
}
