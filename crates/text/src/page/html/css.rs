//! Decides whether an inline style hides its element.
//!
//! Declarations are read as in CSS (any case, comments, escapes, `!important`), but more strictly: a declaration that
//! hides counts even if a later one reverts it, and if comments and strings can be read in several ways, each of them
//! counts. Calculated values are not evaluated: if they could be zero, they hide.

mod size;

use std::collections::HashMap;

use size::{fraction, is_far, is_off_screen_offset, is_unreadable_size, is_zero, length, pixels, vanishes};

/// Whether an element with this style is invisible.
pub(super) fn hides(style: &str) -> bool {
    is_hiding(style)
        || is_hiding(&without_comments(style, true))
        || is_hiding(&without_comments(style, false))
}

fn is_hiding(style: &str) -> bool {
    let declarations: Vec<(String, String)> = declarations(style).collect();
    let declarations = with_variables(declarations);
    declarations.iter().any(|(property, value)| is_hiding_declaration(property, value))
        || is_hiding_combination(&declarations)
}

/// Removes comments. With `strings`, what looks like a comment inside a string or an address stays.
fn without_comments(style: &str, strings: bool) -> String {
    let mut kept = String::with_capacity(style.len());
    let mut rest = style;
    while let Some(letter) = rest.chars().next() {
        let length = if let Some(comment) = rest.strip_prefix("/*") {
            // A comment separates two words.
            kept.push(' ');
            rest = comment.find("*/").map_or("", |close| &comment[close + 2..]);
            continue;
        } else if strings && matches!(letter, '"' | '\'') {
            string_length(rest, letter)
        } else if strings && rest.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("url(")) {
            let quoted = rest[4..].trim_start().starts_with(['"', '\'']);
            if quoted { 4 } else { rest.find(')').map_or(rest.len(), |close| close + 1) }
        } else {
            letter.len_utf8()
        };
        kept.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    kept
}

/// The length of the string that begins here. A line break ends it too.
fn string_length(text: &str, quote: char) -> usize {
    let mut escaped = true;
    let end = text.char_indices().find(|&(_, letter)| {
        let ends = !escaped && (letter == quote || letter == '\n');
        escaped = !escaped && letter == '\\';
        ends
    });
    end.map_or(text.len(), |(at, letter)| at + letter.len_utf8())
}

/// Appends the values of the style's own variables to each value that uses them.
fn with_variables(mut declarations: Vec<(String, String)>) -> Vec<(String, String)> {
    let mut variables: HashMap<String, String> = HashMap::new();
    for (name, value) in declarations.iter().filter(|(property, _)| property.starts_with("--")) {
        let values = variables.entry(name.clone()).or_default();
        values.push(' ');
        values.push_str(value);
    }
    for (property, value) in &mut declarations {
        if !property.starts_with("--") && value.contains("var(") {
            value.push_str(&resolve_variables(value, &variables));
        }
    }
    declarations
}

/// The values of the variables that a value uses, directly or through others. If there are more than anybody writes,
/// a value that hides.
fn resolve_variables(value: &str, variables: &HashMap<String, String>) -> String {
    const MOST: usize = 4;
    const LONGEST: usize = 100;
    let mut found: Vec<&str> = Vec::new();
    let mut values = String::new();
    let mut open: Vec<&str> = vec![value];
    while let Some(value) = open.pop() {
        for name in words(value).filter(|word| word.starts_with("--")) {
            let Some(value) = variables.get(name).filter(|_| !found.contains(&name)) else { continue };
            if found.len() == MOST || value.len() > LONGEST {
                return " none hidden 0".to_owned();
            }
            found.push(name);
            values.push_str(value);
            open.push(value);
        }
    }
    values
}

/// Properties and values: in lower case, escapes resolved, single spaces, without `!important`.
fn declarations(style: &str) -> impl Iterator<Item = (String, String)> + '_ {
    style.split(';').filter_map(|declaration| {
        let (property, value) = declaration.split_once(':')?;
        let property = normalize_text(property);
        let value = normalize_text(value);
        let value = value.split('!').next().unwrap_or_default().trim().to_owned();
        // A vendor prefix changes nothing: `-webkit-transform`.
        let unprefixed =
            property.strip_prefix('-').and_then(|rest| rest.split_once('-')).map(|(_, rest)| rest);
        let property = unprefixed.filter(|_| !property.starts_with("--")).unwrap_or(&property).to_owned();
        Some((property, value))
    })
}

