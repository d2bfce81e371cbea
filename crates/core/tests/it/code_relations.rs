//! Questions about how code is connected, answered without a model: every edge that the graph knows is shown or counted.

use std::sync::Arc;

use serde_json::json;
use wellread_core::engine::second_opinion::OpinionSources;
use wellread_core::ports::{SupportShares, Verifier};
use wellread_core::research::{CodeRecipe, CodeRequest};
use wellread_testkit::World;

/// A verifier that doubts whatever it reads.
struct Doubter;

impl Verifier for Doubter {
    fn read(&self, _: &str, _: &str) -> SupportShares {
        SupportShares { supported: 0.0, contradicted: 0.0, not_said: 1.0 }
    }
}

/// A vault with a repository of this code, indexed.
pub fn shop(code: &str) -> World {
    let world = World::new("-- Home.md\n# Home\n").with_repository("shop", code);
    world.index();
    world
}

fn doubted(code: &str) -> World {
    let mut world = shop(code);
    world.opinions = OpinionSources { verifier: Some(Arc::new(Doubter)), ..OpinionSources::default() };
    world
}

/// The answer to a question about the shop, without a model.
pub fn answer(world: &World, question: &str) -> String {
    let ctx = world.ctx();
    let request = CodeRequest { question: question.to_owned(), ..CodeRequest::default() };
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    let call = std::pin::pin!(ctx.research.start(&CodeRecipe, ctx.recipe_context(), request));
    match call.poll(&mut context) {
        std::task::Poll::Ready(answer) => answer.unwrap().answer,
        std::task::Poll::Pending => panic!("it waits"),
    }
}

/// The part of an answer under a heading.
fn part<'a>(answer: &'a str, heading: &str) -> &'a str {
    let (_, rest) = answer.split_once(&format!("### {heading}\n")).unwrap_or_else(|| panic!("{answer}"));
    rest.split("\n### ").next().unwrap().split("\nCitations:").next().unwrap()
}

const PRESS: &str = "-- press.rs
struct Press;

impl Press {
    fn is_done(&self) -> bool {
        true
    }

    fn limit(&self, most: u32) -> u32 {
        most
    }
}

fn wait(press: &Press) {
    if !press.is_done() && std::env::args().count() > 1 {
        drop(press);
    }
}

fn measure(press: &Press) -> u32 {
    match 3 {
        3 => press
            .limit(
                7,
            ),
        other => other,
    }
}

fn step50() {}

fn step49() {
    step50();
}

fn step48() {
    step49();
}
";

#[test]
fn an_edge_is_shown_by_its_line_whatever_a_reader_makes_of_the_sentence_about_it() {
    let world = doubted(PRESS);
    for (question, heading, code, place) in [
        ("What calls is_done?", "Called by", "!press.is_done() && std::env::args()", "`press.rs:14-16`"),
        ("What calls limit()?", "Called by", "`.limit`", "`press.rs:22`"),
        ("What calls step50?", "Called by", "step50();", "`press.rs:32`"),
        ("How does step48 reach step50?", "How it fits together", "step49();", "`press.rs:36`"),
    ] {
        let answer = answer(&world, question);
        let part = part(&answer, heading);
        assert!(part.contains(code) && part.contains(place), "{question}\n{answer}");
        assert!(!answer.contains("### Not shown"), "{question}\n{answer}");
    }
}

#[test]
fn what_is_not_shown_is_counted_and_can_be_listed() {
    let mut code = "-- press.py\ndef squeeze():\n    pass\n".to_owned();
    for number in 0..3 {
        code.push_str(&format!(
            "-- tests/test_{number}.py\nfrom press import squeeze\n\ndef test_it():\n    squeeze()\n"
        ));
    }
    for number in 0..9 {
        code.push_str(&format!(
            "-- use_{number}.py\nfrom press import squeeze\n\ndef use_it():\n    squeeze()\n"
        ));
    }
    let answer = answer(&shop(&code), "What calls squeeze()?");
    let callers = part(&answer, "Called by");
    assert_eq!(callers.matches("calls `squeeze`").count(), 8, "{answer}");
    assert!(!callers.contains("tests/"), "{answer}");
    let command = "wellread graph expand press.py::squeeze --direction in --kinds calls --repo shop";
    let left_out = format!("- Called by: 8 of 12 are shown. All of them: `{command}`");
    assert!(part(&answer, "Not shown").contains(&left_out), "{answer}");
}

