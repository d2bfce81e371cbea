//! The adapters against the real thing: the vault's files on a real disk, of which nothing is lost whatever happens;
//! a repository's files, and what is heard of changes; the index; the records; the embedding model; a server on this machine.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]

mod changes;
mod citing;
mod contract;
mod crash;
mod embedding;
mod endpoint;
mod faults;
mod faulty;
mod ground;
mod index_crash;
mod index_damage;
mod index_files;
mod index_many;
mod index_places;
mod index_steps;
mod language_models;
mod language_models_failing;
mod language_models_odd;
mod links;
mod meanwhile;
mod model_store;
mod power;
mod race;
mod recheck;
mod recheck_git;
mod recheck_many;
mod records_crash;
mod records_damage;
mod recovery;
mod repository;
mod services;
mod shelf;
mod speech;
mod stems;
mod watcher;
