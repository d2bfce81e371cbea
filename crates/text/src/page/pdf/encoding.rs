//! Maps the codes of a simple font to letters, by the glyph names of its encoding.

use encoding_rs::{MACINTOSH, WINDOWS_1252};
use hayro_syntax::object::{Array, Dict, Name, Object};

/// The text of each of the 256 codes.
pub(super) struct LetterTable(Vec<Option<String>>);

impl LetterTable {
    pub(super) fn empty() -> Self {
        Self(Vec::new())
    }

    pub(super) fn get(&self, code: u32) -> Option<&str> {
        self.0.get(code as usize)?.as_deref()
    }
}

/// The table of the font's dictionary, completed with the usual encoding.
pub(super) fn letters(font: &Dict<'_>) -> LetterTable {
    let own = font.get::<Dict<'_>>("Encoding");
    let named = font.get::<Name<'_>>("Encoding");
    let base = own.as_ref().and_then(|own| own.get::<Name<'_>>("BaseEncoding")).or(named);
    let face = font.get::<Name<'_>>("BaseFont");
    let face = face.as_ref().and_then(|name| name.as_str().rsplit('+').next()).unwrap_or_default();
    let mut letters: Vec<Option<String>> = (0..=255u8)
        .map(|code| match base.as_ref().map(AsRef::as_ref) {
            Some(b"MacRomanEncoding") => decode_code(MACINTOSH, code),
            Some(b"WinAnsiEncoding") => decode_code(WINDOWS_1252, code),
            None if face.starts_with("CMSY") => decode_tex_symbol(code),
            None if face.starts_with("CM") => decode_tex(code),
            _ => decode_standard(code),
        })
        .collect();
    let differences = own.and_then(|own| own.get::<Array<'_>>("Differences"));
    let mut code = 0;
    for part in differences.iter().flat_map(Array::iter::<Object<'_>>).take(1000) {
        match part {
            Object::Number(number) => code = usize::try_from(number.as_i64()).unwrap_or(256),
            Object::Name(name) => {
                if let Some(letter) = letters.get_mut(code) {
                    *letter = named_letter(name.as_str());
                }
                code += 1;
            }
            _ => {}
        }
    }
    LetterTable(letters)
}

fn decode_code(encoding: &'static encoding_rs::Encoding, code: u8) -> Option<String> {
    (code >= 32).then(|| encoding.decode_without_bom_handling(&[code]).0.into_owned())
}

/// Adobe's standard encoding beyond ASCII.
const STANDARD_UPPER: [(u8, &str); 54] = [
    (161, "¡"),
    (162, "¢"),
    (163, "£"),
    (164, "⁄"),
    (165, "¥"),
    (166, "ƒ"),
    (167, "§"),
    (168, "¤"),
    (169, "'"),
    (170, "“"),
    (171, "«"),
    (172, "‹"),
    (173, "›"),
    (174, "fi"),
    (175, "fl"),
    (177, "–"),
    (178, "†"),
    (179, "‡"),
    (180, "·"),
    (182, "¶"),
    (183, "•"),
    (184, "‚"),
    (185, "„"),
    (186, "”"),
    (187, "»"),
    (188, "…"),
    (189, "‰"),
    (191, "¿"),
    (193, "`"),
    (194, "´"),
    (195, "ˆ"),
    (196, "˜"),
    (197, "¯"),
    (198, "˘"),
    (199, "˙"),
    (200, "¨"),
    (202, "˚"),
    (203, "¸"),
    (205, "˝"),
    (206, "˛"),
    (207, "ˇ"),
    (208, "—"),
    (225, "Æ"),
    (227, "ª"),
    (232, "Ł"),
    (233, "Ø"),
    (234, "Œ"),
    (235, "º"),
    (241, "æ"),
    (245, "ı"),
    (248, "ł"),
    (249, "ø"),
    (250, "œ"),
    (251, "ß"),
];

/// Decodes a code of Adobe's standard encoding.
fn decode_standard(code: u8) -> Option<String> {
    match code {
        b'\'' => Some("’".to_owned()),
        b'`' => Some("‘".to_owned()),
        32..=126 => Some(char::from(code).to_string()),
        _ => STANDARD_UPPER.iter().find(|(upper, _)| *upper == code).map(|(_, letter)| (*letter).to_owned()),
    }
}

/// Decodes a code of a TeX text font.
fn decode_tex(code: u8) -> Option<String> {
    let letter = match code {
        11 => "ff",
        12 => "fi",
        13 => "fl",
        14 => "ffi",
        15 => "ffl",
        b'"' => "”",
        b'\\' => "“",
        b'{' => "–",
        b'|' => "—",
        _ => return decode_standard(code),
    };
    Some(letter.to_owned())
}

/// Decodes a code of a TeX symbol font.
fn decode_tex_symbol(code: u8) -> Option<String> {
    const SIGNS: [(u8, &str); 16] = [
        (0, "−"),
        (1, "·"),
        (2, "×"),
        (3, "∗"),
        (6, "±"),
        (13, "○"),
        (15, "•"),
        (17, "≡"),
        (20, "≤"),
        (21, "≥"),
        (24, "∼"),
        (32, "←"),
        (33, "→"),
        (49, "∞"),
        (50, "∈"),
        (106, "|"),
    ];
    SIGNS.iter().find(|(known, _)| *known == code).map(|(_, sign)| (*sign).to_owned())
}

/// The letter of a glyph name: `a`, `eacute`, `uni20AC`, `f_i`.
fn named_letter(name: &str) -> Option<String> {
    let name = name.split('.').next().unwrap_or_default();
    if name.contains('_') {
        return name.split('_').map(named_letter).collect();
    }
    let by_number =
        |digits: &str| u32::from_str_radix(digits, 16).ok().and_then(char::from_u32).map(String::from);
    if let Some(digits) = name.strip_prefix("uni").filter(|digits| digits.len() >= 4 && digits.is_ascii()) {
        return by_number(&digits[..4]);
    }
    if let Some(digits) = name.strip_prefix('u').filter(|digits| (4..=6).contains(&digits.len())) {
        return by_number(digits);
    }
    let mut letters = name.chars();
    if let (Some(letter), None) = (letters.next(), letters.next()) {
        return Some(letter.to_string());
    }
    if let Ok(found) = NAMES.binary_search_by(|(known, _)| known.cmp(&name)) {
        return Some(NAMES[found].1.to_owned());
    }
    accented_letter(name)
}

/// An accented letter by its glyph name: `eacute`, `Udieresis`.
fn accented_letter(name: &str) -> Option<String> {
    use unicode_normalization::UnicodeNormalization;
    const ACCENTS: [(&str, char); 13] = [
        ("acute", '\u{301}'),
        ("breve", '\u{306}'),
        ("caron", '\u{30c}'),
        ("cedilla", '\u{327}'),
        ("circumflex", '\u{302}'),
        ("commaaccent", '\u{326}'),
        ("dieresis", '\u{308}'),
        ("dotaccent", '\u{307}'),
        ("grave", '\u{300}'),
        ("hungarumlaut", '\u{30b}'),
        ("macron", '\u{304}'),
        ("ogonek", '\u{328}'),
        ("ring", '\u{30a}'),
    ];
    let first = name.chars().next().filter(char::is_ascii_alphabetic)?;
    let rest = if name.starts_with("tilde") { return None } else { &name[1..] };
    let accent = ACCENTS.iter().find(|(accent, _)| *accent == rest).map(|(_, mark)| *mark);
    let accent = accent.or_else(|| (rest == "tilde").then_some('\u{303}'))?;
    Some([first, accent].iter().collect::<String>().nfc().collect())
}

/// Glyph names in alphabetical order.
const NAMES: [(&str, &str); 140] = [
    ("AE", "Æ"),
    ("Delta", "Δ"),
    ("Eth", "Ð"),
    ("Euro", "€"),
    ("Gamma", "Γ"),
    ("Lambda", "Λ"),
    ("Lslash", "Ł"),
    ("OE", "Œ"),
    ("Omega", "Ω"),
    ("Oslash", "Ø"),
    ("Phi", "Φ"),
    ("Pi", "Π"),
    ("Psi", "Ψ"),
    ("Sigma", "Σ"),
    ("Theta", "Θ"),
    ("Thorn", "Þ"),
    ("Upsilon", "Υ"),
    ("Xi", "Ξ"),
    ("ae", "æ"),
    ("alpha", "α"),
    ("ampersand", "&"),
    ("arrowleft", "←"),
    ("arrowright", "→"),
    ("asciicircum", "^"),
    ("asciitilde", "~"),
    ("asterisk", "*"),
    ("at", "@"),
    ("backslash", "\\"),
    ("bar", "|"),
    ("beta", "β"),
    ("braceleft", "{"),
    ("braceright", "}"),
    ("bracketleft", "["),
    ("bracketright", "]"),
    ("brokenbar", "¦"),
    ("bullet", "•"),
    ("cent", "¢"),
    ("chi", "χ"),
    ("colon", ":"),
    ("comma", ","),
    ("copyright", "©"),
    ("currency", "¤"),
    ("dagger", "†"),
    ("daggerdbl", "‡"),
    ("degree", "°"),
    ("delta", "δ"),
    ("divide", "÷"),
    ("dollar", "$"),
    ("dotlessi", "ı"),
    ("eight", "8"),
    ("element", "∈"),
    ("ellipsis", "…"),
    ("emdash", "—"),
    ("endash", "–"),
    ("epsilon", "ε"),
    ("equal", "="),
    ("eta", "η"),
    ("eth", "ð"),
    ("exclam", "!"),
    ("exclamdown", "¡"),
    ("ff", "ff"),
    ("ffi", "ffi"),
    ("ffl", "ffl"),
    ("fi", "fi"),
    ("five", "5"),
    ("fl", "fl"),
    ("florin", "ƒ"),
    ("four", "4"),
    ("fraction", "⁄"),
    ("gamma", "γ"),
    ("germandbls", "ß"),
    ("greater", ">"),
    ("greaterequal", "≥"),
    ("guillemotleft", "«"),
    ("guillemotright", "»"),
    ("guilsinglleft", "‹"),
    ("guilsinglright", "›"),
    ("hyphen", "-"),
    ("infinity", "∞"),
    ("integral", "∫"),
    ("iota", "ι"),
    ("kappa", "κ"),
    ("lambda", "λ"),
    ("less", "<"),
    ("lessequal", "≤"),
    ("logicalnot", "¬"),
    ("lslash", "ł"),
    ("minus", "−"),
    ("mu", "µ"),
    ("multiply", "×"),
    ("nbspace", " "),
    ("nine", "9"),
    ("notequal", "≠"),
    ("nu", "ν"),
    ("numbersign", "#"),
    ("oe", "œ"),
    ("omega", "ω"),
    ("one", "1"),
    ("onehalf", "½"),
    ("ordfeminine", "ª"),
    ("ordmasculine", "º"),
    ("oslash", "ø"),
    ("paragraph", "¶"),
    ("parenleft", "("),
    ("parenright", ")"),
    ("partialdiff", "∂"),
    ("percent", "%"),
    ("period", "."),
    ("periodcentered", "·"),
    ("phi", "φ"),
    ("pi", "π"),
    ("plus", "+"),
    ("plusminus", "±"),
    ("psi", "ψ"),
    ("question", "?"),
    ("questiondown", "¿"),
    ("quotedbl", "\""),
    ("quotedblbase", "„"),
    ("quotedblleft", "“"),
    ("quotedblright", "”"),
    ("quoteleft", "‘"),
    ("quoteright", "’"),
    ("quotesingle", "'"),
    ("registered", "®"),
    ("rho", "ρ"),
    ("section", "§"),
    ("semicolon", ";"),
    ("seven", "7"),
    ("sigma", "σ"),
    ("six", "6"),
    ("slash", "/"),
    ("space", " "),
    ("tau", "τ"),
    ("theta", "θ"),
    ("thorn", "þ"),
    ("three", "3"),
    ("two", "2"),
    ("underscore", "_"),
    ("xi", "ξ"),
    ("zero", "0"),
];

/// Appends a letter; a ligature as the letters that it consists of.
pub(super) fn push(out: &mut String, letter: char) {
    match letter {
        '\u{fb00}' => out.push_str("ff"),
        '\u{fb01}' => out.push_str("fi"),
        '\u{fb02}' => out.push_str("fl"),
        '\u{fb03}' => out.push_str("ffi"),
        '\u{fb04}' => out.push_str("ffl"),
        '\u{fb05}' | '\u{fb06}' => out.push_str("st"),
        '\0' => {}
        letter if letter.is_control() || letter == '\u{a0}' => out.push(' '),
        letter => out.push(letter),
    }
}

/// Decodes a metadata string: UTF-16 or UTF-8 with a byte-order mark, otherwise similar to Latin-1.
pub(super) fn text_string(bytes: &[u8]) -> String {
    match encoding_rs::Encoding::for_bom(bytes) {
        Some((encoding, length)) => encoding.decode_without_bom_handling(&bytes[length..]).0.into_owned(),
        None => match std::str::from_utf8(bytes) {
            Ok(text) => text.to_owned(),
            Err(_) => WINDOWS_1252.decode_without_bom_handling(bytes).0.into_owned(),
        },
    }
}