fn normalize_text(text: &str) -> String {
    unescape(text).to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Resolves CSS escapes: `\64 isplay` is `display`.
fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            out.push(letter);
            continue;
        }
        let mut code = 0;
        let mut digits = 0;
        while let Some(digit) = letters.peek().and_then(|letter| letter.to_digit(16)).filter(|_| digits < 6) {
            code = code * 16 + digit;
            digits += 1;
            letters.next();
        }
        if digits > 0 {
            out.push(char::from_u32(code).unwrap_or('\u{fffd}'));
            letters.next_if(|letter| letter.is_whitespace());
        } else if let Some(next) = letters.next() {
            out.push(next);
        }
    }
    out
}

fn is_hiding_declaration(property: &str, value: &str) -> bool {
    match property {
        // The value of a variable defined elsewhere is unknown.
        "display" => words(value).any(|word| matches!(word, "none" | "var" | "attr")),
        "visibility" => words(value).any(|word| matches!(word, "hidden" | "collapse" | "var" | "attr")),
        "content-visibility" => words(value).any(|word| matches!(word, "hidden" | "var" | "attr")),
        "opacity" => {
            let calculated = value.contains('(') && !value.starts_with("var(");
            calculated || vanishes(value) || fraction(value).is_some_and(|seen| seen <= 0.05)
        }
        "filter" => function_arguments(value, "opacity(").and_then(fraction).is_some_and(|seen| seen <= 0.05),
        "font-size" | "zoom" => is_unreadable_size(value) || vanishes(value),
        "font" => value.split([' ', '/']).any(is_unreadable_size) || vanishes(value),
        "color" | "text-fill-color" => is_transparent(value),
        "text-indent" => value.split(' ').any(|part| is_far(part) || is_off_screen_offset(part, false)),
        "letter-spacing" | "word-spacing" => value.split(' ').any(is_far),
        "translate" | "padding-left" | "padding-top" => value.split(' ').any(is_far),
        _ if is_side(property) || property.starts_with("margin") => value.split(' ').any(is_far),
        "transform" => moves_away(value),
        "scale" => value.split(' ').any(|part| fraction(part) == Some(0.0)) || vanishes(value),
        "clip" => function_arguments(value, "rect(").is_some_and(|sides| {
            let sides: Vec<f64> =
                sides.split([',', ' ']).filter(|side| !side.is_empty()).filter_map(pixels).collect();
            matches!(sides[..], [top, right, bottom, left] if bottom - top <= 1.0 || right - left <= 1.0)
        }),
        "clip-path" => clips_all(value),
        _ => false,
    }
}

/// The words and numbers of a value, those of functions included.
fn words(value: &str) -> impl Iterator<Item = &str> {
    value.split(|letter: char| !letter.is_alphanumeric() && !matches!(letter, '-' | '_'))
}

fn is_side(property: &str) -> bool {
    matches!(property, "left" | "right" | "top" | "bottom") || property.starts_with("inset")
}

/// Whether the element is positioned outside of the page.
fn is_off_screen(declarations: &[(String, String)]) -> bool {
    let is_placed = |(property, value): &(String, String)| {
        property == "position" && words(value).any(|word| matches!(word, "absolute" | "fixed" | "var"))
    };
    let is_away = |(property, value): &(String, String)| {
        is_side(property)
            && (value.contains('*') || value.split(' ').any(|part| is_off_screen_offset(part, true)))
    };
    declarations.iter().any(is_placed) && declarations.iter().any(is_away)
}

