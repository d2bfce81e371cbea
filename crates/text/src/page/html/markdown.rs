//! Renders blocks as Markdown; the text of the page is escaped and never becomes markup.

use super::blocks::{BlockKind, Container, Inline, PageBlock, TextLine};

/// Escapes a line of text for Markdown, as in a heading.
pub fn markdown_line(text: &str) -> String {
    let (seen, _) = crate::strip_hidden(text);
    let words: Vec<&str> = seen.split_whitespace().collect();
    let mut out = String::new();
    push_text(&mut out, &words.join(" "), TextPosition { in_table: false, in_link: false, after: ' ' });
    out
}

pub(super) fn render_markdown(blocks: &[PageBlock]) -> String {
    let mut out = String::new();
    let mut before: Option<&PageBlock> = None;
    for block in blocks {
        if let Some(before) = before {
            let tight = is_tight_item(before, block);
            if !tight {
                out.push_str(prefix(&common_containers(before, block), true).trim_end());
                out.push('\n');
            }
        }
        let body = body(&block.kind);
        for (number, line) in body.split('\n').enumerate() {
            let begun = before.filter(|_| number == 0);
            let prefix = match number {
                0 => first_prefix(begun, block),
                _ => prefix(&block.within, true),
            };
            let line = format!("{prefix}{line}");
            out.push_str(line.trim_end());
            out.push('\n');
        }
        before = Some(block);
    }
    out
}

/// Whether the blocks are short items that follow each other in a list.
fn is_tight_item(before: &PageBlock, block: &PageBlock) -> bool {
    let item = |block: &PageBlock| match block.within.last() {
        Some(Container::Item { number, .. }) => Some(*number),
        _ => None,
    };
    let is_line = |block: &PageBlock| matches!(block.kind, BlockKind::Paragraph(_));
    match (item(before), item(block)) {
        (Some(one), Some(other)) => {
            one != other
                && is_line(before)
                && is_line(block)
                && is_bullet_item(before) == is_bullet_item(block)
        }
        _ => false,
    }
}

fn is_bullet_item(block: &PageBlock) -> bool {
    matches!(block.within.last(), Some(Container::Item { marker, .. }) if marker == "- ")
}

fn common_containers(one: &PageBlock, other: &PageBlock) -> Vec<Container> {
    let pairs = one.within.iter().zip(&other.within);
    pairs.take_while(|(one, other)| one == other).map(|(one, _)| one.clone()).collect()
}

/// The prefix of a block: markers of items that begin with it, and indentation for those that began before.
fn first_prefix(before: Option<&PageBlock>, block: &PageBlock) -> String {
    let begun = before.map_or(0, |before| common_containers(before, block).len());
    let mut out = prefix(&block.within[..begun], true);
    out.push_str(&prefix(&block.within[begun..], false));
    out
}

fn prefix(within: &[Container], begun: bool) -> String {
    within.iter().fold(String::new(), |mut out, within| {
        match within {
            Container::Quote => out.push_str("> "),
            Container::Item { marker, .. } if begun => out.extend(std::iter::repeat_n(' ', marker.len())),
            Container::Item { marker, .. } => out.push_str(marker),
        }
        out
    })
}

fn body(kind: &BlockKind) -> String {
    match kind {
        BlockKind::Heading(level, line) => {
            format!("{} {}", "#".repeat(usize::from(*level)), inlines(line, false).replace('\n', " "))
        }
        BlockKind::Paragraph(line) => {
            inlines(line, false).split('\n').map(escape_line_start).collect::<Vec<_>>().join("\n")
        }
        BlockKind::Code { language, text } => {
            let fence = "`".repeat(longest_run(text).max(2) + 1);
            format!("{fence}{language}\n{text}\n{fence}")
        }
        BlockKind::Table(rows) => {
            let columns = rows.first().map_or(0, Vec::len);
            let row = |cells: &[TextLine]| {
                let cells: Vec<String> =
                    cells.iter().map(|cell| inlines(cell, true).replace('\n', " ")).collect();
                format!("| {} |", cells.join(" | "))
            };
            let mut lines: Vec<String> = rows.iter().map(|cells| row(cells)).collect();
            lines.insert(1, format!("|{}", " --- |".repeat(columns)));
            lines.join("\n")
        }
    }
}

