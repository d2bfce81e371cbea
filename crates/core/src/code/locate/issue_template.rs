//! Removes what a form or a tool wrote into an issue, and not its author: comments, check boxes, headings of a template,
//! lists of installed packages, the languages of code blocks, options of a command.

/// Headings of templates, in lower case and without marks.
const HEADINGS: [&str; 24] = [
    "describe the bug",
    "bug description",
    "bug report",
    "description",
    "summary",
    "to reproduce",
    "steps to reproduce",
    "how to reproduce",
    "reproduction",
    "minimal example",
    "code for reproduction",
    "expected behavior",
    "expected behaviour",
    "expected outcome",
    "actual behavior",
    "actual behaviour",
    "actual outcome",
    "additional context",
    "additional information",
    "environment",
    "system information",
    "versions",
    "screenshots",
    "checklist",
];
/// A list of packages has at least this many rows.
const LEAST_ROWS: usize = 3;

/// The text without what a template or a package manager wrote. Lines keep their numbers.
pub fn blank_template(text: &str) -> String {
    let text = blank_comments(text);
    let rows = text.lines().filter(|line| is_package_row(line)).count();
    let keep = |line: &str| {
        let is_blank = is_heading(line) || is_check_box(line) || rows >= LEAST_ROWS && is_package_row(line);
        match () {
            () if is_blank => String::new(),
            () if is_fence(line) => "```".to_owned(),
            () => line.to_owned(),
        }
    };
    text.lines().map(keep).collect::<Vec<_>>().join("\n")
}

/// A line without the options of a command: `--no-cache`, `-k`.
pub fn blank_options(line: &str) -> String {
    let blank = |word| option_name(word).map_or(word, |option: &str| &word[option.len()..]);
    split_words(line).map(blank).collect()
}

/// The long options that a text names, each once: `--no-cache`.
pub fn find_options<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for line in lines {
        for option in split_words(line).filter_map(option_name) {
            if option.starts_with("--") && option.len() > 4 && !found.iter().any(|known| known == option) {
                found.push(option.to_owned());
            }
        }
    }
    found
}

/// The parts of a line: words, and what is between them.
fn split_words(line: &str) -> impl Iterator<Item = &str> {
    line.split_inclusive(|letter: char| {
        letter.is_whitespace() || matches!(letter, '`' | '\'' | '"' | '(' | ')' | '[' | ']' | ',')
    })
}

/// The option at the beginning of a word, without its value; `None` if it is none.
fn option_name(word: &str) -> Option<&str> {
    let bare = word.trim_start_matches('-');
    let dashes = word.len() - bare.len();
    let name = bare
        .split(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '-' || letter == '_'))
        .next()?;
    let is_option =
        (1..=2).contains(&dashes) && name.starts_with(|letter: char| letter.is_ascii_alphabetic());
    is_option.then(|| word[..dashes + name.len()].trim_end_matches('-'))
}

fn blank_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("<!--") {
        // One that never ends is not of a template: the issue may be about such a mark.
        let Some(end) = rest[start..].find("-->").map(|at| start + at + 3) else { break };
        out.push_str(&rest[..start]);
        out.extend(rest[start..end].chars().filter(|letter| *letter == '\n'));
        rest = &rest[end..];
    }
    out + rest
}

fn is_fence(line: &str) -> bool {
    let line = line.trim();
    ["```", "~~~"].iter().any(|fence| line.starts_with(fence))
        && line.trim_matches(['`', '~']).split_whitespace().count() <= 1
}

fn is_heading(line: &str) -> bool {
    let marked = line.trim_start().starts_with(['#', '*', '_']);
    let words = line.trim().trim_matches(|letter: char| !letter.is_alphanumeric()).to_lowercase();
    marked && HEADINGS.contains(&words.as_str())
}

fn is_check_box(line: &str) -> bool {
    let line = line.trim_start().trim_start_matches(['-', '*', '+']).trim_start();
    ["[ ]", "[x]", "[X]"].iter().any(|mark| line.starts_with(mark))
}

/// Whether a line is a row of `pip list` or of a lock file: a name and a version, and nothing else.
fn is_package_row(line: &str) -> bool {
    let line = line.trim().trim_matches('|');
    let columns: Vec<&str> = match line.split_once("==") {
        Some((name, version)) => vec![name, version],
        None => line.split([' ', '\t', '|', ':']).filter(|part| !part.is_empty()).collect(),
    };
    let [name, version, rest @ ..] = columns.as_slice() else { return false };
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || "-_.[]".contains(letter);
    let version = version.trim().trim_start_matches('v');
    let is_version = version.contains('.')
        && version.starts_with(|letter: char| letter.is_ascii_digit())
        && version.chars().all(|letter| letter.is_ascii_alphanumeric() || ".+-_".contains(letter));
    let is_rule = line.chars().all(|letter| letter == '-' || letter.is_whitespace()) && line.contains("---");
    is_rule || name.trim().chars().all(is_name) && is_version && rest.len() <= 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_issue_about_a_comment_is_kept() {
        let text = "The parser hangs on `<!--`.\n\n  File \"src/hive/store.py\", line 10, in load\n";
        assert!(blank_template(text).contains("src/hive/store.py"));
    }

    #[test]
    fn what_a_form_wrote_is_no_part_of_the_issue() {
        let text = "### Describe the bug\n<!-- Please use\n`search_issues` first -->\nIt hangs in `read_all`.\n\
                    - [x] I have read CONTRIBUTING_GUIDE\n```python\nread_all()\n```\n\
                    Package    Version\n---------- -------\nattrs_strict 1.0.2\nnumpy 1.24.0\nurl_lib==2.0\n";
        let kept = blank_template(text);
        assert!(kept.contains("It hangs in `read_all`.") && kept.contains("\nread_all()\n"), "{kept}");
        for gone in ["Describe", "search_issues", "CONTRIBUTING", "python", "attrs_strict", "url_lib"] {
            assert!(!kept.contains(gone), "{gone}: {kept}");
        }
    }

    #[test]
    fn options_are_told_from_names() {
        let line = "Running `tool --no-cache -k x` or --worker-timeout=5 is well-known, a - b";
        assert_eq!(find_options([line].into_iter()), ["--no-cache", "--worker-timeout"]);
        let kept = blank_options(line);
        assert!(!kept.contains("cache") && !kept.contains("worker") && kept.contains("well-known"), "{kept}");
    }
}
