//! Fonts, reduced to the letters of their codes and the widths of these letters.

use std::collections::HashMap;

use hayro_syntax::object::{Array, Dict, Name, Object, Stream};

use super::cmap::CMap;
use super::encoding::{self, LetterTable};

/// A font.
pub(super) struct Font {
    /// The file's own character map, which takes precedence.
    cmap: Option<CMap>,
    letters: LetterTable,
    /// Whether codes have two bytes.
    wide: bool,
    /// Widths as fractions of the font size.
    widths: HashMap<u32, f64>,
    other_width: f64,
}

impl Font {
    pub(super) fn from_dict(font: &Dict<'_>) -> Self {
        let wide = font.get::<Name<'_>>("Subtype").is_some_and(|name| name.as_ref() == b"Type0");
        let cmap = font
            .get::<Stream<'_>>("ToUnicode")
            .and_then(|stream| Some(CMap::parse(&stream.decoded_data().ok()?)));
        let (widths, other_width) = if wide { widths_of_wide(font) } else { widths(font) };
        let letters = if wide { LetterTable::empty() } else { encoding::letters(font) };
        Self { cmap, letters, wide, widths, other_width }
    }

    pub(super) fn is_simple(&self) -> bool {
        !self.wide
    }

    pub(super) fn codes<'a>(&'a self, shown: &'a [u8]) -> impl Iterator<Item = u32> + 'a {
        let length = if self.wide { 2 } else { 1 };
        shown.chunks(length).map(|bytes| bytes.iter().fold(0, |code, &byte| code << 8 | u32::from(byte)))
    }

    pub(super) fn width(&self, code: u32) -> f64 {
        self.widths.get(&code).copied().unwrap_or(self.other_width)
    }

    /// Appends the text of a code.
    pub(super) fn push_code(&self, code: u32, out: &mut String) {
        if let Some(text) = self.cmap.as_ref().and_then(|cmap| cmap.get(code)) {
            text.chars().for_each(|letter| encoding::push(out, letter));
        } else if let Some(letters) = self.letters.get(code) {
            letters.chars().for_each(|letter| encoding::push(out, letter));
        }
    }
}

fn widths(font: &Dict<'_>) -> (HashMap<u32, f64>, f64) {
    // The glyphs of a Type 3 font have their own scale.
    let scale = font.get::<Array<'_>>("FontMatrix").and_then(|matrix| matrix.iter::<f32>().next());
    let scale = scale.map_or(0.001, |scale| f64::from(scale).abs());
    let first = font.get::<i32>("FirstChar").and_then(|first| u32::try_from(first).ok()).unwrap_or(0);
    let widths = font.get::<Array<'_>>("Widths");
    let widths = widths.iter().flat_map(|widths| widths.iter::<f32>().take(256));
    let widths = widths.zip(first..).map(|(width, code)| (code, f64::from(width) * scale)).collect();
    let missing = font.get::<Dict<'_>>("FontDescriptor").and_then(|about| about.get::<f32>("MissingWidth"));
    (widths, missing.map_or(0.5, |width| f64::from(width) * scale))
}

/// Reads the widths of a composite font: `[code [width width …] first last width …]`.
fn widths_of_wide(font: &Dict<'_>) -> (HashMap<u32, f64>, f64) {
    let inner = font.get::<Array<'_>>("DescendantFonts").and_then(|fonts| fonts.iter::<Dict<'_>>().next());
    let Some(inner) = inner else { return (HashMap::new(), 1.0) };
    let other = inner.get::<f32>("DW").map_or(1.0, |width| f64::from(width) / 1000.0);
    let mut widths = HashMap::new();
    let mut numbers: Vec<f64> = Vec::new();
    let parts = inner.get::<Array<'_>>("W");
    for part in parts.iter().flat_map(Array::iter::<Object<'_>>).take(100_000) {
        match part {
            Object::Number(number) => numbers.push(number.as_f64()),
            Object::Array(list) => {
                let first = numbers.pop().unwrap_or(0.0) as u32;
                let list = list.iter::<f32>().take(70_000).map(|width| f64::from(width) / 1000.0);
                widths.extend((first..).zip(list));
                numbers.clear();
            }
            _ => {}
        }
        if let [first, last, width] = numbers[..] {
            let codes = first as u32..=(last as u32).min(first as u32 + 70_000);
            widths.extend(codes.map(|code| (code, width / 1000.0)));
            numbers.clear();
        }
    }
    (widths, other)
}
