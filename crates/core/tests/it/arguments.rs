//! Arguments that are left out, unknown, null or of the wrong type.

use serde_json::{Value, json};
use wellread_core::faces::tools::catalog;

use crate::ask::{fails, ok, with};
use crate::catalog::{examples, world};

#[test]
fn an_unknown_argument_is_refused_by_every_tool() {
    for (tool, args) in examples() {
        let answer = fails(&world(), tool, with(args, "extra", json!("x")));
        let error = answer["error"].as_str().unwrap();
        assert!(
            error.starts_with(&format!("the arguments do not fit {tool}: unknown field `extra`")),
            "{error}"
        );
        assert!(answer["hint"].as_str().unwrap().starts_with("its parameters: "), "{answer}");
    }
}

#[test]
fn an_unknown_argument_inside_of_a_move_is_refused() {
    let moves = json!({ "moves": [{ "source": "Bees", "destination": "x", "overwrite": true }] });
    let answer = fails(&world(), "batch_move_files", moves);
    assert!(answer["error"].as_str().unwrap().contains("unknown field `overwrite`"), "{answer}");
}

#[test]
fn a_missing_argument_is_named_by_every_tool() {
    for (tool, name, args) in required() {
        let error = fails(&world(), tool, args)["error"].as_str().unwrap().to_owned();
        assert_eq!(error, format!("the arguments do not fit {tool}: missing field `{name}`"));
    }
}

/// Each tool with one of its required arguments left out.
fn required() -> Vec<(&'static str, String, Value)> {
    let mut cases = Vec::new();
    for (tool, (name, args)) in catalog().iter().zip(examples()) {
        for required in tool.declaration().input["required"].as_array().into_iter().flatten() {
            let required = required.as_str().unwrap();
            let mut args = args.clone();
            args.as_object_mut().unwrap().remove(required).expect("the example gives what is required");
            cases.push((name, required.to_owned(), args));
        }
    }
    assert!(cases.len() > 25);
    cases
}

#[test]
fn an_argument_that_is_null_was_left_out() {
    for (tool, name, args) in required() {
        let error =
            fails(&world(), tool, with(args, &name, Value::Null))["error"].as_str().unwrap().to_owned();
        assert_eq!(error, format!("the arguments do not fit {tool}: missing field `{name}`"));
    }
    for (tool, (name, args)) in catalog().iter().zip(examples()) {
        let declared = tool.declaration();
        let nulls = declared.input["properties"]
            .as_object()
            .unwrap()
            .keys()
            .filter(|key| args.get(key.as_str()).is_none());
        let args = nulls.fold(args.clone(), |args, key| with(args, key, Value::Null));
        ok(&world(), name, args);
    }
}

#[test]
fn a_wrongly_typed_argument_is_refused_by_every_tool() {
    for (tool, (name, args)) in catalog().iter().zip(examples()) {
        for (parameter, schema) in tool.declaration().input["properties"].as_object().unwrap() {
            let wrong = match schema["type"].as_str() {
                // These take a value of any type on purpose.
                None => continue,
                Some("string") if ["value", "frontmatter"].contains(&parameter.as_str()) => continue,
                Some("string") => vec![json!(3), json!(["a"]), json!({})],
                Some("integer") => vec![json!("3"), json!(-1), json!(1.5), json!([])],
                Some("boolean") => vec![json!("true"), json!(1)],
                Some("object") => vec![json!("Bees"), json!(3), json!([])],
                Some("array") => vec![json!("Bees"), json!([7]), json!([null])],
                Some(other) => panic!("{other}"),
            };
            for wrong in wrong {
                let answer = fails(&world(), name, with(args.clone(), parameter, wrong));
                let error = answer["error"].as_str().unwrap();
                assert!(
                    error.starts_with(&format!("the arguments do not fit {name}: ")),
                    "{parameter}: {error}"
                );
                assert!(answer["hint"].as_str().unwrap().contains(&format!("`{parameter}`")), "{answer}");
            }
        }
    }
}

#[test]
fn a_choice_that_does_not_exist_is_answered_with_those_that_do() {
    let world = world();
    for (tool, args, choices) in [
        (
            "edit_file",
            json!({ "path": "Bees", "content": "x", "position": "middle" }),
            "append, prepend, section",
        ),
        (
            "update_frontmatter",
            json!({ "path": "Bees", "field": "a", "operation": "add" }),
            "set, remove, append",
        ),
        (
            "search_by_date_range",
            json!({ "start_date": "a", "end_date": "b", "date_type": "x" }),
            "created, modified",
        ),
    ] {
        let error = fails(&world, tool, args)["error"].as_str().unwrap().to_owned();
        assert!(error.ends_with(&format!("must be one of {choices}")), "{error}");
    }
}

#[test]
fn arguments_that_are_no_object_are_refused_and_none_at_all_are_an_empty_one() {
    let world = world();
    for (args, kind) in
        [(json!([]), "a list"), (json!("x"), "a string"), (json!(3), "a number"), (json!(true), "a boolean")]
    {
        let error = fails(&world, "get_current_date", args)["error"].as_str().unwrap().to_owned();
        assert_eq!(
            error,
            format!("the arguments do not fit get_current_date: they must be a JSON object, not {kind}")
        );
    }
    ok(&world, "get_current_date", Value::Null);
}

#[test]
fn the_hint_shows_the_parameters_with_their_types_and_defaults() {
    let answer = fails(&world(), "read_file", json!({}));
    assert_eq!(
        answer["hint"],
        "its parameters: `path` (string), `offset` (integer, default 0), `length` (integer, default 4000)"
    );
    let answer = fails(&world(), "edit_file", json!({}));
    assert!(answer["hint"].as_str().unwrap().contains("`mode` (replace|append, optional)"), "{answer}");
}

#[test]
fn an_argument_of_the_wrong_type_is_named() {
    for (tool, args, why) in [
        ("read_file", json!({ "path": 3 }), "`path` must be a string"),
        (
            "read_file",
            json!({ "path": "Bees", "length": "50" }),
            "`length` must be a whole number, 0 or more",
        ),
        ("read_file", json!({ "path": "Bees", "offset": -1 }), "`offset` must be a whole number, 0 or more"),
        (
            "edit_file",
            json!({ "path": "Bees", "content": "x", "position": "middle" }),
            "`position` must be one of append, prepend, section",
        ),
        ("batch_move_files", json!({ "moves": "all" }), "`moves` must be a list"),
    ] {
        let error = fails(&world(), tool, args)["error"].as_str().unwrap().to_owned();
        assert_eq!(error, format!("the arguments do not fit {tool}: {why}"));
    }
}
