//! Recognizes numbers with their units: `1,000 hives`, `12 %`, `1.0.21`, `$40`, `9:30`, `two hives`.

use super::word_runs;
use crate::Span;
use crate::words::terms::stem_word;

/// A number in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Number {
    /// The normalized digits: `1,000`, `1 000` and `1_000` are `1000`; `3,5` is `3.5`; `4 million` is `4000000`.
    pub value: String,
    /// Whether a minus sign precedes it.
    pub negative: bool,
    /// The canonical name of its unit of measurement, or else the stem of the next word.
    pub unit: Option<String>,
    /// Whether it is spelled out.
    pub spelled: bool,
}

const SPELLED: [(&str, u32); 57] = [
    ("one", 1),
    ("two", 2),
    ("three", 3),
    ("four", 4),
    ("five", 5),
    ("six", 6),
    ("seven", 7),
    ("eight", 8),
    ("nine", 9),
    ("ten", 10),
    ("eleven", 11),
    ("twelve", 12),
    ("thirteen", 13),
    ("fourteen", 14),
    ("fifteen", 15),
    ("sixteen", 16),
    ("seventeen", 17),
    ("eighteen", 18),
    ("nineteen", 19),
    ("twenty", 20),
    ("thirty", 30),
    ("forty", 40),
    ("fifty", 50),
    ("sixty", 60),
    ("seventy", 70),
    ("eighty", 80),
    ("ninety", 90),
    ("zwei", 2),
    ("drei", 3),
    ("vier", 4),
    ("fünf", 5),
    ("sechs", 6),
    ("sieben", 7),
    ("acht", 8),
    ("neun", 9),
    ("zehn", 10),
    ("zwölf", 12),
    ("deux", 2),
    ("trois", 3),
    ("quatre", 4),
    ("cinq", 5),
    ("sept", 7),
    ("huit", 8),
    ("onze", 11),
    ("douze", 12),
    ("tres", 3),
    ("cuatro", 4),
    ("cinco", 5),
    ("siete", 7),
    ("ocho", 8),
    ("nueve", 9),
    ("twee", 2),
    ("vijf", 5),
    ("zeven", 7),
    ("negen", 9),
    ("tien", 10),
    ("twaalf", 12),
];

/// Words before a number that names one of several: what follows is another number, as in `day 2 480 m`.
const LABELS: [&str; 22] = [
    "day", "week", "month", "year", "part", "chapter", "section", "page", "room", "step", "phase", "stage",
    "group", "team", "class", "batch", "version", "table", "no", "tag", "woche", "seite",
];

/// Units of measurement: the canonical name and its other spellings.
const UNITS: [(&str, &[&str]); 46] = [
    ("cent", &["ct"]),
    ("hl", &["hectolitre", "hectoliter", "hektoliter"]),
    ("µl", &["μl", "microlitre", "microliter"]),
    ("kw", &["kilowatt"]),
    ("cl", &["centilitre", "centiliter"]),
    ("dl", &["decilitre", "deciliter"]),
    ("inch", &["inches"]),
    ("ft", &["foot", "feet"]),
    ("mile", &["mi"]),
    ("%", &["percent", "pct"]),
    ("mm", &["millimetre", "millimeter"]),
    ("cm", &["centimetre", "centimeter"]),
    ("m", &["metre", "meter", "metro"]),
    ("km", &["kilometre", "kilometer"]),
    ("g", &["gram", "gramme", "gramm", "gramo"]),
    ("kg", &["kilogram", "kilo", "kilogramm", "kilogramme", "kilogramo"]),
    ("mg", &["milligram"]),
    ("t", &["tonne", "ton"]),
    ("l", &["litre", "liter", "litro"]),
    ("ml", &["millilitre", "milliliter"]),
    ("s", &["sec", "second", "sekunde", "sekunden"]),
    ("ms", &["millisecond"]),
    ("min", &["minute", "minuten"]),
    ("h", &["hr", "hour", "stunde", "stunden", "heure", "hora", "uur"]),
    ("day", &["tag", "tage", "tagen", "jour", "dia", "dag", "dagen"]),
    ("week", &["woche", "wochen", "semaine", "semana", "weken"]),
    ("month", &["monat", "monate", "monaten", "mois", "mes", "meses", "maand", "maanden"]),
    ("year", &["jahr", "jahre", "jahren", "an", "ans", "annee", "ano", "jaar"]),
    ("decade", &["jahrzehnt", "jahrzehnte", "decennie", "decada"]),
    ("°c", &["°", "celsius", "degree"]),
    ("°f", &["fahrenheit"]),
    ("kb", &["kilobyte", "kib"]),
    ("mb", &["megabyte", "mib"]),
    ("gb", &["gigabyte", "gib"]),
    ("tb", &["terabyte"]),
    ("byte", &[]),
    ("bit", &[]),
    ("hz", &["hertz"]),
    ("khz", &[]),
    ("mhz", &[]),
    ("ghz", &[]),
    ("w", &["watt"]),
    ("kwh", &[]),
    ("€", &["eur", "euro"]),
    ("$", &["usd", "dollar"]),
    ("£", &["gbp", "pound"]),
];

