//! A citation in its own file: whether it stands where it stood, or elsewhere in the file.

use wellread_text::{Lines, Wording};

use super::candidates::{Like, spot};
use super::sweep::{Missing, Own};
use super::{Followed, Quoted, Spot, Standing, is_gone, text_of};
use crate::Kind;
use crate::corpus::VaultPath;
use crate::ports::Corpus;

/// Other places that are told of.
const MOST_ALSO: usize = 8;

/// A cited file as it is now.
pub enum There {
    Text(Box<Text>),
    /// Bytes that are no text, or too many: and why.
    Bytes(Vec<u8>, String),
    Gone(String),
    /// It is not a file that is read; what was in it may have gone elsewhere.
    LeftOut(String),
    Unreachable(String),
}

pub struct Text {
    text: String,
    lines: Lines,
}

pub enum Looked<'a> {
    Settled(Standing),
    Missing(Missing<'a>),
}

impl There {
    pub fn read(corpus: &dyn Corpus, path: &VaultPath) -> Self {
        let bytes = match corpus.read(path) {
            Ok(content) => content.bytes,
            Err(error) if is_gone(&error) => return Self::Gone("the file is gone".to_owned()),
            // One that is there and can't be read may hold; a link, or what is ignored now, is not there.
            Err(error) if error.kind() == Kind::Refused && !matches!(corpus.find(path), Ok(Some(_))) => {
                return Self::LeftOut(error.message().to_owned());
            }
            Err(error) => return Self::Unreachable(error.message().to_owned()),
        };
        match text_of(bytes) {
            Ok(text) => Self::Text(Box::new(Text { lines: Lines::of(&text), text })),
            Err((bytes, why)) => Self::Bytes(bytes, why),
        }
    }

    pub fn look<'a>(&self, quoted: Quoted<'a>) -> Looked<'a> {
        let holds =
            |bytes: &[u8]| bytes.get(quoted.place.span.clone()) == Some(quoted.text.look().as_bytes());
        let unreachable = |why: &String| Looked::Settled(Standing::Unreachable { reason: why.clone() });
        match self {
            Self::Text(file) if holds(file.text.as_bytes()) => Looked::Settled(Standing::Holds),
            Self::Text(file) => file.look(quoted),
            Self::Bytes(bytes, _) if holds(bytes) => Looked::Settled(Standing::Holds),
            Self::Bytes(_, why) | Self::Unreachable(why) => unreachable(why),
            Self::Gone(why) => Looked::Missing(Missing::new(quoted, Own::Gone(why.clone()))),
            Self::LeftOut(why) => Looked::Missing(Missing::new(quoted, Own::LeftOut(why.clone()))),
        }
    }
}

impl Text {
    fn look<'a>(&self, quoted: Quoted<'a>) -> Looked<'a> {
        let (wanted, path) = (quoted.text.look(), &quoted.place.path);
        let at = |start: usize| spot(path, &self.lines, start..start + wanted.len());
        if let Some(nearest) = nearest(&self.text, wanted, quoted.place.span.start) {
            let others = places(&self.text, wanted).filter(|&start| start != nearest).take(MOST_ALSO);
            let also: Vec<Spot> = others.map(at).collect();
            return Looked::Settled(Standing::Moved { to: at(nearest), how: Followed::Lines, also });
        }
        let why = if self.text.trim().is_empty() {
            "the file is empty now"
        } else {
            "nothing like it is left in the file"
        };
        let mut missing = Missing::new(quoted, Own::There(why.to_owned()));
        let wording = Wording::of(&self.text);
        if let Some(like) = wording.nearest(wanted, quoted.place.span.start) {
            missing.like(Like::here(path, &self.text, &self.lines, like));
        }
        Looked::Missing(missing)
    }
}

/// Where the text stands next to where it stood. A text of nothing stands nowhere else.
fn nearest(text: &str, wanted: &str, stood: usize) -> Option<usize> {
    if wanted.is_empty() {
        return None;
    }
    let near = text.floor_char_boundary(stood.min(text.len()));
    let after = text[near..].find(wanted).map(|at| near + at);
    // One that begins before this may end after it.
    let before = text[..text.floor_char_boundary((near + wanted.len() - 1).min(text.len()))].rfind(wanted);
    match (before, after) {
        (Some(before), Some(after)) if stood.abs_diff(before) <= stood.abs_diff(after) => Some(before),
        (before, after) => after.or(before),
    }
}

fn places<'a>(text: &'a str, wanted: &'a str) -> impl Iterator<Item = usize> {
    text.match_indices(wanted).map(|(at, _)| at)
}
