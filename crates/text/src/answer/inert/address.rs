//! Decides which destinations may stay, and finds addresses in running text.

use super::AllowedLinks;
use crate::Span;
use crate::note::links::{decode, is_external};

/// The verdict on a destination.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LinkVerdict {
    Stays,
    /// It leads to an address that is not allowed.
    Away,
    /// It links to a note that does not exist.
    NoNote,
    /// Its scheme runs something, opens an app or carries its content with it.
    Script,
}

/// Judges a destination as a parser reports it, with entities and escapes resolved.
pub(super) fn judge(destination: &str, allowed: &AllowedLinks<'_>) -> LinkVerdict {
    // Browsers ignore white space and control characters when they look for a scheme.
    let bare: String = destination.chars().filter(|c| !c.is_whitespace() && !c.is_control()).collect();
    let slashes = bare.chars().take_while(|&letter| matches!(letter, '/' | '\\')).count();
    if slashes >= 2 {
        return LinkVerdict::Away;
    }
    if is_external(&bare) {
        let lower = bare.get(..8).unwrap_or(&bare).to_ascii_lowercase();
        let web = lower.starts_with("http://") || lower.starts_with("https://");
        let scheme = lower.starts_with("http:") || lower.starts_with("https:");
        return match (web, scheme) {
            (true, _) if bare == destination && is_plain(destination) && (allowed.urls)(destination) => {
                LinkVerdict::Stays
            }
            (_, true) => LinkVerdict::Away,
            _ => LinkVerdict::Script,
        };
    }
    let path = destination.split(['#', '?']).next().unwrap_or_default();
    let path = decode(path);
    let inside = path.is_empty() && (destination.is_empty() || destination.starts_with('#'));
    let plain = !destination.chars().any(char::is_control) && is_plain(&destination.replace(' ', "_"));
    if plain && (inside || (!path.is_empty() && (allowed.notes)(&path))) {
        LinkVerdict::Stays
    } else {
        LinkVerdict::NoNote
    }
}

/// Whether the destination has no characters that other readers of the raw text could interpret.
fn is_plain(destination: &str) -> bool {
    let odd = |letter: char| letter.is_whitespace() || letter.is_control() || "<>\"`{}|\\^".contains(letter);
    !destination.contains(odd)
        && !["%%", "$$", "[[", "]]", "<%"].iter().any(|mark| destination.contains(mark))
}

/// An address in running text.
pub(super) struct BareAddress {
    pub span: Span,
    pub verdict: LinkVerdict,
}

/// The address around the `:` at `colon`, limited to the range from `from` to `to`.
pub(super) fn find_by_scheme(
    text: &str,
    colon: usize,
    from: usize,
    to: usize,
    in_table: bool,
    allowed: &AllowedLinks<'_>,
) -> Option<BareAddress> {
    let start = scheme_start(text, colon, from);
    let scheme = text[start..colon].trim_end_matches('\\').to_ascii_lowercase();
    let rest = &text[colon + 1..to];
    let slashes = rest.bytes().take_while(|byte| b"/\\".contains(byte)).count();
    let forward = rest[..slashes].bytes().filter(|&byte| byte == b'/').count();
    let host = rest[slashes..].chars().next().filter(|letter| !letter.is_whitespace());
    host.filter(|letter| !matches!(letter, '<' | '>' | '"'))?;
    let web = scheme == "http" || scheme == "https";
    let mail = scheme == "mailto" && slashes == 0;
    if !(forward >= 2 || web || mail) {
        return None;
    }
    let end = end(text, colon + 1 + slashes, to, in_table);
    let verdict = if web { judge_written(&text[start..end], "", allowed) } else { LinkVerdict::Script };
    Some(BareAddress { span: start..end, verdict })
}

fn scheme_start(text: &str, colon: usize, from: usize) -> usize {
    const LONGEST: usize = 32;
    let bytes = text.as_bytes();
    let mut start = colon - usize::from(colon > from && bytes[colon - 1] == b'\\');
    let least = from.max(start.saturating_sub(LONGEST));
    while start > least && (bytes[start - 1].is_ascii_alphanumeric() || b"+.-".contains(&bytes[start - 1])) {
        start -= 1;
    }
    // A scheme begins with a letter.
    while start < colon && bytes[start] != b'\\' && !bytes[start].is_ascii_alphabetic() {
        start += 1;
    }
    start
}

/// The address that begins at `start` with `www.`, or with `//` and a host.
pub(super) fn find_by_host(
    text: &str,
    start: usize,
    to: usize,
    in_table: bool,
    allowed: &AllowedLinks<'_>,
) -> Option<BareAddress> {
    let before = text[..start].chars().next_back();
    if before.is_some_and(|letter| letter.is_alphanumeric() || ":/".contains(letter)) {
        return None;
    }
    let rest = &text[start..to];
    let relative = rest.starts_with("//");
    let host = if relative {
        let host = &rest[2..];
        let length = host.find(|c: char| c.is_whitespace() || "/?#<>\"'`".contains(c)).unwrap_or(host.len());
        let named = host[..length].trim_end_matches('.').contains('.') || host.starts_with('[');
        named && host.starts_with(|c: char| c.is_alphanumeric() || c == '[')
    } else {
        let www = rest.get(..3).is_some_and(|www| www.eq_ignore_ascii_case("www"));
        let dot = rest.get(3..).map(|rest| rest.strip_prefix('\\').unwrap_or(rest));
        let name = dot.and_then(|rest| rest.strip_prefix('.'));
        www && name.is_some_and(|name| name.starts_with(char::is_alphanumeric))
    };
    if !host {
        return None;
    }
    let end = end(text, start + 2, to, in_table);
    let written = &text[start..end];
    let stays = !relative
        && ["https://", "http://"]
            .iter()
            .any(|scheme| judge_written(written, scheme, allowed) == LinkVerdict::Stays);
    Some(BareAddress {
        span: start..end,
        verdict: if stays { LinkVerdict::Stays } else { LinkVerdict::Away },
    })
}

/// Judges an address as written in text, where `&amp;` and backslashes may be encodings.
fn judge_written(written: &str, scheme: &str, allowed: &AllowedLinks<'_>) -> LinkVerdict {
    judge(&format!("{scheme}{}", written.replace("&amp;", "&")), allowed)
}

/// The end of an address: at white space or a character that cannot be part of it, without the sentence's
/// punctuation.
fn end(text: &str, from: usize, to: usize, in_table: bool) -> usize {
    let run = &text[from..to];
    let mut open = 0_usize;
    let mut length = run.len();
    for (at, letter) in run.char_indices() {
        let stops = match letter {
            '<' | '>' | '"' => true,
            '|' => in_table,
            '[' => {
                open += 1;
                false
            }
            ']' if open > 0 => {
                open -= 1;
                false
            }
            // The end of a link text or of a wikilink.
            ']' => !run[at + 1..].starts_with(char::is_alphanumeric),
            _ => letter.is_whitespace(),
        };
        if stops {
            length = at;
            break;
        }
    }
    let mut run = &run[..length];
    let (mut opened, mut closed) = (run.matches('(').count(), run.matches(')').count());
    while let Some(last) = run.chars().next_back() {
        let is_punctuation = match last {
            ')' => closed > opened,
            '(' => true,
            _ => ".,:;!?*_~'`\\{}".contains(last),
        };
        // A host of only punctuation is kept.
        if !is_punctuation || run.len() == last.len_utf8() {
            break;
        }
        closed -= usize::from(last == ')');
        opened -= usize::from(last == '(');
        run = &run[..run.len() - last.len_utf8()];
    }
    from + run.len()
}