const MAGNITUDES: [(&str, usize); 4] = [("hundred", 2), ("thousand", 3), ("million", 6), ("billion", 9)];

/// The canonical name of a unit of measurement. `None` if the word is not a unit.
pub fn canonical_unit(written: &str) -> Option<&'static str> {
    if written.len() > 12 {
        return None;
    }
    let lower = written.to_lowercase();
    let one = lower.strip_suffix('s').filter(|one| one.len() > 1).unwrap_or(&lower);
    let is = |name: &str| name == lower || name == one;
    UNITS
        .iter()
        .find(|(name, others)| {
            *name == lower || is(name) && name.len() > 2 || others.iter().any(|other| is(other))
        })
        .map(|(name, _)| *name)
}

/// The numbers of a text in comparable form, spelled-out ones included. Digits inside a word are part of the word.
pub(crate) fn numbers(text: &str) -> Vec<(Span, Number)> {
    let mut found = Vec::new();
    let mut done = 0;
    for (start, run) in word_runs(text) {
        if start < done {
            continue;
        }
        if run.starts_with(|letter: char| letter.is_ascii_digit()) {
            if let Some((span, number)) = figures(text, start, run) {
                done = span.end;
                found.push((span, number));
            }
        } else if let Some((end, value)) = parse_spelled(text, start, run) {
            done = end;
            let (value, unit) = read_unit(text, end, value);
            found.push((start..end, Number { value, negative: false, unit, spelled: true }));
        }
    }
    found
}

fn figures(text: &str, start: usize, run: &str) -> Option<(Span, Number)> {
    // `3fa81b2` is not a number, `40mm` is one.
    let letters = run.trim_start_matches(|letter: char| letter.is_ascii_digit());
    if letters.contains(|letter: char| letter.is_ascii_digit())
        || text[..start].ends_with('_')
        || is_power_of_unit(&text[..start])
    {
        return None;
    }
    let (end, value) = if letters.is_empty() {
        parse_grouped_digits(text, start, start + run.len())
    } else {
        (start + run.len() - letters.len(), run[..run.len() - letters.len()].to_owned())
    };
    let before = text[..start].trim_end_matches(' ');
    let negative = text[..start].ends_with('-')
        && !text[..start - 1].ends_with(|letter: char| letter.is_alphanumeric() || ").]%-".contains(letter));
    let money = before
        .chars()
        .next_back()
        .filter(|mark| "$€£".contains(*mark))
        .and_then(|mark| canonical_unit(mark.encode_utf8(&mut [0; 4])));
    let (value, counts) = read_unit(text, end, value);
    let number = Number { value, negative, unit: money.map(str::to_owned).or(counts), spelled: false };
    // An attached unit is not a word of its own.
    let tail = text[end..].len() - text[end..].trim_start_matches(char::is_alphanumeric).len();
    Some((start..end + tail, number))
}

/// Whether a text ends with a unit and the mark of a power: `m^` of `m²`, `m-` of `m-2`.
fn is_power_of_unit(before: &str) -> bool {
    let Some(unit) = before.strip_suffix('^').or_else(|| before.strip_suffix('-')) else { return false };
    let name = unit.trim_end_matches(|letter: char| letter.is_alphabetic());
    let name = &unit[name.len()..];
    let is_power = before.ends_with('^') && !name.is_empty();
    let is_unit = name.len() <= 3
        && (name.len() == 1 && name.bytes().all(|byte| byte.is_ascii_lowercase())
            || canonical_unit(name).is_some());
    is_power
        || is_unit
            && !unit[..unit.len() - name.len()]
                .ends_with(|letter: char| letter.is_ascii_digit() || letter == '-')
}

