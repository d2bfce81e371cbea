//! Source made to take a parser's time, its stack or its memory.

use std::time::{Duration, Instant};

use wellread_text::{Language, SyntaxState, analyze_code};

use crate::code::check;
use crate::languages::language;

/// Far above what any of them needs, even unoptimized on a busy machine.
const LIMIT: Duration = Duration::from_secs(60);

fn exercise(text: &str, language: Language) -> SyntaxState {
    let start = Instant::now();
    let syntax = analyze_code(text, Some(language)).outline.syntax;
    assert!(start.elapsed() < LIMIT, "{} took {:?}", language.name(), start.elapsed());
    syntax
}

/// So many of them, in lines that are not too long to be code.
fn repeated(pattern: &str, times: usize) -> String {
    (0..times)
        .map(|index| if index % 100 == 99 { format!("{pattern}\n") } else { pattern.to_owned() })
        .collect()
}

#[test]
fn deep_nesting_is_survived() {
    for language in [language("rust"), language("python"), language("javascript"), language("go")] {
        for bracket in ["(", "[", "{"] {
            exercise(&repeated(bracket, 100_000), language);
        }
    }
    let nested = format!("{}{}", "mod a {\n".repeat(5_000), "}\n".repeat(5_000));
    exercise(&nested, language("rust"));
    check(&nested[..20_000], Some(language("rust")));
}

#[test]
fn an_unclosed_comment_is_not_looked_for_again_and_again() {
    exercise(&"/*\n".repeat(10_000), language("c"));
}

#[test]
fn what_is_no_source_is_not_parsed() {
    let garbage: String = (0..5_000_000u32)
        .map(|index| char::from((index.wrapping_mul(2_654_435_761) >> 24) as u8 & 0x7f))
        .collect();
    for language in Language::ALL {
        assert_eq!(exercise(&garbage, language), SyntaxState::Unread);
        assert_eq!(exercise("fn f() {}\0", language), SyntaxState::Unread);
        assert_eq!(exercise(&"a=1;".repeat(10_000), language), SyntaxState::Unread);
    }
}

#[test]
fn scanners_with_a_small_memory_are_not_overfed() {
    // A heredoc's word that is never closed, many heredocs at once, and words longer than a byte can count.
    exercise(&format!("<<~\"A\n{}A\n", "  some text\n".repeat(100)), language("ruby"));
    exercise(&format!("f({})\n", "<<A,".repeat(400)), language("ruby"));
    exercise(&format!("x = <<~{0}\n  text\n{0}\n", "A".repeat(400)), language("ruby"));
    let deeper =
        |levels: usize| (0..levels).map(|level| format!("{}if a:\n", " ".repeat(level))).collect::<String>();
    let deep = format!("{}{}f\"{{a}}\"\n", deeper(511), " ".repeat(511));
    assert_eq!(exercise(&deep, language("python")), SyntaxState::Unread);
    exercise(&format!("{}{}f\"{{a}}\"\n", deeper(300), " ".repeat(300)), language("python"));
}

#[test]
fn letters_beyond_ascii_are_no_trouble_in_any_language() {
    for language in Language::ALL {
        for text in ["{蜂..é}\n", "echo {1..蜂}\n", "größe() { echo {\u{10ffff}..1}; }\n", "x = '蜂' # é\n"]
        {
            let code = analyze_code(text, Some(language));
            assert!(!code.chunks.is_empty(), "{}: {text}", language.name());
        }
    }
    let named = analyze_code("größe() { echo; }\n", Some(language("bash")));
    assert_eq!(named.outline.definitions[0].name, "größe");
}

#[test]
fn long_chains_and_deep_scopes_do_not_overflow_or_take_for_ever() {
    let chain = |start: &str, link: &str, times: usize| format!("{start}{};\n", repeated(link, times));
    for language in
        [language("rust"), language("javascript"), language("typescript"), language("java"), language("cpp")]
    {
        exercise(&chain("x = a", ".b(1)\n", 20_000), language);
        exercise(&chain("x = ", "f(", 5_000), language);
        exercise(&chain("x = a", "\n->b::c", 20_000), language);
    }
    exercise(&chain("x = a", ".b(1)\\\n", 20_000), language("python"));
    // Each variable is made of the one before it, and each is used.
    let names = |count: usize, line: fn(usize) -> String| (1..count).map(line).collect::<String>();
    exercise(
        &format!("fn f() {{\n{}}}\n", names(10_000, |at| format!("let x{at} = x{}.go(x{at});\n", at - 1))),
        language("rust"),
    );
    exercise(
        &format!("def f():\n{}", names(10_000, |at| format!("  x{at} = x{}.go(x{at})\n", 10_001 - at))),
        language("python"),
    );
    exercise(&format!("def f():\n{}", "  x = x.go(x, x)\n".repeat(30_000)), language("python"));
    exercise(&format!("function f() {{\n{}}}\n", "x = x.go(x, x);\n".repeat(30_000)), language("javascript"));
    exercise(&format!("func f() {{\n{}}}\n", "x := x.go(x, x)\n".repeat(30_000)), language("go"));
    // Scopes in scopes, each with a name of its own.
    let scopes = |times: usize| format!("fn f() {{\n{}", "{ let x = y(x); x.go(z);\n".repeat(times));
    exercise(&format!("{}{}", scopes(5_000), "}".repeat(5_001)), language("rust"));
    exercise(
        &format!("f(function (x) {{ x.go(y);\n{}", "g((x) => { x.go(y);\n".repeat(5_000)),
        language("typescript"),
    );
}

#[test]
fn patterns_imports_and_macros_without_end_are_survived() {
    exercise(&format!("let {}", repeated("(a, ", 20_000)), language("rust"));
    exercise(&format!("const {} = x;\n", repeated("{ a: ", 20_000)), language("javascript"));
    exercise(&format!("f(({}", repeated("{ a = ({ b }) => ", 10_000)), language("javascript"));
    exercise(&format!("use {}", repeated("a::{b, ", 10_000)), language("rust"));
    exercise(&format!("use {}x{};\n", repeated("a::{b, ", 2_000), "}".repeat(2_000)), language("rust"));
    exercise(&format!("m!({}", repeated("a.b(c, ", 20_000)), language("rust"));
    exercise(&format!("m!({});\n", repeated("a.b::c ", 50_000)), language("rust"));
    exercise(&format!("fn f(x: {}", repeated("Option<Box<", 10_000)), language("rust"));
    exercise(&format!("x: {}", repeated("Optional[", 10_000)), language("python"));
    exercise(&format!("{} f;\n", repeated("a::", 50_000)), language("cpp"));
    exercise(&format!("int {};\n", repeated("(*", 20_000)), language("c"));
    exercise(&format!("class A({}): pass\n", repeated("B, ", 50_000)), language("python"));
    exercise(
        &format!("struct a {{ int {} z; }};\n", "b, ".repeat(50_000))
            .replace("b, b, b, b, ", "b,\nb, b, b, "),
        language("c"),
    );
    exercise(
        &format!("struct a {{ int {} z;\n}};{}", "b, ".repeat(100_000), "\n".repeat(2_000)),
        language("c"),
    );
    for language in Language::ALL {
        exercise(&repeated("a(b.c, d) = e: f; ", 20_000), language);
    }
}
