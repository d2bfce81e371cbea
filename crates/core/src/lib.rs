//! The domain of Wellread: what a vault, a change and a tool are, and what the outside world must offer.
//!
//! Nothing here does I/O, reads the environment or knows a wire format: the outside world is the handful of
//! traits in [`ports`]. A module uses only the floors above its own; a test reads the sources and keeps that:
//!
//! ```text
//! error  id
//! corpus            what there is: hashes, paths, changes, operations
//! ports             what the outside world offers, one page of traits
//! indexing          keeping the index level with the files
//! search vault      finding passages; what can be done to a vault
//! tools             the catalogue: each tool declared once
//! ```
#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used))]

pub mod corpus;
pub mod error;
pub mod id;
pub mod indexing;
pub mod ports;
pub mod search;
pub mod tools;
pub mod vault;

pub use error::{Error, Kind, Result};
