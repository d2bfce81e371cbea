//! A helper program of the tests: what their child processes do. `children crash "change 3 17 /tmp/x"` does what `child` of
//! `tests/it/crash.rs` does. It is no example of how to use the crate; only examples may use what tests use.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]
#![allow(dead_code, unused_imports, reason = "of each module of the tests, the child alone is used here")]

#[path = "../tests/it/agendas.rs"]
mod agendas;
#[path = "../tests/it/changes.rs"]
mod changes;
#[path = "../tests/it/children.rs"]
mod children;
#[path = "../tests/it/crash.rs"]
mod crash;
#[path = "../tests/it/faulty.rs"]
mod faulty;
#[path = "../tests/it/ground.rs"]
mod ground;
#[path = "../tests/it/index_crash.rs"]
mod index_crash;
#[path = "../tests/it/index_many.rs"]
mod index_many;
#[path = "../tests/it/index_places.rs"]
mod index_places;
#[path = "../tests/it/postgres_crash.rs"]
mod postgres_crash;
#[path = "../tests/it/postgres_index_shared.rs"]
mod postgres_index_shared;
#[path = "../tests/it/postgres_server.rs"]
mod postgres_server;
#[path = "../tests/it/race.rs"]
mod race;
#[path = "../tests/it/records_crash.rs"]
mod records_crash;
#[path = "../tests/it/records_versions.rs"]
mod records_versions;
#[path = "../tests/it/shelf.rs"]
mod shelf;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [module, order] = args.as_slice() else { panic!("a module and an order, not {args:?}") };
    let (_, child) = children::CHILDREN.iter().find(|(name, _)| name == module).unwrap();
    child(order);
}
