//! Answers with correct citations, made up over made-up notes and code: the same for the same seed.

use std::ops::Range;

use wellread_core::domain::id::EvidenceId;
use wellread_testkit::Random;

use crate::evidence_library::Library;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slot {
    Quotation,
    Number,
    Name,
    Day,
    Identifier,
    Id,
}

/// An answer, and where in it stands what can be looked up.
pub struct Answer {
    pub library: Library,
    pub text: String,
    pub slots: Vec<(Slot, Range<usize>, usize)>,
    pub facts: Vec<Fact>,
    pub unshown: EvidenceId,
}

/// What one piece of evidence says.
pub struct Fact {
    pub id: EvidenceId,
    pub path: String,
    pub text: String,
    pub day: (u16, u8, u8),
    pub is_code: bool,
    first: &'static str,
    last: &'static str,
    place: &'static str,
    number: usize,
    noun: &'static str,
    clause: String,
    identifier: String,
}

pub const FIRST: [&str; 8] = ["Karl", "Anna", "Miguel", "Zoë", "Ingrid", "Pavel", "Noor", "Émile"];
pub const LAST: [&str; 8] =
    ["Frisch", "Janscha", "Okafor", "Müller", "Langstroth", "Nowak", "Huber", "O'Brien"];
const PLACE: [&str; 8] = ["Graz", "Nairobi", "Lyon", "Kraków", "Oslo", "Zürich", "Tartu", "Quito"];
const NOUN: [&str; 8] = ["colonies", "hives", "frames", "queens", "samples", "swarms", "drones", "jars"];
pub const WORD: [&str; 24] = [
    "old",
    "wax",
    "brood",
    "winter",
    "nectar",
    "slowly",
    "beneath",
    "river",
    "quiet",
    "smoke",
    "garden",
    "heavy",
    "yellow",
    "spring",
    "cluster",
    "pollen",
    "clover",
    "turns",
    "gathers",
    "keeps",
    "naïve",
    "well-known",
    "don't",
    "honey",
];
pub const MONTH: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

pub fn written_day(random: &mut Random, (year, month, day): (u16, u8, u8)) -> String {
    let name = MONTH[usize::from(month) - 1];
    match random.below(6) {
        0 => format!("{year}-{month:02}-{day:02}"),
        1 => format!("{day} {name} {year}"),
        2 => format!("{name} {day}, {year}"),
        3 => format!("the {day}th of {name} {year}"),
        4 => format!("{} {day} {year}", &name[..3]),
        _ => format!("{day:02}.{month:02}.{year}"),
    }
}

pub fn day(random: &mut Random) -> (u16, u8, u8) {
    (1950 + random.below(70) as u16, 1 + random.below(12) as u8, 4 + random.below(17) as u8)
}

fn written_number(random: &mut Random, number: usize) -> String {
    let grouped = |mark: &str| {
        if number >= 1000 {
            format!("{}{mark}{:03}", number / 1000, number % 1000)
        } else {
            number.to_string()
        }
    };
    match random.below(4) {
        0 => grouped(","),
        1 => grouped("\u{202f}"),
        2 => grouped(" "),
        _ => number.to_string(),
    }
}

pub fn answer(seed: u64) -> Answer {
    let mut random = Random::seeded(seed);
    let mut library = Library::new();
    let unshown = library.add("Hidden.md", "Nobody was shown this line.\n", (1, 1), false);
    let count = 1 + random.below(2);
    let facts: Vec<Fact> = (0..count).map(|index| fact(&mut random, &mut library, index)).collect();
    let mut out = Writing { text: String::new(), slots: Vec::new() };
    if random.below(3) == 0 {
        out.put("## What Was Found\n\n");
    }
    for (index, fact) in facts.iter().enumerate() {
        block(&mut random, &mut out, fact, index);
        if random.below(5) == 0 {
            out.put("\n---\n\n");
        }
    }
    if random.below(3) == 0 {
        out.put("Citations:\n\n");
        for fact in &facts {
            out.put(&format!("- [{}] {}:3-4\n", fact.id, fact.path));
        }
    }
    let mut text = out.text;
    let mut slots = out.slots;
    if random.below(4) == 0 {
        // Each line break before a slot moves it on.
        for (_, range, _) in &mut slots {
            let moved = |at: usize| at + text[..at].matches('\n').count();
            *range = moved(range.start)..moved(range.end);
        }
        text = text.replace('\n', "\r\n");
    }
    Answer { library, text, slots, facts, unshown }
}

fn fact(random: &mut Random, library: &mut Library, index: usize) -> Fact {
    let (first, last, place, noun) =
        (random.one_of(&FIRST), random.one_of(&LAST), random.one_of(&PLACE), random.one_of(&NOUN));
    let number = [13 + random.below(80), 1013 + random.below(9000)][random.below(2)];
    let day = day(random);
    let words: Vec<&str> = (0..5 + random.below(5)).map(|_| random.one_of(&WORD)).collect();
    let clause = words.join(" ");
    let identifier = format!(
        "{}_{}",
        random.one_of(&["trim", "count", "merge"]),
        random.one_of(&["frames", "cells", "mites"])
    );
    let is_code = random.below(4) == 0;
    let written = written_number(random, number);
    let on = written_day(random, day);
    let (path, text, lines) = if is_code {
        let text = format!(
            "use std::fmt;\n\n// {clause}\nfn {identifier}(limit: usize) -> usize {{\n    limit * {number}\n}}\n"
        );
        (format!("src/part{index}.rs"), text, (3, 6))
    } else {
        let bold = if random.below(2) == 0 { format!("**{written}**") } else { written };
        let break_at = if random.below(2) == 0 { "\n" } else { " " };
        let quoted = clause.replacen(' ', if random.below(3) == 0 { "  " } else { break_at }, 1);
        let line = format!(
            "{first} {last} counted {bold} {noun} near {place} on {on}; {quoted}.\nIt calls `{identifier}` each night.\n"
        );
        let eol = random.one_of(&["\n", "\r\n"]);
        let text = format!("# Log\n\n{line}\nThe end.\n").replace('\n', eol);
        (format!("Notes {index}.md"), text, (3, 4 + line.matches('\n').count().saturating_sub(2)))
    };
    let id = library.add(&path, &text, lines, true);
    let text = library.ledger.entry(&id).unwrap().text.expose().to_owned();
    Fact { id, path, text, day, is_code, first, last, place, number, noun, clause, identifier }
}

