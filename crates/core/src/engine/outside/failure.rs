//! Turns a web failure into the error of a request that needs the web.

use crate::ports::WebFailure;
use crate::{Error, ErrorKind};

impl From<WebFailure> for Error {
    fn from(failure: WebFailure) -> Self {
        match failure {
            WebFailure::NotSetUp { message, hint } | WebFailure::Key { message, hint } => {
                Self::new(ErrorKind::NotSetUp, message).hint(hint)
            }
            WebFailure::Blocked { message } => Self::new(ErrorKind::Unavailable, message)
                .hint("try again later, or choose another service with `search.services`"),
            WebFailure::Busy { message, .. } | WebFailure::Unreachable { message } => {
                Self::new(ErrorKind::Unavailable, message).hint("try again later")
            }
            WebFailure::Refused { message } => Self::refused(message),
            WebFailure::TooLarge { message } | WebFailure::Broken { message } => {
                Self::new(ErrorKind::Unavailable, message)
            }
        }
    }
}
