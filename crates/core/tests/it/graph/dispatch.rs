//! Calls that may run a member although they name what it implements or overrides.

use wellread_core::code::graph::{Direction, EdgeKind, EdgeReason};

use super::program::Program;

const TYPESCRIPT: &str = "\
-- store.ts
export interface Store {
  save(key: string): void;
}
export class FileStore implements Store {
  constructor() {}
  save(key: string): void {}
}
export class Service {
  constructor(private store: Store) {}
  run(): void {
    this.store.save('a');
  }
}
";

const RUST: &str = "\
-- Cargo.toml
[package]
name = \"shapes\"
-- src/lib.rs
pub trait Form {
    fn area(&self) -> f64;
}
pub struct Square {
    side: f64,
}
impl Form for Square {
    fn area(&self) -> f64 {
        self.side * self.side
    }
}
impl Square {
    fn side(&self) -> f64 {
        self.side
    }
}
pub fn total(shape: &dyn Form) -> f64 {
    shape.area()
}
";

const PYTHON: &str = "\
-- jars.py
class Jar:
    def __init__(self):
        pass

    def weigh(self):
        return 1


class Bowl(Jar):
    def __init__(self):
        super().__init__()

    def weigh(self):
        return super().weigh() + 1


def scale(jar: Jar):
    return jar.weigh()


def fill():
    return Jar()
";

/// What may call a symbol without an edge to it, as `from:line`.
fn possible(program: &Program, name: &str) -> Vec<String> {
    let symbol = program.codebase.resolve_symbol(name).unwrap();
    let found = program.expand(&symbol, Direction::In, &[EdgeKind::Calls]);
    assert!(found.unknown.iter().all(|open| open.why == EdgeReason::Overridden), "{found:?}");
    if !found.unknown.is_empty() {
        assert!(found.unknown.iter().all(|open| open.candidates.contains(&symbol.id.0)), "{found:?}");
        assert!(found.notice.unwrap().contains("may call it: see `unknown`"));
    }
    found.unknown.iter().map(|open| format!("{}:{}", open.from, open.line)).collect()
}

#[test]
fn who_calls_an_interface_may_call_what_implements_it() {
    let typescript = Program::parse(TYPESCRIPT);
    assert_eq!(possible(&typescript, "FileStore.save"), ["store.ts::Service.run:11"]);
    let rust = Program::parse(RUST);
    assert_eq!(possible(&rust, "Square.area"), ["src/lib.rs::total:18"]);
    assert_eq!(possible(&rust, "Square.side"), [""; 0]);
}

#[test]
fn who_calls_a_base_may_call_what_overrides_it_but_not_through_super() {
    let program = Program::parse(PYTHON);
    assert_eq!(possible(&program, "Bowl.weigh"), ["jars.py::scale:18"]);
    // Whoever makes a `Jar` makes no `Bowl`.
    assert_eq!(possible(&program, "Bowl.__init__"), [""; 0]);
}
