//! Lengths and numbers of a style, and whether they are too small or too far away to be seen.

/// Whether text of this size is too small to read.
pub(super) fn is_unreadable_size(value: &str) -> bool {
    match length(value) {
        Some((by, "%")) => by <= 5.0,
        Some((by, "em" | "rem")) => by <= 0.1,
        Some((by, "")) => by == 0.0,
        Some((by, unit)) => is_unit(unit) && (by <= 0.0 || pixels(value).is_some_and(|pixels| pixels < 2.0)),
        None => false,
    }
}

/// Whether the distance is too far for any screen.
pub(super) fn is_far(value: &str) -> bool {
    match length(value) {
        Some((by, unit)) if unit == "%" || is_viewport_unit(unit) => by <= -100.0 || by >= 300.0,
        Some(_) => pixels(value).is_some_and(|pixels| pixels <= -900.0 || pixels >= 4000.0),
        None => false,
    }
}

pub(super) fn pixels(value: &str) -> Option<f64> {
    let (by, unit) = length(value)?;
    Some(match unit {
        "em" | "rem" | "pc" => by * 16.0,
        "ex" | "ch" => by * 8.0,
        _ if is_viewport_unit(unit) => by * 10.0,
        "cm" => by * 37.8,
        "mm" => by * 3.78,
        "q" => by * 0.945,
        "in" => by * 96.0,
        "pt" => by * 96.0 / 72.0,
        "px" | "" => by,
        "%" if by == 0.0 => 0.0,
        // A unit of line height, or an unknown one.
        _ if is_unit(unit) => by * 16.0,
        _ => return None,
    })
}

/// A number or percentage as a fraction between 0 and 1.
pub(super) fn fraction(value: &str) -> Option<f64> {
    let (by, unit) = length(value)?;
    match unit {
        "" => Some(by),
        "%" => Some(by / 100.0),
        _ => None,
    }
}

/// A number and its unit.
pub(super) fn length(value: &str) -> Option<(f64, &str)> {
    let value = value.trim();
    let value = ["calc(", "min(", "max("].iter().find_map(|name| value.strip_prefix(name)).unwrap_or(value);
    let value = value.trim().trim_end_matches(')').trim();
    let bytes = value.as_bytes();
    let is_number = |at: usize| match bytes[at] {
        b'+' | b'-' | b'.' | b'0'..=b'9' => true,
        // An exponent, not the beginning of `em`.
        b'e' => matches!(bytes.get(at + 1), Some(b'+' | b'-' | b'0'..=b'9')),
        _ => false,
    };
    let end = (0..bytes.len()).find(|&at| !is_number(at)).unwrap_or(bytes.len());
    let number: f64 = value[..end].parse().ok()?;
    number.is_finite().then(|| (number, value[end..].trim()))
}

fn is_unit(unit: &str) -> bool {
    !unit.is_empty() && unit.bytes().all(|byte| byte.is_ascii_alphabetic())
}

/// Whether the unit is relative to the window or a container: `vw`, `dvh`, `cqmin`.
fn is_viewport_unit(unit: &str) -> bool {
    let of_window = ["vw", "vh", "vi", "vb", "vmin", "vmax"].iter().any(|end| unit.ends_with(end));
    is_unit(unit) && (of_window || unit.starts_with("cq"))
}

pub(super) fn is_zero(value: &str) -> bool {
    length(value).is_some_and(|(by, _)| by == 0.0)
}

/// Whether an offset moves an element off the screen: a whole screen away or, if it is positioned, to the left or
/// above.
pub(super) fn is_off_screen_offset(value: &str, placed: bool) -> bool {
    let by_screens = |(by, unit): (f64, &str)| (unit == "%" || is_viewport_unit(unit)) && by.abs() >= 100.0;
    (placed && length(value).is_some_and(by_screens)) || pixels(value).is_some_and(|by| by <= -100.0)
}

/// Whether a calculated value could be zero: it contains a subtraction, a zero or an unknown function. A value with a
/// lower limit has at least that size.
pub(super) fn vanishes(value: &str) -> bool {
    let Some((first, arguments)) = value.split_once('(') else { return false };
    let least = arguments.split([',', ')']).next().unwrap_or_default();
    if first == "clamp" && is_unit(length(least).map_or("", |(_, unit)| unit)) && !is_unreadable_size(least) {
        return false;
    }
    let mut names = value.split('(').rev().skip(1).map(|before| {
        before.rsplit(|letter: char| !letter.is_alphanumeric() && letter != '-').next().unwrap_or_default()
    });
    let is_small = |part: &str| length(part).is_some_and(|(by, _)| by <= 0.05);
    let divides = value.split('/').skip(1).any(|by| {
        let by = by.trim_start().split([' ', ')', ',', '*']).next().unwrap_or_default();
        length(by).is_some_and(|(by, _)| by >= 50.0)
    });
    value.contains(" - ")
        || divides
        || value.split([',', ' ', '(', ')', '*', '/']).any(is_small)
        || names.any(|name| !matches!(name, "" | "var" | "calc" | "min" | "max" | "clamp"))
}