/// The end and the value of a number after its first digits.
fn parse_grouped_digits(text: &str, start: usize, mut end: usize) -> (usize, String) {
    let mut value = text[start..end].to_owned();
    let digits = |at: usize| text[at..].bytes().take_while(u8::is_ascii_digit).count();
    let lead = value.len();
    let before = text[..start].trim_end().rsplit(|letter: char| !letter.is_alphabetic()).next();
    let is_label = before.is_some_and(|word| LABELS.iter().any(|label| word.eq_ignore_ascii_case(label)));
    let (mut fraction, mut groups) = (false, 0);
    while let Some(&mark) = text.as_bytes().get(end).filter(|byte| byte.is_ascii()) {
        let count = if text.is_char_boundary(end + 1) { digits(end + 1) } else { 0 };
        let next = text[end + 1 + count..].chars().next();
        let word_next = next.is_some_and(|letter| letter.is_alphanumeric() && count == 3 && mark == b' ');
        match mark {
            _ if count == 0 => break,
            b'.' => {
                fraction = true;
                value.push('.');
            }
            b':' if count == 2 => value.push(':'),
            b' ' if count == 3 && is_label => break,
            b',' | b' ' | b'\'' | b'_' if count == 3 && lead <= 3 && !fraction && !word_next => groups += 1,
            b',' if !fraction && groups == 0 && next != Some(',') => {
                fraction = true;
                value.push('.');
            }
            _ => break,
        }
        value.push_str(&text[end + 1..end + 1 + count]);
        end += 1 + count;
    }
    (end, value)
}

fn parse_spelled(text: &str, start: usize, run: &str) -> Option<(usize, String)> {
    if run.len() > 9 {
        return None;
    }
    let value = |word: &str| {
        SPELLED.iter().find(|(name, _)| name.eq_ignore_ascii_case(word)).map(|(_, value)| *value)
    };
    let tens = value(run)?;
    let end = start + run.len();
    if is_pronoun(&text[..start], &text[end..]) {
        return None;
    }
    if tens >= 20
        && let Some(rest) = text[end..].strip_prefix('-')
    {
        let next = rest.split(|letter: char| !letter.is_alphanumeric()).next().unwrap_or_default();
        if let Some(ones) = value(next).filter(|ones| *ones < 10) {
            return Some((end + 1 + next.len(), (tens + ones).to_string()));
        }
    }
    Some((end, tens.to_string()))
}

/// Whether the number between these stands for those who were named before: `the two of them`.
fn is_pronoun(before: &str, behind: &str) -> bool {
    let article = before.trim_end().rsplit(|letter: char| !letter.is_alphanumeric()).next();
    let named = behind
        .strip_prefix(" of ")
        .and_then(|rest| rest.split(|letter: char| !letter.is_alphanumeric()).next());
    article.is_some_and(|word| word.eq_ignore_ascii_case("the"))
        && matches!(named, Some("them" | "us" | "you"))
}

/// The number multiplied by the magnitude word after it, if there is one, and its unit.
fn read_unit(text: &str, end: usize, mut value: String) -> (String, Option<String>) {
    let (mut counts, mut at) = next_word(text, end);
    if let Some((_, zeros)) = MAGNITUDES.iter().find(|(name, _)| counts.eq_ignore_ascii_case(name)) {
        value = shift_decimal(&value, *zeros);
        (counts, at) = next_word(text, at);
    }
    if counts.eq_ignore_ascii_case("per") && next_word(text, at).0.eq_ignore_ascii_case("cent") {
        return (value, Some("%".to_owned()));
    }
    let name = canonical_unit(counts).map(str::to_owned);
    (value, name.or_else(|| (!counts.is_empty() && counts.len() <= 40).then(|| stem_word(counts))))
}

/// The word or sign directly after `end`, separated by at most a space or a hyphen; empty after other punctuation.
fn next_word(text: &str, end: usize) -> (&str, usize) {
    let rest = text[end..].strip_prefix([' ', '-']).unwrap_or(&text[end..]);
    let start = text.len() - rest.len();
    let sign = |letter: char| "%€$£°".contains(letter);
    let length = match rest.chars().next() {
        Some(first) if sign(first) => {
            let letters = rest[first.len_utf8()..].bytes().take_while(u8::is_ascii_alphabetic).count();
            first.len_utf8() + if first == '°' { letters } else { 0 }
        }
        _ => rest.find(|letter: char| !letter.is_alphabetic()).unwrap_or(rest.len()),
    };
    (&rest[..length], start + length)
}

fn shift_decimal(value: &str, zeros: usize) -> String {
    let (whole, fraction) = value.split_once('.').unwrap_or((value, ""));
    let moved: String =
        fraction.chars().chain(std::iter::repeat('0')).take(zeros.max(fraction.len())).collect();
    if fraction.len() > zeros {
        format!("{whole}{}.{}", &moved[..zeros], &moved[zeros..])
    } else {
        format!("{whole}{moved}")
    }
}
