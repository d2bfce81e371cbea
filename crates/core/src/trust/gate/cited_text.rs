//! A text that a sentence cites, with what stands around it.

use wellread_text::{
    Heading, Identifier, Language, Note, Passage, SourceIndex, find_table_head, outline_code,
    without_struck_out,
};

use crate::domain::id::EvidenceId;
use crate::domain::verdict::CitedQuote;

/// A text that a sentence cites.
pub(super) struct CitedText {
    pub id: Option<EvidenceId>,
    /// Its path or address; empty until it is known.
    pub path: String,
    /// The line of the file that the text begins on.
    pub start_line: usize,
    pub text: String,
    pub is_markdown: bool,
    pub index: SourceIndex,
    /// Its path, title, address and other metadata.
    pub about: SourceIndex,
    pub passage: Passage,
    /// The headings above it, the outermost first.
    pub headings: Vec<String>,
    /// The head of the table that the text begins inside of.
    pub head: Option<String>,
}

/// What stands around a cited text in its document.
#[derive(Default)]
pub(super) struct Surroundings {
    /// The headings above it, the outermost first: what a line is about is often said once.
    pub headings: Vec<String>,
    /// The head of the table that the text begins inside of.
    pub head: Option<String>,
    /// The definitions that contain all of it, with what contains them.
    pub definitions: Vec<String>,
}

impl Surroundings {
    /// What stands around these lines, from 1, of a document.
    pub fn find(whole: &str, language: Option<Language>, (first, last): (usize, usize)) -> Self {
        match language {
            None => Self::above(whole, &read_headings(whole), first),
            Some(language) => {
                let all = outline_code(whole, language).definitions.into_iter();
                let around = all.filter(|one| one.lines.0 <= first && last <= one.lines.1);
                Self { definitions: around.map(|one| one.qualified).collect(), ..Self::default() }
            }
        }
    }

    /// What stands above this line, from 1, of a Markdown document with these headings.
    pub fn above(whole: &str, headings: &[Heading], line: usize) -> Self {
        let head = find_table_head(whole, line).map(|span| whole[span].to_owned());
        let mut level = u8::MAX;
        let mut above = Vec::new();
        for heading in headings.iter().rev().filter(|heading| heading.line <= line) {
            if heading.level < level {
                level = heading.level;
                above.push(heading.text.clone());
            }
        }
        above.reverse();
        Self { headings: above, head, definitions: Vec::new() }
    }
}

/// The headings of a Markdown document; none of a very long one, which takes too long to read for each place in it.
pub(super) fn read_headings(whole: &str) -> Vec<Heading> {
    if whole.len() > LONGEST_WITH_HEADINGS { Vec::new() } else { Note::parse(whole).headings }
}

/// The longest document whose headings are read, in bytes.
const LONGEST_WITH_HEADINGS: usize = 1 << 19;

/// The longest quote of evidence in a report, in characters.
const MAX_QUOTE_CHARS: usize = 400;

impl CitedText {
    /// A text without its place. `about` is its title, path and other metadata.
    pub fn new(text: String, about: &str, is_markdown: bool, around: Surroundings) -> Self {
        let Surroundings { headings, head, definitions } = around;
        let about = format!("{about} {}", headings.join(" "));
        let about = about.trim_end();
        let (index, passage) = match &head {
            Some(head) => (SourceIndex::below_head(head, &text), Passage::below_head(head, &text, about)),
            None if definitions.is_empty() => {
                (SourceIndex::new(&text, is_markdown), Passage::new(&text, about, is_markdown))
            }
            None => {
                let about = format!("{about} {}", definitions.join(" "));
                (SourceIndex::new(&text, false), Passage::inside(&definitions, &text, &about))
            }
        };
        let above = head.as_deref().and_then(|head| head.lines().next()).unwrap_or_default();
        let about = SourceIndex::new(&format!("{about} {above} {}", definitions.join(" ")), false);
        let is_markdown = is_markdown || head.is_some();
        Self {
            id: None,
            path: String::new(),
            start_line: 1,
            text,
            is_markdown,
            index,
            about,
            passage,
            headings,
            head,
        }
    }

    /// Lines of the text, counted from 1, as a quote.
    pub fn quote_lines(&self, (first, last): (usize, usize)) -> CitedQuote {
        let lines = self.text.split('\n').skip(first - 1).take(last + 1 - first);
        let mut quote = lines.collect::<Vec<_>>().join("\n").trim().to_owned();
        if let Some((cut, _)) = quote.char_indices().nth(MAX_QUOTE_CHARS) {
            quote.truncate(cut);
            quote.push('…');
        }
        let place = self.start_line - 1;
        CitedQuote {
            id: self.id.clone(),
            path: self.path.clone(),
            start_line: place + first,
            end_line: place + last,
            quote,
        }
    }

    /// The whole lines around these, counted from 1, as far as `most` bytes go, under the name of the file and the headings above,
    /// which often say what it is about.
    pub fn excerpt(&self, (first, last): (usize, usize), most: usize) -> String {
        let name = self.path.rsplit('/').next().unwrap_or_default();
        let title = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        let above = self.headings.iter().map(String::as_str).filter(|heading| *heading != title);
        let above: Vec<&str> = [title].into_iter().chain(above).chain(self.head.as_deref()).collect();
        let title = above.join("\n");
        let title = title.trim_end();
        let text = if self.is_markdown { without_struck_out(&self.text) } else { self.text.as_str().into() };
        if text.len() <= most {
            return format!("{title}\n{text}");
        }
        let lines: Vec<&str> = text.split('\n').collect();
        let end = last.clamp(1, lines.len());
        let (mut above, mut below) = (first.clamp(1, end) - 1, end);
        let mut room = most.saturating_sub(lines[above..below].iter().map(|line| line.len() + 1).sum());
        loop {
            let size = |at: Option<usize>| at.and_then(|at| lines.get(at)).map(|line| line.len() + 1);
            let before = size(above.checked_sub(1)).filter(|size| *size <= room);
            room -= before.unwrap_or(0);
            above -= usize::from(before.is_some());
            let after = size(Some(below)).filter(|size| *size <= room);
            room -= after.unwrap_or(0);
            below += usize::from(after.is_some());
            if before.is_none() && after.is_none() {
                break;
            }
        }
        format!("{title}\n{}", lines[above..below].join("\n"))
    }

    /// Whether the text itself or its metadata matches.
    pub fn any_text_matches(&self, holds: impl Fn(&SourceIndex) -> bool) -> bool {
        holds(&self.index) || holds(&self.about)
    }

    pub fn has_identifier(&self, identifier: &Identifier) -> bool {
        match identifier {
            Identifier::Code(code) => self.any_text_matches(|index| index.has_code(code)),
            Identifier::Address(address) => {
                let bare = address.trim_end_matches('/');
                self.any_text_matches(|index| index.has_code(bare)) || self.path.trim_end_matches('/') == bare
            }
            Identifier::Path { path, lines } => {
                let own = self.path == *path || self.path.ends_with(&format!("/{path}"));
                let last = self.start_line + self.index.line_count() - 1;
                let fits = lines.is_none_or(|(from, to)| self.start_line <= from && from <= to && to <= last);
                own && fits
                    || self.any_text_matches(|index| index.has_code(&identifier.to_text()))
                    || lines.is_none() && self.any_text_matches(|index| index.has_code(path))
            }
        }
    }
}
