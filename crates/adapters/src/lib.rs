//! The outside world, one module for each thing: it fulfils the traits of `wellread_core::ports` and holds no
//! policy of its own.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used))]

pub mod background;
pub mod clock;
pub mod embed;
mod file_lock;
pub mod files;
mod full_disk;
pub mod http;
pub mod index;
mod index_format;
pub mod llm;
pub mod lsp;
pub mod memory;
pub mod otlp;
pub mod outside_text;
pub mod platform;
pub mod postgres;
#[cfg(feature = "built-in-model")]
pub mod reader;
pub mod record_copy;
mod record_format;
pub mod records;
pub mod repository;
pub mod speech;
mod sqlite;
#[cfg(feature = "built-in-model")]
pub mod verifier;
pub mod watcher;
pub mod web;
