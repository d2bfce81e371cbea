//! Headings are kept with the text below them.

use super::names::{BOILERPLATE, Names};
use super::phrases;
use super::signs::PageSigns;
use super::units::PageUnit;

/// The units below a heading.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Section {
    /// The level of the heading: 7 for a term of a list of definitions.
    pub level: u8,
    /// The first unit after those in the element around the heading.
    pub inner_end: usize,
    /// The first unit after all, up to the next heading of its level.
    pub end: usize,
    /// Whether the element around the heading holds other units, so that it belongs to these.
    pub is_among: bool,
}

/// The headings whose sections are not complete, each of a deeper level than the one before.
#[derive(Debug, Default)]
pub(super) struct OpenHeadings(Vec<OpenHeading>);

#[derive(Debug)]
struct OpenHeading {
    unit: usize,
    level: u8,
    /// The number of open elements in the heading itself.
    depth: usize,
    /// The number of open elements in the innermost element around the heading and the unit after it.
    around: usize,
    /// Whether there is a unit after it.
    has_next: bool,
    inner_end: Option<usize>,
}

impl OpenHeadings {
    /// Begins a unit, which is a heading if it has a level.
    pub(super) fn begin(&mut self, units: &mut [PageUnit], level: Option<u8>, depth: usize) {
        if let Some(level) = level {
            self.close(units, |heading| heading.level >= level);
        }
        for heading in &mut self.0 {
            heading.has_next = true;
        }
        if let Some(level) = level {
            let unit = units.len();
            self.0.push(OpenHeading { unit, level, depth, around: depth, has_next: false, inner_end: None });
        }
    }

    /// Leaves an element; `depth` elements are still open.
    pub(super) fn leave(&mut self, units: &mut [PageUnit], depth: usize) {
        for heading in &mut self.0 {
            if !heading.has_next {
                heading.around = heading.around.min(depth);
            } else if depth < heading.around {
                heading.inner_end.get_or_insert(units.len());
            }
        }
    }

    /// Ends the sections of some headings.
    pub(super) fn close(&mut self, units: &mut [PageUnit], is_ended: impl Fn(&Section) -> bool) {
        let end = units.len();
        self.0.retain(|heading| {
            let section = Section {
                level: heading.level,
                inner_end: heading.inner_end.unwrap_or(end),
                end,
                is_among: heading.around + 1 >= heading.depth,
            };
            if is_ended(&section) {
                units[heading.unit].section = Some(section);
                return false;
            }
            true
        });
    }
}

/// Keeps each heading if text of its section is kept. The title of the page is judged like any other text, since it is
/// known without its heading.
pub(super) fn follow_sections(units: &[PageUnit], signs: &PageSigns, chosen: &mut [bool]) {
    // For each unit, the next one that is kept and is text: no heading, and more than links.
    let mut next_kept = vec![units.len(); units.len() + 1];
    for at in (0..units.len()).rev() {
        let unit = &units[at];
        let is_text = unit.section.is_none() && (unit.is_figure() || unit.linked * 2 <= unit.text.len());
        next_kept[at] = if is_text && chosen[at] { at } else { next_kept[at + 1] };
    }
    for at in (0..units.len()).rev() {
        let Some(section) = units[at].section.filter(|_| !signs.is_title(at)) else { continue };
        let next = at + 1;
        let is_term = |section: &Section| section.level == 7;
        let shares_definition = section.end == next
            && is_term(&section)
            && units.get(next).and_then(|unit| unit.section.as_ref()).is_some_and(is_term);
        let kept = next_kept[next];
        chosen[at] |= if shares_definition {
            chosen[next]
        } else if kept < section.inner_end && section.is_among {
            true
        } else {
            // The name of the site is above the text, too, but not in the middle of it.
            let is_inside = at > next_kept[0] && kept < section.inner_end;
            let is_below = is_inside || kept < section.end && signs.is_known(at);
            is_below && !is_foreign(&units[at], &units[kept], signs.phrases(at))
        };
    }
}

/// Whether the heading belongs to something else than the text that follows, such as a box beside it.
fn is_foreign(heading: &PageUnit, text: &PageUnit, phrases: [bool; phrases::MEANINGS]) -> bool {
    let (place, below) = (heading.place, text.place);
    let names = place.near.with(place.far).without(below.near).without(below.far);
    let is_boilerplate = |names: Names| BOILERPLATE.iter().any(|&meaning| names.has(meaning));
    phrases.contains(&true)
        || is_boilerplate(names)
        || place.inside.is_boilerplate() && !below.inside.is_boilerplate()
}
