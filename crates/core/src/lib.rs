//! The domain of Wellread: what a vault, a change and a tool are, and what the outside world must offer.
//!
//! Nothing here does I/O, reads the environment or knows a wire format: the outside world is the handful of
//! traits in [`ports`]. A group uses only the floors below its own; a test reads the sources and keeps that.
#![forbid(unsafe_code)]
#![warn(missing_docs)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used))]

pub mod agendas;
pub mod code;
pub mod domain;
pub mod engine;
pub mod faces;
pub mod insight;
pub mod library;
pub mod ports;
pub mod research;
pub mod trust;

pub use domain::error::{Error, ErrorKind, Result, WayOut};
