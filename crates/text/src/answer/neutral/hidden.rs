//! Removes code points that a reader does not see, which could hide words or reverse their order.
//!
//! Joiners and variation selectors are needed in some scripts and in emoji, and stay there.

use std::borrow::Cow;

/// Returns the text without hidden characters, and their number. A Unicode line break becomes `\n`; an escape
/// sequence of a terminal is removed as a whole and counts once.
pub fn strip_hidden(text: &str) -> (Cow<'_, str>, usize) {
    if !text.chars().any(|letter| is_hidden(letter) || is_joiner_or_selector(letter) || letter == '\r') {
        return (Cow::Borrowed(text), 0);
    }
    // Characters that are hidden everywhere go first, so that they cannot separate those that are judged by context.
    let mut kept: Vec<char> = Vec::with_capacity(text.len());
    let mut removed = 0;
    for letter in text.chars() {
        match letter {
            '\u{2028}' | '\u{2029}' | '\u{85}' => {
                kept.push('\n');
                removed += 1;
            }
            ESCAPE | CSI | BELL => kept.push(letter),
            _ if is_hidden(letter) => removed += 1,
            _ => kept.push(letter),
        }
    }
    let mut out: Vec<char> = Vec::with_capacity(kept.len());
    let mut at = 0;
    while let Some(&letter) = kept.get(at) {
        let stays = match letter {
            ESCAPE | CSI | BELL => {
                at += escape_sequence(&kept[at..]);
                removed += 1;
                continue;
            }
            '\r' => kept.get(at + 1) == Some(&'\n'),
            _ if is_joiner_or_selector(letter) => {
                is_used(out.last().copied(), letter, kept.get(at + 1).copied())
            }
            _ => true,
        };
        if stays {
            out.push(letter);
        } else {
            removed += 1;
        }
        at += 1;
    }
    if removed == 0 { (Cow::Borrowed(text), 0) } else { (Cow::Owned(out.into_iter().collect()), removed) }
}

const ESCAPE: char = '\u{1b}';
const CSI: char = '\u{9b}';
const BELL: char = '\u{7}';

/// The length of the terminal escape sequence at the start of the text. The search for its end is bounded.
fn escape_sequence(text: &[char]) -> usize {
    const FAR: usize = 2_000;
    let (start, kind) = match text {
        [CSI, ..] => (1, '['),
        [ESCAPE, kind @ ('[' | ']'), ..] => (2, *kind),
        _ => return 1,
    };
    let within = &text[start..text.len().min(start + FAR)];
    if kind == '[' {
        let body = within.iter().take_while(|letter| matches!(letter, ' '..='?')).count();
        return match within.get(body) {
            Some('@'..='~') => start + body + 1,
            _ => start,
        };
    }
    let end = within.iter().position(|letter| matches!(*letter, BELL | ESCAPE | '\n'));
    match end.map(|end| (start + end, text[start + end], text.get(start + end + 1))) {
        Some((end, BELL, _)) => end + 1,
        Some((end, ESCAPE, Some('\\'))) => end + 2,
        _ => start,
    }
}

/// Whether the character is hidden in every context.
pub(crate) fn is_hidden(letter: char) -> bool {
    if letter.is_ascii() {
        return letter.is_ascii_control() && !matches!(letter, '\n' | '\t' | '\r');
    }
    matches!(
        letter,
        '\u{80}'..='\u{9f}'
            | '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'
            | '\u{1160}'
            | '\u{17b4}'
            | '\u{17b5}'
            | '\u{200b}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{fdd0}'..='\u{fdef}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{fffe}'
            | '\u{ffff}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

/// Whether the character is invisible but needed next to some letters: joiners and variation selectors.
pub(crate) fn is_joiner_or_selector(letter: char) -> bool {
    matches!(letter, '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}' | '\u{180b}'..='\u{180f}')
}

fn is_used(before: Option<char>, letter: char, after: Option<char>) -> bool {
    let Some(before) = before else { return false };
    match letter {
        '\u{200c}' => is_joining_letter(before),
        '\u{200d}' => {
            is_joining_letter(before)
                || (is_emoji(before)
                    && after.is_some_and(|after| is_emoji(after) && !is_joiner_or_selector(after)))
        }
        '\u{fe0e}' | '\u{fe0f}' => {
            let key = matches!(before, '0'..='9' | '#' | '*') && after == Some('\u{20e3}');
            key || (is_emoji(before) && before != '\u{fe0f}')
        }
        '\u{180b}'..='\u{180f}' => matches!(before, '\u{1820}'..='\u{18aa}'),
        _ => false,
    }
}

/// Whether the letter belongs to a script with joiners: Arabic and related, Indic, Mongolian.
fn is_joining_letter(letter: char) -> bool {
    let of_a_script = matches!(
        letter,
        '\u{620}'..='\u{7ff}'
            | '\u{860}'..='\u{dff}'
            | '\u{1000}'..='\u{109f}'
            | '\u{1780}'..='\u{17d3}'
            | '\u{1820}'..='\u{18aa}'
            | '\u{1b00}'..='\u{1b7f}'
            | '\u{a840}'..='\u{a9df}'
            | '\u{fb50}'..='\u{fdcf}'
            | '\u{fe70}'..='\u{fefc}'
            | '\u{10a00}'..='\u{10a5f}'
            | '\u{11000}'..='\u{1174f}'
            | '\u{1e900}'..='\u{1e95f}'
    );
    of_a_script && !is_hidden(letter)
}

/// Whether the character occurs in emoji, variation selector included.
fn is_emoji(letter: char) -> bool {
    matches!(
        letter,
        '\u{a9}' | '\u{ae}' | '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}' | '\u{24c2}' | '\u{fe0f}'
            | '\u{2190}'..='\u{21ff}'
            | '\u{2300}'..='\u{23ff}'
            | '\u{25a0}'..='\u{27bf}'
            | '\u{2934}' | '\u{2935}'
            | '\u{2b00}'..='\u{2bff}'
            | '\u{3030}' | '\u{303d}' | '\u{3297}' | '\u{3299}'
            | '\u{1f000}'..='\u{1faff}'
    )
}
