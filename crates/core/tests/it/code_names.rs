//! Names in questions about code, in every form in which a codebase can be asked for them.

use serde_json::json;

use crate::ask::ok;
use crate::code_relations::{answer, shop};

const PRIVATE: &str = "-- hive.js
export class Hive {
  #sort(jar) {
    return jar
  }

  fill(jar) {
    return this.#sort(jar)
  }
}
-- shelf.js
export function shelf(jars) {
  function sort(jar) {
    return jar
  }
  return jars.map((jar) => sort(jar))
}
";

#[test]
fn a_private_member_is_found_by_its_name_with_the_hash() {
    let world = shop(PRIVATE);
    for (symbol, id) in [
        ("Hive.#sort", "hive.js::Hive.#sort"),
        ("#sort", "hive.js::Hive.#sort"),
        ("hive.js::Hive.#sort", "hive.js::Hive.#sort"),
        ("Hive##sort", "hive.js::Hive.#sort"),
        ("shelf#sort", "shelf.js::shelf.sort"),
        ("#shelf", "shelf.js::shelf"),
    ] {
        let found = ok(&world, "find_symbol", json!({ "symbol": symbol }));
        let definitions = found["definitions"].as_array().unwrap();
        assert_eq!(definitions.len(), 1, "{symbol}: {found}");
        assert_eq!(definitions[0]["id"], id, "{symbol}: {found}");
    }
}

#[test]
fn a_question_names_a_private_member() {
    let world = shop(PRIVATE);
    for question in ["what calls Hive.#sort?", "what calls #sort?", "Who uses `Hive.#sort`?"] {
        let answer = answer(&world, question);
        assert!(answer.contains("`fill` calls `#sort`"), "{question}\n{answer}");
        assert!(!answer.contains("shelf.js"), "{question}\n{answer}");
    }
}

const PROGRAM: &str = "-- press/__init__.py
from press.main import run
-- press/main.py
from press.server import Server


def run():
    Server().serve()
-- press/reload.py
class Reload:
    def run(self):
        pass
-- press/server.py
class Server:
    def serve(self):
        self.startup()

    def startup(self):
        pass
";

#[test]
fn a_path_is_asked_for_by_any_name_that_the_graph_takes() {
    let world = shop(PROGRAM);
    for from in ["press/main.py::run", "main.py::run", "main.run", "press.main.run", "press.run"] {
        for question in [
            format!("How does {from} reach Server.startup?"),
            format!("How does `{from}` get to Server.startup?"),
        ] {
            let answer = answer(&world, &question);
            assert!(answer.starts_with("### How it fits together"), "{question}\n{answer}");
            assert!(answer.contains("`run` calls `serve`"), "{question}\n{answer}");
            assert!(!answer.contains("is not defined"), "{question}\n{answer}");
            assert!(!answer.contains("No path"), "{question}\n{answer}");
        }
        let traced = ok(&world, "graph_trace", json!({ "from": from, "to": "Server.startup" }));
        assert_eq!(traced["found"], true, "{from}: {traced}");
    }
}
