//! What a small source in each language uses, all of it.
//!
//! What is expected stands beside each source: its definitions with what they give and take, then imports, bases and
//! mentions, one a line. After a change of mind, the failing test shows what to put there.

use std::fmt::Write;

use wellread_text::{CodeAnalysis, ExprValue, Language, Mention, MentionRole, NameAccess, analyze_code};

use crate::languages::SAMPLES;

/// The file's name, its text, and what is expected.
macro_rules! sample {
    ($file:literal) => {
        ($file, include_str!(concat!("uses/", $file)), include_str!(concat!("uses/", $file, ".expected")))
    };
}

pub const USES: &[(&str, &str, &str)] = &[
    sample!("hive.rs"),
    sample!("hive.py"),
    sample!("hive.ts"),
    sample!("hive.jsx"),
    sample!("hive.go"),
    sample!("Hive.java"),
    sample!("hive.c"),
    sample!("hive.cpp"),
    sample!("Hive.cs"),
    sample!("hive.kt"),
    sample!("hive.php"),
    sample!("hive.rb"),
    sample!("hive.lua"),
    sample!("hive.sh"),
];

/// `kind qualified-name [gives type] [takes least-most]`; `import module [what] [as known] [handed on]`;
/// `base heir of other`; `line role name[/arguments] [local | of value] [in definition]`.
pub fn rendered(code: &CodeAnalysis) -> String {
    let mut out = String::new();
    let definitions = &code.outline.definitions;
    for definition in definitions {
        let _ = write!(out, "{} {}", definition.kind.name(), definition.qualified);
        if let Some(gives) = &definition.gives {
            let _ = write!(out, " gives {}", gives.join("::"));
        }
        match definition.takes {
            Some((least, Some(most))) if least == most => {
                let _ = write!(out, " takes {least}");
            }
            Some((least, most)) => {
                let _ =
                    write!(out, " takes {least}-{}", most.map(|most| most.to_string()).unwrap_or_default());
            }
            None => {}
        }
        out.push('\n');
    }
    out.push('\n');
    for import in &code.uses.imports {
        let _ = write!(out, "{} import {}", import.line, import.module);
        if let Some(name) = &import.name {
            let _ = write!(out, " {name}");
        }
        if let Some(known_as) = &import.known_as {
            let _ = write!(out, " as {known_as}");
        }
        if import.handed_on {
            out.push_str(" handed on");
        }
        if let Some(within) = import.within {
            let _ = write!(out, " in {}", definitions[within].qualified);
        }
        out.push('\n');
    }
    for base in &code.uses.bases {
        let _ = writeln!(out, "{} base {} of {}", base.line, base.heir.join("::"), base.of.join("::"));
    }
    out.push('\n');
    for mention in &code.uses.mentions {
        out.push_str(&line(mention));
        if let Some(within) = mention.within {
            let _ = write!(out, " in {}", definitions[within].qualified);
        }
        out.push('\n');
    }
    out
}

fn line(mention: &Mention) -> String {
    let role = match mention.role {
        MentionRole::Call => "call",
        MentionRole::Make => "make",
        MentionRole::Type => "type",
        MentionRole::Value => "value",
    };
    let mut out = format!("{} {role} {}", mention.line, mention.name);
    if let Some(arguments) = mention.arguments {
        let _ = write!(out, "/{arguments}");
    }
    match &mention.reached {
        NameAccess::Plain => {}
        NameAccess::Local => out.push_str(" local"),
        NameAccess::Member(value) => {
            let _ = write!(out, " of {}", short(value));
        }
    }
    out
}

/// `_`, `own`, `super`, `<type>`, `path`, `value()`, `value.member`, `value?`.
fn short(value: &ExprValue) -> String {
    match value {
        ExprValue::Unknown => "_".to_owned(),
        ExprValue::Own => "own".to_owned(),
        ExprValue::Super => "super".to_owned(),
        ExprValue::Typed(path) => format!("<{}>", path.join("::")),
        ExprValue::Named(path) => path.join("::"),
        ExprValue::Called(of) => format!("{}()", short(of)),
        ExprValue::Member(of, name) => format!("{}.{name}", short(of)),
        ExprValue::Inner(of) => format!("{}?", short(of)),
    }
}

#[test]
fn every_language_says_what_it_uses() {
    let mut wrong = String::new();
    for (file, text, expected) in USES {
        let found = rendered(&analyze_code(text, Language::detect(file, text)));
        if found != *expected {
            let _ = write!(
                wrong,
                "== {file}\n{}",
                wellread_text::unified_diff("expected", "found", expected, &found)
            );
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// What must hold for the uses of any text.
pub fn check_uses(text: &str, code: &CodeAnalysis) {
    let definitions = &code.outline.definitions;
    for mention in &code.uses.mentions {
        assert_eq!(text[mention.span.clone()], mention.name);
        if let Some(within) = mention.within {
            assert!(definitions[within].span.contains(&mention.span.start), "{mention:?}");
        }
        let (first, last) = mention.within.map_or((1, usize::MAX), |within| definitions[within].lines);
        assert!((first..=last).contains(&mention.line), "{mention:?}");
    }
    assert!(code.uses.mentions.is_sorted_by_key(|mention| mention.span.start));
    for import in &code.uses.imports {
        assert!(import.within.is_none_or(|within| definitions[within].span.contains(&import.span.start)));
        assert!(text.get(import.span.clone()).is_some());
    }
}

#[test]
fn a_name_stands_where_it_is_said_to_stand() {
    let samples = SAMPLES.iter().chain(USES);
    for (file, text, _) in samples {
        let code = analyze_code(text, Language::detect(file, text));
        check_uses(text, &code);
        let ended = text.replace('\n', "\r\n");
        check_uses(&ended, &wellread_text::analyze_code(&ended, Language::detect(file, text)));
    }
}
