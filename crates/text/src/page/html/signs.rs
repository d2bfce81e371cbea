//! The signs by which a unit of a page is judged: its words and links, its element and the names around it, and its
//! neighbors. Each sign has a few levels, and each level a weight.

use std::collections::HashMap;

use super::names::{self, Names};
use super::phrases;
use super::units::{BlockTag, Inside, PageUnit};
use super::weights::WEIGHTS;

/// A score above which a unit belongs to the main content.
pub(super) const THRESHOLD: f32 = 0.2;

/// The measures of a unit that its neighbors look at.
#[derive(Debug, Clone, Copy)]
struct Measure {
    words: usize,
    /// The share of its text that is linked.
    linked: f32,
    /// Whether it is in what was found for the page as a whole.
    is_known: bool,
}

impl Measure {
    /// Whether it is a paragraph of what was found.
    fn is_prose(&self) -> bool {
        self.is_known && self.is_running_text()
    }

    fn is_running_text(&self) -> bool {
        self.words >= 20 && self.linked < 0.3
    }
}

/// Everything about a page by which its units are judged.
pub(super) struct PageSigns<'a> {
    units: &'a [PageUnit],
    measures: Vec<Measure>,
    /// How often a text occurs.
    times: HashMap<&'a str, usize>,
    /// For each element around units: the characters in it, those in links, and its paragraphs of running text.
    around: HashMap<u32, (usize, usize, usize)>,
    /// The number of characters before each unit.
    before: Vec<usize>,
    /// The first and the last paragraph of what was found.
    prose: (usize, usize),
    title: String,
    /// Names and elements around most of what was found, as in a forum whose posts are called comments: they tell
    /// nothing about a unit of this page.
    usual: Surroundings,
}

/// The names near and further above, and the kinds of elements around.
#[derive(Debug, Clone, Copy, Default)]
struct Surroundings {
    near: Names,
    far: Names,
    inside: [bool; INSIDE],
}

/// The number of kinds of elements that may be around.
const INSIDE: usize = 9;

impl<'a> PageSigns<'a> {
    pub(super) fn new(units: &'a [PageUnit], is_known: &[bool], title: Option<&str>) -> Self {
        let measure = |(unit, &is_known): (&PageUnit, &bool)| Measure {
            words: unit.words,
            linked: unit.linked as f32 / (unit.text.len() + 1) as f32,
            is_known,
        };
        let measures: Vec<Measure> = units.iter().zip(is_known).map(measure).collect();
        let (mut times, mut around) = (HashMap::new(), HashMap::new());
        let (mut before, mut total) = (Vec::new(), 0);
        for (unit, measure) in units.iter().zip(&measures) {
            *times.entry(unit.text.as_str()).or_default() += 1;
            let (text, linked, paragraphs): &mut (usize, usize, usize) =
                around.entry(unit.place.around).or_default();
            *text += unit.text.len();
            *linked += unit.linked;
            *paragraphs += usize::from(measure.is_running_text());
            before.push(total);
            total += unit.text.len();
        }
        before.push(total);
        let first = measures.iter().position(Measure::is_prose).unwrap_or(0);
        let last = measures.iter().rposition(Measure::is_prose).unwrap_or(units.len());
        let title = title.map(letters).unwrap_or_default();
        let usual = find_usual(units, &measures);
        Self { units, measures, times, around, before, prose: (first, last), title, usual }
    }

    /// How much speaks for the unit.
    pub(super) fn score(&self, at: usize) -> f32 {
        let levels = self.levels(at);
        levels.iter().zip(&WEIGHTS).map(|(&level, (_, weights))| weights.get(level).unwrap_or(&0.0)).sum()
    }

    /// The level of each sign, in the order of the weights.
    pub(super) fn levels(&self, at: usize) -> Vec<usize> {
        let mut levels = Vec::with_capacity(WEIGHTS.len());
        self.own(at, &mut levels);
        self.neighbors(at, &mut levels);
        self.position(at, &mut levels);
        self.surroundings(at, &mut levels);
        levels
    }

    /// Signs of the text itself.
    fn own(&self, at: usize, levels: &mut Vec<usize>) {
        let (unit, measure) = (&self.units[at], self.measures[at]);
        let (text, words) = (unit.text.as_str(), measure.words);
        let known = usize::from(measure.is_known);
        levels.push(words_level(words) + 7 * known);
        levels.push(links_level(measure.linked) + 5 * known);
        levels.push(unit.place.tag as usize + 9 * known);
        let last = text.trim_end_matches(['"', '”', '’', ')', '»', '“']).chars().last().unwrap_or(' ');
        let end = match last {
            '.' | '!' | '?' | '…' | '。' | '！' | '？' | '।' => 0,
            ':' => 1,
            _ => 2,
        };
        levels.push(end + 3 * usize::from(words > 10));
        levels.push(text.matches([',', '，', '、']).take(2).count());
        let digits = text.bytes().filter(u8::is_ascii_digit).count();
        levels.push(if digits == 0 { 0 } else { 1 + usize::from(digits * 5 >= text.len()) });
        levels.push(usize::from(text.chars().next().is_some_and(char::is_lowercase)));
        let is_upper = !text.chars().any(char::is_lowercase) && text.chars().any(char::is_uppercase);
        levels.push(usize::from(words <= 10 && is_upper));
        let is_year =
            |number: &str| number.len() == 4 && (number.starts_with("19") || number.starts_with("20"));
        let has_year = text.split(|letter: char| !letter.is_ascii_digit()).any(is_year);
        levels.push(usize::from(words <= 12 && has_year));
        levels.push(usize::from(self.times.get(text).is_some_and(|&times| times > 1)));
        levels.push(usize::from(self.is_title(at)));
        let phrases = self.phrases(at);
        levels.extend(phrases.map(|has| usize::from(has) * (1 + usize::from(words > 12))));
    }

