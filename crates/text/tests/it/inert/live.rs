//! Whether a text holds anything live: a look of its own, at the parser's events and at the raw text outside of code.

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use super::{GOOD, NOTES};

/// What is live in a text, if anything; that the host occurs outside of code counts too.
pub fn live(text: &str, host: &str) -> Option<String> {
    let all = Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_MATH
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_TASKLISTS;
    let readings = [Options::empty(), all, all | Options::ENABLE_WIKILINKS];
    readings.into_iter().find_map(|options| live_event(text, options, host)).or_else(|| raw(text))
}

fn live_event(text: &str, options: Options, host: &str) -> Option<String> {
    let mut events = Parser::new_ext(text, options).into_offset_iter();
    let (mut said, mut outside, mut done, mut in_code) = (String::new(), String::new(), 0, false);
    for (event, span) in events.by_ref() {
        let bad = match &event {
            Event::Start(Tag::Image { .. } | Tag::HtmlBlock) | Event::Html(_) | Event::InlineHtml(_) => true,
            Event::Start(Tag::Link { dest_url, title, id, .. }) => {
                said.push_str(title);
                !may_stay(dest_url, id)
            }
            Event::Start(Tag::CodeBlock(kind)) => {
                in_code = true;
                let info = if let CodeBlockKind::Fenced(info) = kind { info.as_ref() } else { "" };
                said.push_str(info);
                let word = info.split([' ', ',', '{', '\t']).next().unwrap_or_default();
                !["", "text", "rust", "js", "html", "http", "mermaid"].contains(&word)
            }
            Event::End(TagEnd::CodeBlock) => {
                in_code = false;
                false
            }
            Event::Code(words) => {
                said.push('\n');
                words.trim().starts_with("$=") || words.trim().starts_with("= ")
            }
            Event::SoftBreak | Event::HardBreak => {
                said.push('\n');
                false
            }
            Event::Text(words) | Event::InlineMath(words) | Event::DisplayMath(words) if !in_code => {
                said.push_str(words);
                false
            }
            _ => false,
        };
        if bad {
            return Some(format!("{event:?}"));
        }
        if (in_code && matches!(event, Event::Text(_))) || matches!(event, Event::Code(_)) {
            outside.push_str(text.get(done..span.start).unwrap_or_default());
            outside.push('\n');
            done = span.end;
        }
    }
    outside.push_str(&text[done..]);
    for (_, definition) in events.reference_definitions().iter() {
        said.push_str(&definition.dest);
    }
    let marks = ["%%", "{{"].into_iter().find(|mark| outside.contains(mark));
    let hosts = [&said, &outside].into_iter().any(|text| text.to_lowercase().contains(host));
    marks.map(|mark| format!("{mark} outside of code")).or(hosts.then(|| format!("{host} outside of code")))
}

fn may_stay(dest: &str, id: &str) -> bool {
    // `[^1]: Word` is a footnote, but to who knows none.
    let scheme = dest.split(':').next().unwrap_or_default();
    let leads_away = scheme.len() < dest.len()
        && !scheme.is_empty()
        && scheme.chars().all(|letter| letter.is_ascii_alphanumeric() || "+.-".contains(letter));
    let footnote = id.starts_with('^') && !leads_away && !dest.starts_with("//");
    let path = dest.split('#').next().unwrap_or_default().trim().replace("%20", " ");
    footnote || GOOD.contains(&dest) || path.is_empty() || NOTES.contains(&path.as_str())
}

fn raw(text: &str) -> Option<String> {
    let first = text.trim_start().lines().next().unwrap_or_default().trim_end();
    if !first.is_empty() && ["-", "="].iter().any(|mark| first.replace(mark, "").is_empty()) {
        return Some("a first line that belongs to what stands before it".to_owned());
    }
    let hidden = |letter: char| {
        matches!(letter, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{e0000}'..='\u{e0fff}')
            || (letter.is_control() && !matches!(letter, '\n' | '\t' | '\r'))
    };
    if text.contains(hidden) {
        return Some("hidden characters".to_owned());
    }
    text.contains("<%").then(|| "a template".to_owned())
}
