//! An answer against the ledger that it cites.

use std::collections::{HashMap, HashSet};

use wellread_text::{Claims, Held, Sentence, claims, content_words, sentences};

use super::places::{Places, Standing};
use super::weigh::{Scales, Witness};
use super::{Cited, Judged, Report, Verdict, Why, verdict};
use crate::evidence::{Evidence, Ledger, Source};
use crate::id::EvidenceId;

/// Judges each sentence of a text by what it cites.
pub fn judge(text: &str, ledger: &Ledger, places: &Places<'_>) -> Report {
    let all = sentences(text);
    let claimed: Vec<Claims> = all.iter().map(claims).collect();
    let mut scales =
        Scales::new(claimed.iter().flat_map(|claims| &claims.names).cloned().collect::<HashSet<_>>());
    let mut known: HashMap<String, Result<Witness, Why>> = HashMap::new();
    for citation in all.iter().flat_map(|sentence| &sentence.citations) {
        if !known.contains_key(&citation.id) {
            known.insert(citation.id.clone(), witness(&citation.id, ledger, places));
        }
    }
    let judged =
        all.iter().zip(&claimed).map(|(sentence, claims)| one(sentence, claims, &known, &mut scales));
    Report::of(judged.collect())
}

fn one(
    sentence: &Sentence,
    claims: &Claims,
    known: &HashMap<String, Result<Witness, Why>>,
    scales: &mut Scales,
) -> Judged {
    let judged = |verdict, why, evidence| Judged {
        text: sentence.text.clone(),
        span: sentence.span.clone(),
        verdict,
        connective: verdict == Verdict::Uncited && is_connective(sentence, claims),
        why,
        evidence,
    };
    if sentence.citations.is_empty() {
        return judged(Verdict::Uncited, Vec::new(), Vec::new());
    }
    let (mut why, mut cited, mut seen) = (Vec::new(), Vec::new(), HashSet::new());
    for citation in sentence.citations.iter().filter(|citation| seen.insert(citation.id.as_str())) {
        match known.get(&citation.id) {
            Some(Ok(witness)) => cited.push(witness),
            Some(Err(trouble)) => why.push(trouble.clone()),
            None => why.push(Why::UnknownId { id: citation.id.clone() }),
        }
    }
    let weighed = scales.weigh(sentence, claims, &cited);
    if why.is_empty() || !cited.is_empty() {
        why.extend(weighed.why);
    }
    let evidence: Vec<Cited> =
        cited.iter().zip(weighed.lines).map(|(witness, lines)| witness.cited(lines)).collect();
    judged(verdict(&why), why, evidence)
}

/// The evidence of an id, ready to be asked, provided it may be cited and still stands.
fn witness(id: &str, ledger: &Ledger, places: &Places<'_>) -> Result<Witness, Why> {
    let id_text = || id.to_owned();
    let Ok(parsed) = EvidenceId::parse(id) else { return Err(Why::UnknownId { id: id_text() }) };
    let Some(entry) = ledger.entry(&parsed) else {
        let own = parsed.run() == ledger.run();
        return Err(if own { Why::UnknownId { id: id_text() } } else { Why::OtherRun { id: id_text() } });
    };
    if ledger.citable(&parsed).is_none() {
        return Err(Why::NotShown { id: id_text() });
    }
    match places.standing(entry) {
        Standing::Holds { start_line } => Ok(of_entry(entry, start_line)),
        Standing::Moved { .. } | Standing::Changed { .. } => Err(Why::PlaceChanged { id: id_text() }),
        Standing::Gone => Err(Why::PlaceGone { id: id_text() }),
        Standing::Unreachable(because) => Err(Why::PlaceUnreachable { id: id_text(), because }),
    }
}

fn of_entry(entry: &Evidence, start_line: usize) -> Witness {
    let is_markdown = match &entry.source {
        Source::Code { place, .. } => place.path.as_str().ends_with(".md"),
        _ => true,
    };
    let mut about = entry.source.shown();
    let path = match &entry.source {
        Source::Note(place) | Source::Code { place, .. } => place.path.as_str().to_owned(),
        Source::Page(page) | Source::Paper { place: page, .. } => {
            about = format!("{about} {}", page.title.as_deref().unwrap_or_default());
            page.url.clone()
        }
    };
    if let Source::Paper { arxiv, .. } = &entry.source {
        about = format!("{about} {arxiv}");
    }
    if let Source::Code { commit: Some(commit), .. } = &entry.source {
        about = format!("{about} {commit}");
    }
    if let Some(symbol) = &entry.symbol {
        about = format!("{about} {}", symbol.id);
    }
    let text = entry.text.look().to_owned();
    let held = Held::of(&text, is_markdown);
    Witness { id: Some(entry.id.clone()), path, start_line, text, held, about: Held::of(&about, false) }
}

/// Sentences that begin so speak of the answer, not of the world.
const LEADS_ON: [&str; 22] = [
    "i ",
    "we ",
    "here ",
    "below",
    "in short",
    "in summary",
    "to summarise",
    "to summarize",
    "the following",
    "this answer",
    "nothing ",
    "no evidence",
    "no source",
    "there is no evidence",
    "there is nothing",
    "the evidence ",
    "the sources ",
    "these ",
    "see ",
    "hope ",
    "let me",
    "more on",
];

/// Whether a sentence claims nothing and only leads on: it ends in a colon, asks, has next to no words of its own, or
/// speaks of the answer itself.
fn is_connective(sentence: &Sentence, claims: &Claims) -> bool {
    if !claims.is_empty() || sentence.kind != wellread_text::SentenceKind::Prose || sentence.text.len() > 300
    {
        return false;
    }
    let text = sentence.text.trim_end_matches(['*', '_', ' ']).to_lowercase();
    text.ends_with([':', '?'])
        || LEADS_ON.iter().any(|lead| text.starts_with(lead))
        || content_words(sentence).len() <= 2
}