fn inlines(line: &TextLine, in_table: bool) -> String {
    let mut out = String::new();
    let mut parts = merge_texts(line).into_iter().peekable();
    while let Some(inline) = parts.next() {
        match inline {
            Inline::Text(text) => {
                let after = match parts.peek() {
                    Some(Inline::Link { .. }) => '[',
                    Some(Inline::Code(_)) => '`',
                    _ => ' ',
                };
                push_text(&mut out, &text, TextPosition { in_table, in_link: false, after });
            }
            Inline::Code(code) => {
                let code = if in_table { code.replace('|', "\\|") } else { code };
                let ticks = "`".repeat(longest_run(&code) + 1);
                let pad = if code.starts_with('`') || code.ends_with('`') { " " } else { "" };
                out.push_str(&format!("{ticks}{pad}{code}{pad}{ticks}"));
            }
            Inline::Link { text, to } => {
                out.push('[');
                push_text(&mut out, &text, TextPosition { in_table, in_link: true, after: ']' });
                out.push_str(&format!("]({to})"));
            }
            Inline::Break => out.push('\n'),
        }
    }
    out
}

/// Merges adjacent texts of a line, since markup could be formed by both.
fn merge_texts(line: &TextLine) -> Vec<Inline> {
    let mut joined: Vec<Inline> = Vec::new();
    for inline in &line.0 {
        match (joined.last_mut(), inline) {
            (Some(Inline::Text(before)), Inline::Text(text)) => before.push_str(text),
            _ => joined.push(inline.clone()),
        }
    }
    joined
}

/// The position of a text in its line.
#[derive(Clone, Copy)]
struct TextPosition {
    in_table: bool,
    in_link: bool,
    /// The character after the text.
    after: char,
}

/// Puts a backslash before characters that Markdown would interpret, and only there.
fn push_text(out: &mut String, text: &str, place: TextPosition) {
    let mut before = ' ';
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let next = letters.peek().copied().unwrap_or(place.after);
        let marks = match letter {
            '\\' => next.is_ascii_punctuation(),
            '`' => true,
            '*' => !(before.is_whitespace() && next.is_whitespace()),
            '_' => {
                !(before.is_alphanumeric() && next.is_alphanumeric()
                    || before.is_whitespace() && next.is_whitespace())
            }
            '<' => next.is_ascii_alphabetic() || matches!(next, '/' | '!' | '?'),
            '&' => next.is_ascii_alphanumeric() || next == '#',
            '!' => next == '[',
            '[' => place.in_link || matches!(next, '^' | '['),
            ']' => place.in_link || matches!(next, '(' | '[' | ':' | ']'),
            '~' | '=' | '%' | '$' => next == letter || before == letter,
            '|' => place.in_table,
            _ => false,
        };
        if marks {
            out.push('\\');
        }
        out.push(letter);
        before = letter;
    }
}

/// Escapes the start of a line that would begin a block.
fn escape_line_start(line: &str) -> String {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    if (1..=9).contains(&digits)
        && matches!(line.as_bytes().get(digits), Some(b'.' | b')'))
        && line.as_bytes().get(digits + 1).is_none_or(|&byte| byte == b' ')
    {
        return format!("{}\\{}", &line[..digits], &line[digits..]);
    }
    let first = line.chars().next().unwrap_or(' ');
    let rest = line.trim_start_matches(first);
    let marks = match first {
        '#' => rest.is_empty() || rest.starts_with(' '),
        '>' | '|' => true,
        '-' | '+' => {
            line[1..].is_empty()
                || line[1..].starts_with(' ')
                || rest.replace(' ', "").trim_matches('-').is_empty()
        }
        '=' => rest.trim().is_empty(),
        _ => false,
    };
    if marks { format!("\\{line}") } else { line.to_owned() }
}

fn longest_run(text: &str) -> usize {
    text.split(|letter| letter != '`').map(str::len).max().unwrap_or(0)
}
