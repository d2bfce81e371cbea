//! One field changes, every other line stays.

use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};
use wellread_text::{
    EditErrorKind, Frontmatter, FrontmatterChange, apply_splices, change_frontmatter, frontmatter_block,
};

use crate::notes::{body, frontmatter, note};

fn name() -> impl Strategy<Value = &'static str> {
    select(vec!["title", "quoted key", "tags", "single", "k", "ключ", "new", "a: b", "#x"])
}

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        select(vec![
            "a",
            "b",
            "[[Alpha]]",
            "3",
            "true",
            "2024-01-01",
            "",
            "a: b",
            "x # y",
            "---",
            "'",
            "\"",
            "a\nb",
            "日本"
        ])
        .prop_map(Value::from),
        "\\PC{0,12}".prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
        (-1e6..1e6f64).prop_map(Value::from),
        Just(Value::Null),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        3 => scalar(),
        1 => prop::collection::vec(scalar(), 0..4).prop_map(Value::from),
        1 => scalar().prop_map(|inner| json!({"x": inner, "y: z": [1]})),
        1 => scalar().prop_map(|inner| json!([[inner], {"a": []}])),
    ]
}

fn change() -> impl Strategy<Value = FrontmatterChange> {
    prop_oneof![
        value().prop_map(FrontmatterChange::Set),
        scalar().prop_map(FrontmatterChange::Append),
        Just(FrontmatterChange::Remove),
        (prop::collection::btree_set(0usize..4, 0..3), prop::collection::vec(value(), 0..3))
            .prop_map(|(removed, added)| FrontmatterChange::Exchange { removed, added }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn only_the_field_changes(text in note(), name in name(), change in change()) {
        let before = Frontmatter::parse(&text);
        let splice_for = match change_frontmatter(&text, name, &change) {
            Ok(Some(found)) => found,
            Ok(None) => return Ok(()),
            Err(error) => {
                prop_assert!(matches!(error.kind(), EditErrorKind::NotFound | EditErrorKind::Refused));
                return Ok(());
            }
        };
        let after = apply_splices(&text, std::slice::from_ref(&splice_for)).unwrap();
        let read = Frontmatter::parse(&after).unwrap();
        let fields = read.fields.clone().unwrap();
        match &change {
            FrontmatterChange::Set(value) => prop_assert_eq!(fields.get(name), Some(value)),
            FrontmatterChange::Remove => prop_assert_eq!(fields.get(name), None),
            FrontmatterChange::Append(item) => prop_assert!(fields[name].as_array().unwrap().contains(item)),
            FrontmatterChange::Exchange { removed, added } => {
                let old = before.as_ref().and_then(|found| found.field(name)?.as_array().cloned()).unwrap_or_default();
                let is_appended = !old.is_empty() && removed.is_empty();
                let kept = old.into_iter().enumerate().filter(|(number, _)| !removed.contains(number));
                let whole: Vec<Value> = kept.map(|(_, item)| item).chain(added.iter().cloned()).collect();
                let now = fields.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
                prop_assert_eq!(now, whole);
                let written = &splice_for.text;
                let (old, lines) = (&text[splice_for.span.clone()], written.lines().count());
                prop_assert!(!is_appended || written.starts_with(old) && lines > old.lines().count(), "{written}");
            }
        }
        let old = before.as_ref().map(|found| found.fields.clone().unwrap()).unwrap_or_default();
        for (other, value) in old.iter().filter(|(other, _)| other.as_str() != name) {
            prop_assert_eq!(fields.get(other), Some(value));
        }
        // Every other line is still there, in the same order: the change lies within one run of lines.
        let span = before.map_or(0..0, |found| found.span);
        prop_assert!(splice_for.span.is_empty() || (span.start < splice_for.span.start && splice_for.span.end < span.end));
        prop_assert_eq!(&after[read.span.end..], &text[if span.is_empty() { splice_for.span.end } else { span.end }..]);
    }

    #[test]
    fn setting_and_removing_a_new_field_gives_the_note_back(block in frontmatter(), body in body(), value in value()) {
        let text = format!("{block}{body}");
        let Ok(Some(there)) = change_frontmatter(&text, "new", &FrontmatterChange::Set(value)) else { return Ok(()) };
        let with = apply_splices(&text, &[there]).unwrap();
        let back = change_frontmatter(&with, "new", &FrontmatterChange::Remove).unwrap().unwrap();
        prop_assert_eq!(apply_splices(&with, &[back]).unwrap(), text);
    }

    #[test]
    fn every_field_of_a_readable_frontmatter_can_be_set(text in note()) {
        let Some(Frontmatter { fields: Ok(fields), .. }) = Frontmatter::parse(&text) else { return Ok(()) };
        for name in fields.keys() {
            for value in [json!("fresh"), json!(["x", "y"])] {
                let change = change_frontmatter(&text, name, &FrontmatterChange::Set(value));
                prop_assert!(change.is_ok(), "{:?}: {:?}", text, change);
            }
        }
    }

    #[test]
    fn a_block_reads_as_what_was_written(names in prop::collection::vec("[a-zа-я #:'-]{1,8}", 0..4), values in prop::collection::vec(value(), 4)) {
        let fields = names.iter().map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).zip(values).collect();
        let block = frontmatter_block(&fields, "\n").unwrap();
        prop_assert_eq!(Frontmatter::parse(&block).unwrap().fields.unwrap(), fields);
    }
}
