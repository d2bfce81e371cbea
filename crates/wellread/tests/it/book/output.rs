//! What a command prints, compared with what a page says that it prints.

/// Whether lines are those of a page, where `…` stands for any text, and alone on a line for any lines.
pub fn matches(expected: &[String], printed: &[String]) -> bool {
    match expected.split_first() {
        None => printed.is_empty(),
        Some((first, rest)) if first.trim() == "…" => {
            (0..=printed.len()).any(|skipped| matches(rest, &printed[skipped..]))
        }
        Some((first, rest)) => printed
            .split_first()
            .is_some_and(|(line, further)| line_matches(first, line) && matches(rest, further)),
    }
}

fn line_matches(expected: &str, line: &str) -> bool {
    let mut parts = expected.trim_end().split('…');
    let Some(mut rest) = line.trim_end().strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    true
}

/// Lines with `…` instead of the ids of runs, which are new each time.
pub fn redacted(printed: &[String]) -> Vec<String> {
    printed.iter().map(|line| redact(line)).collect()
}

fn redact(line: &str) -> String {
    let (mut redacted, mut word) = (String::new(), String::new());
    for letter in line.chars().chain(['\n']) {
        if letter.is_ascii_alphanumeric() {
            word.push(letter);
            continue;
        }
        let is_id = word.len() == 14 && word.starts_with("01") && !word.contains(|c: char| c.is_uppercase());
        redacted += if is_id { "…" } else { &word };
        word.clear();
        redacted.push(letter);
    }
    redacted.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn an_ellipsis_stands_for_what_changes() {
        let rows = [
            ("a\nb", "a\nb", true),
            ("a\nb", "a\nb\nc", false),
            ("a\n…", "a\nb\nc", true),
            ("…\nc", "a\nb\nc", true),
            ("a\n…\nd", "a\nb\nc", false),
            ("in … ms.", "in 12 ms.", true),
            ("in … ms.", "in 12 s.", false),
            ("run …: `…`", "run 01: `x`", true),
            ("", "a", false),
            ("abc", "ab", false),
        ];
        for (expected, printed, same) in rows {
            assert_eq!(matches(&lines(expected), &lines(printed)), same, "{expected:?} {printed:?}");
        }
    }

    #[test]
    fn ids_of_runs_are_left_open() {
        let line = "run 01m7k4s5te2zeq: `wellread verify 01m7k4s5te2zeq`, 2026-11-16";
        assert_eq!(redact(line), "run …: `wellread verify …`, 2026-11-16");
    }
}
