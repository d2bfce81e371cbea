//! Helpers of the frame parsers: log prefixes, places, function names.

/// Strips what a log, a container or a mail puts before a line.
pub fn strip_log_prefix(line: &str) -> &str {
    let mut line = line.trim_end();
    while let Some(rest) = line.trim_start().strip_prefix("> ") {
        line = rest;
    }
    if let Some((before, rest)) = line.split_once(" | ")
        && before.len() < 40
        && !before.contains(['(', '"', '/'])
    {
        line = rest;
    }
    let trimmed = line.trim_start();
    match trimmed.split_once(' ') {
        Some((stamp, rest)) if is_stamp(stamp) => rest,
        _ => line,
    }
}

/// Whether a word is a timestamp: `2026-03-01T09:30:00Z`.
fn is_stamp(word: &str) -> bool {
    word.len() >= 19
        && word.as_bytes().get(4) == Some(&b'-')
        && word.contains('T')
        && word.bytes().all(|byte| byte.is_ascii_digit() || b"-:.TZ+".contains(&byte))
}

/// Parses `path:31` or `path:31:5` into the path and the line; the whole text must match.
pub fn parse_place(written: &str) -> Option<(String, usize)> {
    let (before, last) = written.rsplit_once(':')?;
    let last: usize = last.parse().ok()?;
    match before.rsplit_once(':') {
        Some((path, line)) if line.bytes().all(|byte| byte.is_ascii_digit()) && !line.is_empty() => {
            Some((parse_path(path)?, line.parse().ok()?))
        }
        _ => Some((parse_path(before)?, last)),
    }
}

/// Normalizes a path: with `/`, without a scheme, a host or what a bundler adds. `None` if it has no file extension.
pub fn parse_path(written: &str) -> Option<String> {
    let path = written.trim().trim_matches(['"', '\'', '`', '<', '>', '(', ')', '[', ']']);
    let path = path.split(['?', '#']).next().unwrap_or(path);
    if path.starts_with("node:") {
        return None;
    }
    let path = match path.split_once("://") {
        Some((scheme, rest)) => {
            // The path of a web address comes after its host; other schemes have no host.
            let rest = if scheme.ends_with("http") || scheme.ends_with("https") {
                rest.split_once('/').map_or("", |(_, path)| path)
            } else {
                rest
            };
            rest.trim_start_matches('/')
        }
        None => path,
    };
    let path = path.replace('\\', "/");
    let path = path.trim_start_matches("./");
    let name = path.rsplit('/').next().unwrap_or(path);
    let has_ending = name.rsplit_once('.').is_some_and(|(stem, ending)| {
        !stem.is_empty()
            && !ending.is_empty()
            && ending.len() <= 10
            && ending.bytes().all(|b| b.is_ascii_alphanumeric())
    });
    let plain = !path.contains(['\n', '\t', '"', '|', '{', '}']) && path.len() < 1_000;
    (has_ending && plain).then(|| path.to_owned())
}

/// Normalizes a function's name: dots between its parts, without type arguments, parameters and compiler suffixes.
pub fn parse_function_name(written: &str) -> Option<String> {
    let mut name = String::new();
    let mut depth = 0usize;
    let mut letters = written.trim().chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '<' | '[' | '{' => depth += 1,
            '>' if name.ends_with('-') => name.push('.'),
            '>' | ']' | '}' => depth = depth.saturating_sub(1),
            '(' if letters.peek() == Some(&'*') => drop(letters.next()),
            '(' if depth == 0 && !name.is_empty() && !name.ends_with('.') => break,
            _ if depth > 0 => {}
            '#' if name.is_empty() || name.ends_with('.') => name.push('#'),
            ':' | '#' | '/' | '\\' | '$' | '.' | '+' => name.push('.'),
            letter if letter.is_alphanumeric() || matches!(letter, '_' | '~' | '-') => name.push(letter),
            ' ' if !name.is_empty() => break,
            _ => {}
        }
    }
    let parts: Vec<&str> = name.split(['.', '-']).filter(|part| !is_generated_name(part)).collect();
    (!parts.is_empty()).then(|| parts.join("."))
}

/// Whether a part of a name is generated: a closure, or the hash after a name.
fn is_generated_name(part: &str) -> bool {
    let after = |begin: &str| part.strip_prefix(begin);
    let digits = |rest: &str| rest.bytes().all(|byte| byte.is_ascii_digit());
    part.is_empty()
        || matches!(part, "#" | "closure" | "anonymous" | "Object" | "impl")
        || digits(part)
        || after("func").is_some_and(|rest| !rest.is_empty() && digits(rest))
        || after("h")
            .is_some_and(|rest| rest.len() == 16 && rest.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_log_puts_before_a_line_is_taken_off() {
        for (line, wanted) in [
            ("    at open (a.js:1:2)", "    at open (a.js:1:2)"),
            ("> >   File \"a.py\", line 1", "  File \"a.py\", line 1"),
            ("app_1  | \tat a.B.c(B.java:3)", "\tat a.B.c(B.java:3)"),
            ("2026-03-01T09:30:00.123Z     at open (a.js:1:2)", "    at open (a.js:1:2)"),
        ] {
            assert_eq!(strip_log_prefix(line), wanted);
        }
    }

    #[test]
    fn a_path_is_told_from_what_is_none() {
        for (written, path) in [
            ("/home/ci/src/a.py", Some("/home/ci/src/a.py")),
            ("C:\\build\\src\\a.cs", Some("C:/build/src/a.cs")),
            ("webpack:///./src/x.ts?ab12", Some("src/x.ts")),
            ("file:///srv/app/x.mjs", Some("srv/app/x.mjs")),
            ("http://localhost:3000/static/x.js", Some("static/x.js")),
            ("node:internal/modules/cjs/loader.js", None),
            ("<anonymous>", None),
            ("<string>", None),
            ("Makefile", None),
        ] {
            assert_eq!(parse_path(written).as_deref(), path, "{written}");
        }
        assert_eq!(parse_place("a/b.c:31:5"), Some(("a/b.c".to_owned(), 31)));
        assert_eq!(parse_place("C:\\b.cs:31"), Some(("C:/b.cs".to_owned(), 31)));
        assert_eq!(parse_place("b.cs"), None);
    }

    #[test]
    fn a_function_is_its_parts_without_what_compilers_add() {
        for (written, wanted) in [
            ("store::Store::open::h0123456789abcdef", "store.Store.open"),
            ("core::ops::function::FnOnce::call_once{{vtable.shim}}", "core.ops.function.FnOnce.call_once"),
            ("hivelog::main::{{closure}}", "hivelog.main"),
            ("Vec<T,A>::push", "Vec.push"),
            ("main.(*Store).Open(0xc000, {0x1})", "main.Store.Open"),
            ("github.com/acme/app/store.Open[...](0x1)", "github.com.acme.app.store.Open"),
            ("Store::open(char const*, int)", "Store.open"),
            ("Object.<anonymous>", ""),
            ("Acme\\Store->open('x')", "Acme.Store.open"),
            ("Store.#open", "Store.#open"),
            ("Store#open", "Store.open"),
            ("com.acme.Store$Inner.open", "com.acme.Store.Inner.open"),
        ] {
            assert_eq!(parse_function_name(written).unwrap_or_default(), wanted, "{written}");
        }
    }
}
