//! Reads YAML into JSON values, with limits on aliases, depth and size.

use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use serde_saphyr::options::{DuplicateKeyPolicy, MergeKeyPolicy, NonFiniteFloatPolicy};
use serde_saphyr::{Error, MessageFormatter, Options, Spanned, UserMessageFormatter};

/// The fields of a frontmatter and the places of their keys.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Fields {
    pub map: Map<String, Value>,
    pub keys: Vec<Key>,
}

/// The place of a top-level key: line and column count from 1, the column in characters.
#[derive(Debug, PartialEq)]
pub(crate) struct Key {
    pub name: String,
    pub line: usize,
    pub column: usize,
}

/// Parses the YAML between the two `---` lines. The error is one line that says what is wrong and where in the file,
/// which has one line before the YAML.
pub(crate) fn parse(yaml: &str) -> Result<Fields, String> {
    serde_saphyr::from_str_with_options(yaml, options()).map_err(|error| message(&error))
}

/// Parser limits: people write small frontmatter, larger input is an attack.
fn options() -> Options {
    serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_events: 60_000,
            max_nodes: 30_000,
            max_depth: 32,
            flow_nesting_limit: 32,
            max_aliases: 200,
            max_anchors: 200,
            max_recorded_anchor_events: 30_000,
            max_recorded_anchor_bytes: 1024 * 1024,
            max_documents: 2,
            max_total_scalar_bytes: 1024 * 1024,
        },
        alias_limits: serde_saphyr::alias_limits! {
            max_total_replayed_events: 10_000,
            max_replay_stack_depth: 8,
        },
        duplicate_keys: DuplicateKeyPolicy::Error,
        merge_keys: MergeKeyPolicy::AsOrdinary,
        non_finite_float_policy: NonFiniteFloatPolicy::AsString,
        strict_booleans: true,
        with_snippet: false,
    }
}

/// The start of the error message if the top level is not a mapping.
const NO_FIELDS: &str = "expected top-level fields";

fn message(error: &Error) -> String {
    let message = match error {
        Error::DuplicateMappingKey { key: Some(key), .. } => format!("the field `{key}` appears twice"),
        Error::MultipleDocuments { .. } => "it holds more than one document".to_owned(),
        Error::Budget { .. } => "it is too large or too deeply nested".to_owned(),
        _ => UserMessageFormatter.format_message(error).into_owned(),
    };
    let message = if message.contains(NO_FIELDS) {
        "it does not consist of fields, each with a name and a value".to_owned()
    } else if message == "expected string scalar" {
        "a list or a mapping appears where a name is expected".to_owned()
    } else {
        message
    };
    // The parser may quote control characters and line breaks, but the message must stay one line.
    let message: String =
        message.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    let message = message.trim().trim_end_matches('.').replace("YAML", "yaml");
    let mut letters = message.chars();
    let first = letters.next().map(|letter| letter.to_lowercase().to_string()).unwrap_or_default();
    let message = format!("{first}{}", letters.as_str());
    match error.location().map(|location| location.line()).filter(|&line| line > 0) {
        Some(line) => format!("{message} (line {})", line + 1),
        None => message,
    }
}

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TopLevel;

        impl<'de> Visitor<'de> for TopLevel {
            type Value = Fields;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("top-level fields")
            }

            fn visit_unit<E>(self) -> Result<Fields, E> {
                Ok(Fields::default())
            }

            fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Fields, A::Error> {
                let mut fields = Fields::default();
                while let Some(key) = access.next_key::<Spanned<KeyName>>()? {
                    let at = key.referenced;
                    let name = key.value.0;
                    fields.map.insert(name.clone(), access.next_value::<Json>()?.0);
                    fields.keys.push(Key { name, line: at.line() as usize, column: at.column() as usize });
                }
                Ok(fields)
            }
        }

        deserializer.deserialize_any(TopLevel)
    }
}

/// The key of a mapping, as text whatever its type.
struct KeyName(String);

impl<'de> Deserialize<'de> for KeyName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(Option::<String>::deserialize(deserializer)?.unwrap_or_else(|| "null".to_owned())))
    }
}