#[test]
fn a_long_path_is_shown_as_far_as_there_is_room() {
    let mut code = "-- chain.py\ndef stage_30():\n    pass\n".to_owned();
    for number in 0..30 {
        code.push_str(&format!("\n\ndef stage_{number}():\n    return stage_{}()\n", number + 1));
    }
    let answer = answer(&shop(&code), "How does stage_0 reach stage_30?");
    let shown = part(&answer, "How it fits together").matches(" calls ").count();
    let command = "`wellread graph trace chain.py::stage_0 chain.py::stage_30 --repo shop`";
    let left_out = format!("{shown} of 30 are shown. All of them: {command}");
    assert!(shown > 5 && answer.contains(&left_out), "{answer}");
}

#[test]
fn a_declaration_and_an_import_are_no_second_definition() {
    let c = "-- jar.h
void fill_jar(int grams);
void drop_jar(int grams);
-- jar.c
#include \"jar.h\"
void fill_jar(int grams) { grams += 1; }
void drop_jar(int grams) { grams -= 1; }
-- main.c
#include \"jar.h\"
int main(void) { fill_jar(3); return 0; }
";
    let js = "-- jar.js
function fillJar () { return 1 }
function dropJar () { return 2 }
module.exports = { fillJar }
-- shelf.js
const { fillJar } = require('./jar')
const dropJar = require('./jar').dropJar
function fillAll () { return fillJar() }
module.exports = { fillAll }
-- cellar.js
const fillJar = require('./jar').fillJar
const dropJar = require('./jar').dropJar
module.exports = { fillJar }
";
    for (code, called, caller, uncalled) in
        [(c, "fill_jar", "main", "drop_jar"), (js, "fillJar", "fillAll", "dropJar")]
    {
        let world = shop(code);
        let found = answer(&world, &format!("What calls {called}?"));
        assert!(found.contains(&format!("- `{caller}` calls `{called}`")), "{found}");
        assert!(!found.contains("no call to it was found"), "{found}");
        let none = answer(&world, &format!("What calls {uncalled}?"));
        assert_eq!(none.matches("no call to it was found").count(), 1, "{none}");
    }
}

const JARS: &str = "-- jars.py
class Jar:
    def __init__(self, grams):
        self.grams = grams

    def weigh(self):
        return self.grams


class Pot(Jar):
    pass


class Bowl(Jar):
    def weigh(self):
        return super().weigh() + 1


def fill():
    return Jar(3)


def bake():
    pot = Pot(4)
    return _stir(pot)


def _stir(pot):
    return pot.weigh()


def Search():
    return bake()
";

#[test]
fn who_creates_a_value_calls_its_class() {
    let world = shop(JARS);
    for (class, caller, other) in
        [("Jar", "`fill` calls `Jar`", "`bake`"), ("Pot", "`bake` calls `Pot`", "`fill`")]
    {
        let answer = answer(&world, &format!("What calls {class}()?"));
        let callers = part(&answer, "Called by");
        assert!(callers.contains(caller) && !callers.contains(other), "{answer}");
        assert!(!answer.contains("no call to it was found"), "{answer}");
        let asked = json!({ "symbol": class, "direction": "in", "kinds": ["calls"] });
        let found = world.call_tool("graph_expand", asked);
        assert_eq!(found["edges"][0]["to"], "jars.py::Jar.__init__", "{found}");
        assert!(found["notice"].is_null() && found["tree"].as_str().unwrap().contains("calls ←"), "{found}");
    }
    let traced = world.call_tool("graph_trace", json!({ "from": "Search", "to": "Pot" }));
    assert_eq!(traced["found"], true, "{traced}");
    assert!(traced["notice"].is_null(), "{traced}");
}