    /// Whether the unit is in what was found for the page as a whole.
    pub(super) fn is_known(&self, at: usize) -> bool {
        self.measures[at].is_known
    }

    /// Whether the unit is the title of the page, or part of it.
    pub(super) fn is_title(&self, at: usize) -> bool {
        if self.units[at].words >= 40 {
            return false;
        }
        let own = letters(&self.units[at].text);
        !own.is_empty() && (own == self.title || own.len() > 15 && self.title.contains(&own))
    }

    /// For each meaning, whether the unit has a phrase of it. Code and tables use the same words for other things.
    pub(super) fn phrases(&self, at: usize) -> [bool; phrases::MEANINGS] {
        let unit = &self.units[at];
        if unit.is_figure() { [false; phrases::MEANINGS] } else { phrases::phrases(&unit.text) }
    }

    /// Signs of the two units before and the two after.
    fn neighbors(&self, at: usize, levels: &mut Vec<usize>) {
        for step in [-2, -1, 1, 2] {
            let neighbor = at
                .checked_add_signed(step)
                .and_then(|at| Some((self.units.get(at)?, self.measures.get(at)?)));
            let Some((unit, measure)) = neighbor else {
                levels.extend([0, 0]);
                continue;
            };
            levels.push(match measure {
                measure if measure.is_prose() => 1,
                Measure { linked, .. } if *linked > 0.5 => 2,
                Measure { words: 20.., .. } => 3,
                Measure { is_known: true, .. } => 4,
                _ => 5,
            });
            levels.push(1 + usize::from(unit.place.around == self.units[at].place.around));
        }
        levels.push(usize::from(
            self.units.get(at + 1).is_some_and(|next| next.place.tag == BlockTag::Heading),
        ));
    }

    /// Signs of the place in the page.
    fn position(&self, at: usize, levels: &mut Vec<usize>) {
        let (first, last) = self.prose;
        levels.push(if at < first {
            0
        } else if at > last {
            1
        } else {
            2
        });
        let total = self.before.last().copied().unwrap_or(0);
        levels.push((self.before[at] * 10 / total.max(1)).min(9));
        let (text, linked, paragraphs) =
            self.around.get(&self.units[at].place.around).copied().unwrap_or_default();
        levels.push(links_level(linked as f32 / text.max(1) as f32));
        levels.push(paragraphs.min(3));
    }

    /// Signs of the elements around.
    fn surroundings(&self, at: usize, levels: &mut Vec<usize>) {
        let place = self.units[at].place;
        let usual = self.usual;
        let inside = kinds(place.inside).into_iter().zip(usual.inside);
        levels.extend(inside.map(|(is_inside, is_usual)| usize::from(is_inside && !is_usual)));
        for names in [place.near.without(usual.near), place.far.without(usual.far)] {
            levels.extend((0..names::MEANINGS).map(|meaning| usize::from(names.has(meaning))));
        }
    }
}

/// The names and elements around most of the prose that was found.
fn find_usual(units: &[PageUnit], measures: &[Measure]) -> Surroundings {
    let (mut near, mut far) = ([0; names::MEANINGS], [0; names::MEANINGS]);
    let (mut inside, mut total) = ([0; INSIDE], 0);
    for (unit, _) in units.iter().zip(measures).filter(|(_, measure)| measure.is_prose()) {
        let length = unit.text.len();
        total += length;
        for meaning in 0..names::MEANINGS {
            near[meaning] += usize::from(unit.place.near.has(meaning)) * length;
            far[meaning] += usize::from(unit.place.far.has(meaning)) * length;
        }
        for (sum, is_inside) in inside.iter_mut().zip(kinds(unit.place.inside)) {
            *sum += usize::from(is_inside) * length;
        }
    }
    let is_usual = |length: usize| length * 2 > total;
    let usual_names = |lengths: [usize; names::MEANINGS]| {
        Names::all_where(|meaning| !names::CONTENT.contains(&meaning) && is_usual(lengths[meaning]))
    };
    // Being inside of an article or of the main part speaks for a unit.
    let mut inside = inside.map(is_usual);
    inside[INSIDE - 2..].fill(false);
    Surroundings { near: usual_names(near), far: usual_names(far), inside }
}

fn kinds(inside: Inside) -> [bool; INSIDE] {
    let Inside { aside, footer, header, form, figure, list, quote, article, main } = inside;
    [aside, footer, header, form, figure, list, quote, article, main]
}

fn words_level(words: usize) -> usize {
    match words {
        0..=2 => 0,
        3..=5 => 1,
        6..=10 => 2,
        11..=20 => 3,
        21..=40 => 4,
        41..=80 => 5,
        _ => 6,
    }
}

fn links_level(linked: f32) -> usize {
    match linked {
        0.0 => 0,
        ..0.15 => 1,
        ..0.4 => 2,
        ..0.85 => 3,
        _ => 4,
    }
}

/// The letters and digits alone, in lower case.
fn letters(text: &str) -> String {
    text.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
