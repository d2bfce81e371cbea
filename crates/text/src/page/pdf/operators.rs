//! Runs the operators of a page and collects the text that they draw, with its position.

use std::collections::HashMap;

use hayro_syntax::content::TypedIter;
use hayro_syntax::content::ops::TypedInstruction;
use hayro_syntax::object::{Array, Dict, Number, Object, Stream};
use hayro_syntax::page::{Page, Resources};

use super::font::Font;

/// A piece of text drawn by one operator.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct TextPiece {
    pub text: String,
    /// The left end.
    pub from: f64,
    /// The right end.
    pub to: f64,
    /// The baseline, measured from the bottom.
    pub base: f64,
    /// The height of the letters.
    pub size: f64,
}

/// The maximum nesting of forms.
const DEPTH: usize = 6;
/// The maximum number of operators of a page.
const MOST_STEPS: usize = 2_000_000;

pub(super) fn pieces(page: &Page<'_>) -> Vec<TextPiece> {
    let mut extractor = TextExtractor { pieces: Vec::new(), steps: 0 };
    if let Some(content) = page.page_stream() {
        extractor.run_operators(content, page.resources(), Matrix::ONE, 0);
    }
    extractor.pieces
}

#[derive(Debug, Clone, Copy)]
struct Matrix([f64; 6]);

impl Matrix {
    const ONE: Self = Self([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);

    fn from_numbers(numbers: [Number; 6]) -> Self {
        Self(numbers.map(|number| number.as_f64()))
    }

    /// The product: this transformation first, then the other.
    fn then(self, other: Self) -> Self {
        let ([a, b, c, d, e, f], [oa, ob, oc, od, oe, of]) = (self.0, other.0);
        Self([
            a * oa + b * oc,
            a * ob + b * od,
            c * oa + d * oc,
            c * ob + d * od,
            e * oa + f * oc + oe,
            e * ob + f * od + of,
        ])
    }

    fn shift(x: f64, y: f64) -> Self {
        Self([1.0, 0.0, 0.0, 1.0, x, y])
    }
}

#[derive(Clone)]
struct TextState {
    page: Matrix,
    font: Option<usize>,
    size: f64,
    letter_gap: f64,
    word_gap: f64,
    width: f64,
    leading: f64,
    rise: f64,
}

/// The graphics state of a content stream, with the fonts that it uses.
struct ContentState<'a> {
    resources: &'a Resources<'a>,
    fonts: Vec<Font>,
    font_numbers: HashMap<Vec<u8>, Option<usize>>,
    current: TextState,
    saved: Vec<TextState>,
    /// The text matrix, at the next letter.
    text: Matrix,
    /// The text line matrix, at the start of the current line.
    line: Matrix,
}

impl<'a> ContentState<'a> {
    fn new(resources: &'a Resources<'a>, page: Matrix) -> Self {
        let current = TextState {
            page,
            font: None,
            size: 1.0,
            letter_gap: 0.0,
            word_gap: 0.0,
            width: 1.0,
            leading: 0.0,
            rise: 0.0,
        };
        Self {
            resources,
            fonts: Vec::new(),
            font_numbers: HashMap::new(),
            current,
            saved: Vec::new(),
            text: Matrix::ONE,
            line: Matrix::ONE,
        }
    }

    /// Applies an operator that changes the state and draws nothing; ignores all others.
    fn apply(&mut self, operator: TypedInstruction<'_, '_>) {
        let state = &mut self.current;
        match operator {
            TypedInstruction::SaveState(_) if self.saved.len() < 1000 => self.saved.push(state.clone()),
            TypedInstruction::RestoreState(_) => {
                if let Some(saved) = self.saved.pop() {
                    *state = saved;
                }
            }
            TypedInstruction::Transform(by) => {
                state.page = Matrix::from_numbers([by.0, by.1, by.2, by.3, by.4, by.5]).then(state.page);
            }
            TypedInstruction::BeginText(_) => self.start_line(Matrix::ONE),
            TypedInstruction::CharacterSpacing(gap) => state.letter_gap = gap.0.as_f64(),
            TypedInstruction::WordSpacing(gap) => state.word_gap = gap.0.as_f64(),
            TypedInstruction::HorizontalScaling(by) => state.width = by.0.as_f64() / 100.0,
            TypedInstruction::TextLeading(by) => state.leading = by.0.as_f64(),
            TypedInstruction::TextRise(by) => state.rise = by.0.as_f64(),
            TypedInstruction::TextFont(font) => {
                state.size = font.1.as_f64();
                let name = font.0.as_ref().to_vec();
                let (resources, fonts) = (self.resources, &mut self.fonts);
                state.font = *self.font_numbers.entry(name).or_insert_with(|| {
                    let found = resources.get_font(font.0)?;
                    fonts.push(Font::from_dict(&found));
                    Some(fonts.len() - 1)
                });
            }
            TypedInstruction::NextLine(by) => self.move_line(by.0.as_f64(), by.1.as_f64()),
            TypedInstruction::NextLineAndSetLeading(by) => {
                state.leading = -by.1.as_f64();
                self.move_line(by.0.as_f64(), by.1.as_f64());
            }
            TypedInstruction::SetTextMatrix(to) => {
                self.start_line(Matrix::from_numbers([to.0, to.1, to.2, to.3, to.4, to.5]));
            }
            TypedInstruction::NextLineUsingLeading(_) => self.next_line(),
            _ => {}
        }
    }

