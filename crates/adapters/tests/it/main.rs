//! The vault's files on a real disk: what they do, and that nothing is lost whatever happens. A repository's files, and
//! what is heard of changes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]

mod changes;
mod contract;
mod crash;
mod faults;
mod faulty;
mod ground;
mod links;
mod meanwhile;
mod power;
mod race;
mod recovery;
mod repository;
mod watcher;
