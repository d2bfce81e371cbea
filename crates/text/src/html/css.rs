//! Whether an inline style hides its element.
//!
//! Reads declarations as CSS does (letters of either case, comments, escapes, `!important`), and is strict where CSS is
//! kind: a declaration that hides counts even where a later one takes it back.

/// Whether somebody who looks at the page does not see an element with this style.
pub(super) fn hides(style: &str) -> bool {
    let style = without_comments(style);
    let declarations: Vec<(String, String)> = declarations(&style).collect();
    declarations.iter().any(|(property, value)| hides_alone(property, value)) || hides_together(&declarations)
}

fn without_comments(style: &str) -> String {
    let mut kept = String::with_capacity(style.len());
    let mut rest = style;
    while let Some(open) = rest.find("/*") {
        kept.push_str(&rest[..open]);
        // A comment parts two words.
        kept.push(' ');
        rest = rest[open + 2..].find("*/").map_or("", |close| &rest[open + 2 + close + 2..]);
    }
    kept.push_str(rest);
    kept
}

/// Properties and values: in lower case, escapes read, single spaces, without `!important`.
fn declarations(style: &str) -> impl Iterator<Item = (String, String)> + '_ {
    style.split(';').filter_map(|declaration| {
        let (property, value) = declaration.split_once(':')?;
        let property = plain(property);
        let value = plain(value);
        let value = value.split('!').next().unwrap_or_default().trim().to_owned();
        // A prefix changes nothing: `-webkit-transform`.
        let unprefixed =
            property.strip_prefix('-').and_then(|rest| rest.split_once('-')).map(|(_, rest)| rest);
        let property = unprefixed.filter(|_| !property.starts_with("--")).unwrap_or(&property).to_owned();
        Some((property, value))
    })
}

