//! Names in questions about code, in every form in which a codebase can be asked for them.

use serde_json::json;
use wellread_core::research::{CodeRecipe, CodeRequest};
use wellread_testkit::World;

use crate::ask::ok;

fn shop(code: &str) -> World {
    let world = World::new("-- Home.md\n# Home\n").with_repository("shop", code);
    world.index();
    world
}

fn answer(world: &World, question: &str) -> String {
    let ctx = world.ctx();
    let request = CodeRequest { question: question.to_owned(), ..CodeRequest::default() };
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    let call = std::pin::pin!(ctx.research.start(&CodeRecipe, ctx.recipe_context(), request));
    match call.poll(&mut context) {
        std::task::Poll::Ready(answer) => answer.unwrap().answer,
        std::task::Poll::Pending => panic!("it waits"),
    }
}

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