struct Writing {
    text: String,
    slots: Vec<(Slot, Range<usize>, usize)>,
}

impl Writing {
    fn put(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn slot(&mut self, slot: Slot, text: &str, fact: usize) {
        let start = self.text.len();
        self.text.push_str(text);
        self.slots.push((slot, start..self.text.len(), fact));
    }
}

/// One block with a sentence or two on a fact.
fn block(random: &mut Random, out: &mut Writing, fact: &Fact, at: usize) {
    let id = fact.id.to_string();
    match (fact.is_code, random.below(6)) {
        (true, 0) => {
            out.put("```rust\n");
            out.slot(
                Slot::Quotation,
                &format!("fn {}(limit: usize) -> usize {{\n    limit * {}\n}}", fact.identifier, fact.number),
                at,
            );
            out.put("\n```\n\n[");
            out.slot(Slot::Id, &id, at);
            return out.put("]\n\n");
        }
        (false, 0) => {
            out.put("> ");
            out.slot(Slot::Quotation, &fact.clause, at);
            out.put(" [");
            out.slot(Slot::Id, &id, at);
            return out.put("]\n\n");
        }
        (false, 1) => {
            out.put("| who | what | when |\n| --- | --- | --- |\n| ");
            out.slot(Slot::Name, fact.first, at);
            out.put(&format!(" {} | ", fact.last));
            out.slot(Slot::Number, &written_number(random, fact.number), at);
            out.put(&format!(" {} | ", fact.noun));
            let on = written_day(random, fact.day);
            out.slot(Slot::Day, &on, at);
            out.put(" [");
            out.slot(Slot::Id, &id, at);
            return out.put("] |\n\n");
        }
        _ => {}
    }
    out.put(random.one_of(&["", "", "- ", "1. ", "* ", "> [!note]\n> ", "- [ ] "]));
    let sentences = 1 + random.below(2);
    for _ in 0..sentences {
        if fact.is_code {
            code_sentence(random, out, fact, at);
        } else {
            note_sentence(random, out, fact, at);
        }
        let (before, after) =
            random.one_of(&[(" [", "]. "), (". [", "] "), (". (", ") "), (" ", ". "), (". [", "]. ")]);
        out.put(before);
        out.slot(Slot::Id, &id, at);
        out.put(after);
    }
    out.put("\n\n");
}

fn code_sentence(random: &mut Random, out: &mut Writing, fact: &Fact, at: usize) {
    match random.below(3) {
        0 => {
            out.put("The function `");
            out.slot(Slot::Identifier, &fact.identifier, at);
            out.put("` multiplies the limit by ");
            out.slot(Slot::Number, &fact.number.to_string(), at);
        }
        1 => {
            out.put("It calls ");
            out.slot(Slot::Identifier, &fact.identifier, at);
            out.put(&format!(" ({}:4-5) with a limit", fact.path));
        }
        _ => {
            out.put("Its comment says “");
            out.slot(Slot::Quotation, &fact.clause, at);
            out.put("”");
        }
    }
}

fn note_sentence(random: &mut Random, out: &mut Writing, fact: &Fact, at: usize) {
    match random.below(5) {
        0 => {
            out.slot(Slot::Name, fact.first, at);
            out.put(" ");
            out.slot(Slot::Name, fact.last, at);
            out.put(" counted ");
            out.slot(Slot::Number, &written_number(random, fact.number), at);
            out.put(&format!(" {}", fact.noun));
        }
        1 => {
            let (open, close) =
                random.one_of(&[("\"", "\""), ("“", "”"), ("«", "»"), ("„", "“"), ("‘", "’")]);
            out.put(&format!("The log has {open}"));
            out.slot(Slot::Quotation, &fact.clause, at);
            out.put(close);
        }
        2 => {
            out.put("There were *");
            out.slot(Slot::Number, &written_number(random, fact.number), at);
            out.put(&format!("* {} near ", fact.noun));
            out.slot(Slot::Name, fact.place, at);
            out.put(" on ");
            let on = written_day(random, fact.day);
            out.slot(Slot::Day, &on, at);
        }
        3 => {
            out.put("Near ");
            out.slot(Slot::Name, fact.place, at);
            out.put(", as the log says, it calls ");
            out.slot(Slot::Identifier, &fact.identifier, at);
            out.put(" each night");
        }
        _ => {
            out.put("The count by ");
            out.slot(Slot::Name, fact.last, at);
            out.put(" dates from ");
            let on = written_day(random, fact.day);
            out.slot(Slot::Day, &on, at);
        }
    }
}