#[test]
fn the_direction_and_the_kind_of_a_question_are_those_of_its_answer() {
    let world =
        shop(&format!("{JARS}-- Board.java\ninterface Shelf {{ }}\nclass Board implements Shelf {{ }}\n"));
    for (question, heading, item) in [
        ("What does bake call?", "Calls", "- `bake` calls `_stir`: `return _stir(pot)`"),
        ("Which functions does `Search` call?", "Calls", "- `Search` calls `bake`"),
        (
            "What implements Jar?",
            "Implemented or inherited by",
            "- `Pot` inherits from `Jar`: `class Pot(Jar):`",
        ),
        ("Which classes inherit from Jar?", "Implemented or inherited by", "- `Bowl` inherits from `Jar`"),
        (
            "What implements Shelf?",
            "Implemented or inherited by",
            "- `Board` implements `Shelf`: `class Board implements Shelf",
        ),
        ("What does Pot inherit from?", "Implements or inherits from", "- `Pot` inherits from `Jar`"),
        ("What calls _stir?", "Called by", "- `bake` calls `_stir`"),
        ("How does Search reach _stir?", "How it fits together", "- `Search` calls `bake`"),
    ] {
        let answer = answer(&world, question);
        assert!(part(&answer, heading).contains(item), "{question}\n{answer}");
        assert_eq!(answer.contains("### Called by"), heading == "Called by", "{question}\n{answer}");
    }
    let none = answer(&world, "What implements Bowl?");
    assert!(none.contains("Nothing that implements `Bowl` or inherits from it was found"), "{none}");
}

#[test]
fn a_name_that_looks_like_a_word_is_a_name_where_a_symbol_has_it() {
    let world = shop("-- main.go\npackage main\n\nfunc Fill() {}\n\nfunc main() {\n\tFill()\n}\n");
    let found = answer(&world, "What calls Fill?");
    assert!(part(&found, "Called by").contains("- `main` calls `Fill`"), "{found}");
    let path = answer(&world, "How does main reach Fill?");
    assert!(part(&path, "How it fits together").contains("- `main` calls `Fill`"), "{path}");
    let none = answer(&world, "What calls Empty?");
    assert!(none.contains("- `Empty` is not defined in the searched files"), "{none}");
}

#[test]
fn two_methods_with_one_name_are_told_apart_by_their_types() {
    let code = "-- pipe.py
class Inner:
    def drain(self):
        return 1


class Outer:
    def __init__(self):
        self.inner = Inner()

    def drain(self):
        return self.inner.drain()


def start():
    outer = Outer()
    return outer.drain()
";
    let answer = answer(&shop(code), "How does start reach Inner.drain?");
    let path = part(&answer, "How it fits together");
    assert!(path.contains("- `Outer.drain` calls `Inner.drain`: `return self.inner.drain()`"), "{answer}");
}

#[test]
fn the_place_of_a_definition_is_all_of_it() {
    let mut code = "-- press.py\n# Presses grapes.\ndef press_grapes(basket):\n    total = 0\n".to_owned();
    for number in 0..90 {
        code.push_str(&format!("    total += basket.weigh({number})\n"));
    }
    code.push_str(
        "    if total > 900:\n        raise ValueError(\"the basket is too heavy\")\n    return total\n",
    );
    let answer = answer(&shop(&code), "What does press_grapes do with a basket?");
    let place = part(&answer, "Relevant code");
    assert!(place.contains("(`press.py:1-96`)"), "{answer}");
}

#[test]
fn a_message_is_found_as_it_is_written_and_shown() {
    let mut code = "-- errors.js\nconst messages = {\n".to_owned();
    for number in 0..60 {
        code.push_str(&format!(
            "  ERR_{number}: 'The basket number {number} is not heavy enough to be set',\n"
        ));
    }
    code.push_str("  ERR_EMPTY: \"The basket is not set to 'heavy/grapes'\"\n}\n");
    code.push_str(
        "-- basket.js\nfunction setBasket (basket) {\n  basket.isSet = true\n  return basket.heavy\n}\n",
    );
    let asked = "Where does the message \"The basket is not set to 'heavy/grapes'\" come from?";
    for world in [shop(&code), doubted(&code)] {
        let answer = answer(&world, asked);
        let first = part(&answer, "Relevant code");
        assert!(first.contains("ERR_EMPTY: \"The basket is not set"), "{answer}");
    }
}

#[test]
fn who_may_call_it_is_shown_apart_from_who_does() {
    let code = "-- store.ts
export interface Store {
  save(key: string): void;
}
export class FileStore implements Store {
  save(key: string): void {}
}
export class Service {
  constructor(private store: Store) {}
  run(): void {
    this.store.save('a');
  }
}
export function b() {}
export const table = { go: b };
";
    let world = shop(code);
    let found = answer(&world, "What calls FileStore.save?");
    assert!(
        part(&found, "May be called by").contains("- `run` may call `save`: `this.store.save('a');`"),
        "{found}"
    );
    assert!(
        part(&found, "Not found").contains("could not determine what calls it; 1 place may call it"),
        "{found}"
    );
    let found = answer(&world, "what calls b?");
    assert!(part(&found, "May be called by").contains("passes on `b`"), "{found}");
}