fn plain(text: &str) -> String {
    unescaped(text).to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// CSS escapes read: `\64 isplay` is `display`.
fn unescaped(text: &str) -> String {
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

fn hides_alone(property: &str, value: &str) -> bool {
    match property {
        "display" => value.split(' ').any(|word| word == "none"),
        "visibility" => matches!(value, "hidden" | "collapse"),
        "content-visibility" => value == "hidden",
        "opacity" => fraction(value).is_some_and(|seen| seen <= 0.05),
        "filter" => inside(value, "opacity(").and_then(fraction).is_some_and(|seen| seen <= 0.05),
        "font-size" | "zoom" => is_speck(value),
        "font" => value.split([' ', '/']).any(is_speck),
        "color" | "text-fill-color" => is_transparent(value),
        "text-indent" | "letter-spacing" | "word-spacing" => is_far(value),
        "left"
        | "right"
        | "top"
        | "bottom"
        | "inset"
        | "inset-inline-start"
        | "inset-inline-end"
        | "inset-block-start"
        | "inset-block-end"
        | "margin"
        | "margin-left"
        | "margin-right"
        | "margin-top"
        | "margin-bottom"
        | "margin-inline-start"
        | "margin-inline-end"
        | "translate"
        | "padding-left"
        | "padding-top" => value.split(' ').any(is_far),
        "transform" => moves_away(value),
        "scale" => value.split(' ').any(|part| fraction(part) == Some(0.0)),
        "clip" => inside(value, "rect(").is_some_and(|sides| {
            let sides: Vec<f64> =
                sides.split([',', ' ']).filter(|side| !side.is_empty()).filter_map(pixels).collect();
            matches!(sides[..], [top, right, bottom, left] if bottom - top <= 1.0 || right - left <= 1.0)
        }),
        "clip-path" => clips_all(value),
        _ => false,
    }
}

/// A box of no size, or text in the colour of what is behind it.
fn hides_together(declarations: &[(String, String)]) -> bool {
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
        (Some(text), Some(behind)) => colour(text) == colour(behind.split(' ').next().unwrap_or_default()),
        _ => false,
    };
    (clipped && (tiny || indented)) || same
}

/// The same colour in one spelling, as far as that is simple.
fn colour(value: &str) -> String {
    match value {
        "white" => "#ffffff".to_owned(),
        "black" => "#000000".to_owned(),
        _ => match value.strip_prefix('#') {
            Some(short) if short.chars().count() == 3 => {
                "#".chars().chain(short.chars().flat_map(|digit| [digit, digit])).collect()
            }
            _ => match inside(value, "rgb(") {
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
    let parts =
        inside(value, "rgba(").or(inside(value, "hsla(")).or(inside(value, "rgb(")).or(inside(value, "hsl("));
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
    if let Some(sides) = inside(value, "inset(") {
        return sides.split(' ').filter_map(length).any(|(by, unit)| unit == "%" && by >= 50.0);
    }
    if let Some(radius) = inside(value, "circle(").or(inside(value, "ellipse(")) {
        return radius
            .split(' ')
            .next()
            .is_some_and(|radius| length(radius).is_some_and(|(by, _)| by <= 0.0));
    }
    inside(value, "polygon(").is_some_and(|points| {
        points
            .split([',', ' '])
            .filter(|part| !part.is_empty())
            .all(|part| length(part).is_some_and(|(by, _)| by == 0.0))
    })
}

/// What stands in the parentheses after a name.
fn inside<'a>(value: &'a str, opening: &str) -> Option<&'a str> {
    let (_, rest) = value.split_once(opening)?;
    Some(rest.split(')').next().unwrap_or_default())
}

/// A size at which nobody can read.
fn is_speck(value: &str) -> bool {
    match length(value) {
        Some((by, "%")) => by <= 5.0,
        Some((by, "em" | "rem")) => by <= 0.1,
        Some((
            by,
            "px" | "pt" | "vw" | "vh" | "ex" | "ch" | "cm" | "mm" | "in" | "pc" | "q" | "vmin" | "vmax",
        )) => by <= 0.0 || pixels(value).is_some_and(|pixels| pixels < 2.0),
        Some((by, "")) => by == 0.0,
        _ => false,
    }
}

/// So far away that it is on no screen.
fn is_far(value: &str) -> bool {
    match length(value) {
        Some((by, "%" | "vw" | "vh" | "vmin" | "vmax")) => by <= -100.0 || by >= 300.0,
        Some(_) => pixels(value).is_some_and(|pixels| pixels <= -900.0 || pixels >= 4000.0),
        None => false,
    }
}

fn pixels(value: &str) -> Option<f64> {
    let (by, unit) = length(value)?;
    Some(match unit {
        "em" | "rem" | "pc" => by * 16.0,
        "ex" | "ch" => by * 8.0,
        "vw" | "vh" | "vmin" | "vmax" => by * 10.0,
        "cm" => by * 37.8,
        "mm" => by * 3.78,
        "q" => by * 0.945,
        "in" => by * 96.0,
        "pt" => by * 96.0 / 72.0,
        "px" | "" => by,
        "%" if by == 0.0 => 0.0,
        _ => return None,
    })
}

/// A number between 0 and 1, of a number or a percentage.
fn fraction(value: &str) -> Option<f64> {
    let (by, unit) = length(value)?;
    match unit {
        "" => Some(by),
        "%" => Some(by / 100.0),
        _ => None,
    }
}

/// A number and its unit.
fn length(value: &str) -> Option<(f64, &str)> {
    let value = value.trim();
    let value = ["calc(", "min(", "max("].iter().find_map(|name| value.strip_prefix(name)).unwrap_or(value);
    let value = value.trim().trim_end_matches(')').trim();
    let bytes = value.as_bytes();
    let is_number = |at: usize| match bytes[at] {
        b'+' | b'-' | b'.' | b'0'..=b'9' => true,
        // An exponent, and not the beginning of `em`.
        b'e' => matches!(bytes.get(at + 1), Some(b'+' | b'-' | b'0'..=b'9')),
        _ => false,
    };
    let end = (0..bytes.len()).find(|&at| !is_number(at)).unwrap_or(bytes.len());
    let number: f64 = value[..end].parse().ok()?;
    number.is_finite().then(|| (number, value[end..].trim()))
}