    fn start_line(&mut self, line: Matrix) {
        (self.line, self.text) = (line, line);
    }

    fn move_line(&mut self, x: f64, y: f64) {
        self.start_line(Matrix::shift(x, y).then(self.line));
    }

    fn next_line(&mut self) {
        self.move_line(0.0, -self.current.leading);
    }
}

struct TextExtractor {
    pieces: Vec<TextPiece>,
    steps: usize,
}

impl TextExtractor {
    fn run_operators(&mut self, content: &[u8], resources: &Resources<'_>, page: Matrix, depth: usize) {
        let mut state = ContentState::new(resources, page);
        let mut operators = TypedIter::new(content);
        while let Some(operator) = operators.next() {
            self.steps += 1;
            if self.steps > MOST_STEPS {
                return;
            }
            match operator {
                TypedInstruction::ShowText(shown) => self.show(&mut state, shown.0.as_bytes()),
                TypedInstruction::NextLineAndShowText(shown) => {
                    state.next_line();
                    self.show(&mut state, shown.0.as_bytes());
                }
                TypedInstruction::ShowTextWithParameters(shown) => {
                    state.current.word_gap = shown.0.as_f64();
                    state.current.letter_gap = shown.1.as_f64();
                    state.next_line();
                    self.show(&mut state, shown.2.as_bytes());
                }
                TypedInstruction::ShowTexts(shown) => self.show_all(&mut state, &shown.0),
                TypedInstruction::XObject(name) if depth < DEPTH => {
                    if let Some(inner) = resources.get_x_object(name.0) {
                        self.run_form(&inner, resources, state.current.page, depth);
                    }
                }
                other => state.apply(other),
            }
        }
    }

    /// Runs a nested form, unless it is an image.
    fn run_form(&mut self, inner: &Stream<'_>, outer: &Resources<'_>, page: Matrix, depth: usize) {
        let dict = inner.dict();
        let is_form = dict
            .get::<hayro_syntax::object::Name<'_>>("Subtype")
            .is_some_and(|name| name.as_ref() == b"Form");
        let Some(content) = inner.decoded_data().ok().filter(|_| is_form) else { return };
        let by = dict
            .get::<Array<'_>>("Matrix")
            .map(|numbers| numbers.iter::<f32>().map(f64::from).collect::<Vec<_>>());
        let page = match by.as_deref() {
            Some(&[a, b, c, d, e, f]) => Matrix([a, b, c, d, e, f]).then(page),
            _ => page,
        };
        match dict.get::<Dict<'_>>("Resources") {
            Some(own) => self.run_operators(&content, &Resources::new(own), page, depth + 1),
            None => self.run_operators(&content, outer, page, depth + 1),
        }
    }

    fn show_all(&mut self, content: &mut ContentState<'_>, shown: &Array<'_>) {
        for part in shown.iter::<Object<'_>>() {
            match part {
                Object::String(part) => self.show(content, part.as_bytes()),
                Object::Number(by) => {
                    let by = -by.as_f64() / 1000.0 * content.current.size * content.current.width;
                    content.text = Matrix::shift(by, 0.0).then(content.text);
                }
                _ => {}
            }
        }
    }

    fn show(&mut self, content: &mut ContentState<'_>, shown: &[u8]) {
        let ContentState { fonts, current: state, text, .. } = content;
        let Some(font) = state.font.and_then(|font| fonts.get(font)) else { return };
        let place = |text: Matrix| Matrix::shift(0.0, state.rise).then(text).then(state.page).0;
        let begin = place(*text);
        let mut letters = String::new();
        for code in font.codes(shown) {
            font.push_code(code, &mut letters);
            let gap = if code == 32 && font.is_simple() { state.word_gap } else { 0.0 };
            let by = (font.width(code) * state.size + state.letter_gap + gap) * state.width;
            *text = Matrix::shift(by, 0.0).then(*text);
        }
        let end = place(*text);
        // The length of the vertical vector, so that rotated text has its size too.
        let size = state.size.abs() * (begin[2].hypot(begin[3]));
        let is_upright = begin[0].abs() >= begin[1].abs();
        let finite = begin.iter().chain(&end).all(|number| number.is_finite());
        if !letters.is_empty() && finite {
            let (from, to, base) = match is_upright {
                true => (begin[4], end[4], begin[5]),
                false => (begin[5], end[5], -begin[4]),
            };
            self.pieces.push(TextPiece { text: letters, from, to, base, size });
        }
    }
}