/// Whether the box has no size or is off the screen, or the text has the color of its background.
fn is_hiding_combination(declarations: &[(String, String)]) -> bool {
    let value = |names: &[&str]| {
        declarations
            .iter()
            .rev()
            .find(|(property, _)| names.contains(&property.as_str()))
            .map(|(_, value)| value.as_str())
    };
    let clipped = value(&["overflow", "overflow-x", "overflow-y"])
        .is_some_and(|value| value.contains("hidden") || value.contains("clip"));
    let tiny = |names: &[&str]| value(names).and_then(pixels).is_some_and(|size| size <= 1.0);
    let tiny = tiny(&["height", "max-height", "block-size", "max-block-size"])
        || tiny(&["width", "max-width", "inline-size", "max-inline-size"]);
    let indented = value(&["text-indent"])
        .is_some_and(|indent| length(indent).is_some_and(|(by, unit)| unit == "%" && by >= 100.0));
    let same = match (value(&["color"]), value(&["background-color", "background"])) {
        (Some(text), Some(behind)) => {
            normalize_color(text) == normalize_color(behind.split(' ').next().unwrap_or_default())
        }
        _ => false,
    };
    (clipped && (tiny || indented)) || same || is_off_screen(declarations)
}

/// Normalizes the spelling of a color in simple cases.
fn normalize_color(value: &str) -> String {
    match value {
        "white" => "#ffffff".to_owned(),
        "black" => "#000000".to_owned(),
        _ => match value.strip_prefix('#') {
            Some(short) if short.chars().count() == 3 => {
                "#".chars().chain(short.chars().flat_map(|digit| [digit, digit])).collect()
            }
            _ => match function_arguments(value, "rgb(") {
                Some(parts) => {
                    let parts: Vec<f64> =
                        parts.split([',', ' ']).filter_map(|part| part.trim().parse().ok()).collect();
                    parts.iter().fold("#".to_owned(), |hex, part| format!("{hex}{:02x}", *part as u8))
                }
                None => value.to_owned(),
            },
        },
    }
}

fn is_transparent(value: &str) -> bool {
    if value == "transparent" {
        return true;
    }
    let parts = function_arguments(value, "rgba(")
        .or(function_arguments(value, "hsla("))
        .or(function_arguments(value, "rgb("))
        .or(function_arguments(value, "hsl("));
    let alpha = parts.and_then(|parts| {
        let parts: Vec<&str> = parts.split([',', ' ', '/']).filter(|part| !part.is_empty()).collect();
        parts.get(3).copied().and_then(fraction)
    });
    let digits = value.strip_prefix('#').filter(|digits| digits.is_ascii());
    alpha.is_some_and(|alpha| alpha <= 0.05)
        || digits.is_some_and(|digits| match digits.len() {
            4 => digits.ends_with('0'),
            8 => digits.ends_with("00"),
            _ => false,
        })
}

fn moves_away(value: &str) -> bool {
    value.split(')').filter_map(|part| part.trim().split_once('(')).any(|(name, arguments)| {
        let arguments = || arguments.split([',', ' ']).map(str::trim).filter(|argument| !argument.is_empty());
        match name.trim() {
            "translate" | "translatex" | "translatey" | "translate3d" => arguments().any(is_far),
            "scale" | "scalex" | "scaley" | "scale3d" => arguments().any(|by| fraction(by) == Some(0.0)),
            "matrix" => arguments().next().and_then(fraction) == Some(0.0) || arguments().any(is_far),
            _ => false,
        }
    })
}

fn clips_all(value: &str) -> bool {
    if let Some(sides) = function_arguments(value, "inset(") {
        return sides.split(' ').filter_map(length).any(|(by, unit)| unit == "%" && by >= 50.0);
    }
    if let Some(radius) = function_arguments(value, "circle(").or(function_arguments(value, "ellipse(")) {
        return radius
            .split(' ')
            .next()
            .is_some_and(|radius| length(radius).is_some_and(|(by, _)| by <= 0.0));
    }
    function_arguments(value, "polygon(")
        .is_some_and(|points| points.split([',', ' ']).filter(|part| !part.is_empty()).all(is_zero))
}

/// The text in the parentheses after a function name.
fn function_arguments<'a>(value: &'a str, opening: &str) -> Option<&'a str> {
    let (_, rest) = value.split_once(opening)?;
    Some(rest.split(')').next().unwrap_or_default())
}