/// A JSON value read from YAML. Unlike serde_json's own type, it accepts keys of every kind.
struct Json(Value);

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyValue).map(Json)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i128<E>(self, value: i128) -> Result<Value, E> {
        Ok(Value::String(value.to_string()))
    }

    fn visit_u128<E>(self, value: u128) -> Result<Value, E> {
        Ok(Value::String(value.to_string()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or_else(|| Value::String(value.to_string()), Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_bytes<E>(self, value: &[u8]) -> Result<Value, E> {
        Ok(Value::String(String::from_utf8_lossy(value).into_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut items = vec![];
        while let Some(Json(item)) = access.next_element()? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(KeyName(name)) = access.next_key()? {
            if map.contains_key(&name) {
                // Two keys of different types may have one name as text, `3` and `"3"`; the first one is kept.
                access.next_value::<IgnoredAny>()?;
                continue;
            }
            map.insert(name, access.next_value::<Json>()?.0);
        }
        Ok(Value::Object(map))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn map(yaml: &str) -> Value {
        Value::Object(parse(yaml).unwrap().map)
    }

    #[test]
    fn values_are_read_as_yaml_1_2_has_them() {
        let yaml = "d: 2024-01-01\nt: 2024-01-01T10:00:00Z\nyes: no\nb: true\ni: 3\nf: 1.5\nn: ~\ne:\ninf: .inf\nnan: .NaN\n";
        let read = json!({"d": "2024-01-01", "t": "2024-01-01T10:00:00Z", "yes": "no", "b": true, "i": 3, "f": 1.5,
            "n": null, "e": null, "inf": ".inf", "nan": ".nan"});
        assert_eq!(map(yaml), read);
    }

    #[test]
    fn keys_become_text() {
        assert_eq!(
            map("3: a\ntrue: b\n~: c\n1.50: d\n"),
            json!({"3": "a", "true": "b", "null": "c", "1.50": "d"})
        );
        assert_eq!(map("x: {1: a, ~: b}\n"), json!({"x": {"1": "a", "null": "b"}}));
    }

    #[test]
    fn an_unquoted_wikilink_is_a_list_in_a_list() {
        assert_eq!(map("up: [[Note|x]]\n"), json!({"up": [["Note|x"]]}));
    }

    #[test]
    fn nothing_but_comments_is_no_field() {
        for yaml in ["", "\n\n", "# a\n", "~\n", "{}\n"] {
            assert_eq!(map(yaml), json!({}), "{yaml:?}");
        }
    }

    #[test]
    fn keys_know_where_they_stand() {
        let fields = parse("a: 1\n# c\n\"b c\": |\n  a: 1\nd: &x [1]\n").unwrap();
        let at: Vec<_> = fields.keys.iter().map(|key| (key.name.as_str(), key.line, key.column)).collect();
        assert_eq!(at, [("a", 1, 1), ("b c", 3, 1), ("d", 5, 1)]);
    }

    #[test]
    fn what_is_wrong_is_said_in_one_line_with_its_place() {
        for (yaml, expected) in [
            ("a: 1\na: 2\n", "the field `a` appears twice (line 3)"),
            ("a: b: c\n", "(line 2)"),
            ("a: {{title}}\n", "a list or a mapping appears where a name is expected (line 2)"),
            ("- a\n", "it does not consist of fields"),
            ("text\n", "it does not consist of fields"),
            ("a: *x\n", "(line 2)"),
            ("a: \"x\n", ""),
            ("a: 1\n...\nb: 2\n", "more than one document"),
            ("a: \u{0}", "(line 2)"),
        ] {
            let message = parse(yaml).unwrap_err();
            assert!(message.contains(expected), "{yaml:?}: {message}");
            assert!(!message.contains('\n') && !message.ends_with('.'), "{message}");
            assert!(message.starts_with(|first: char| !first.is_uppercase()), "{message}");
        }
    }

    #[test]
    fn bombs_are_refused() {
        let mut aliases = "a0: &a0 [x, x]\n".to_owned();
        for n in 1..30 {
            aliases += &format!("a{n}: &a{n} [*a{m}, *a{m}, *a{m}]\n", m = n - 1);
        }
        let deep = format!("a: {}", "[".repeat(50_000));
        let deep_block: String = (0..200).map(|n| format!("{}a:\n", " ".repeat(n))).collect();
        let wide = "- x\n".repeat(60_000);
        for yaml in [aliases, deep, deep_block, format!("a:\n{wide}")] {
            assert!(parse(&yaml).is_err());
        }
    }
}
