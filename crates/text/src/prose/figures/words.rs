//! The words around a figure, and the word lists that change its meaning.

use std::sync::LazyLock;

use crate::prose::phrases::StopWords;
use crate::words::terms::{stem_word, to_plain};
use crate::words::word_list::WordList;

/// A word of a clause.
pub(super) struct ClauseWord<'a> {
    pub written: &'a str,
    pub plain: String,
    pub stem: String,
    pub start: usize,
    pub end: usize,
    pub is_stop: bool,
    /// Whether it has a capital and does not begin the sentence, or contains a digit.
    pub is_name: bool,
}

pub(super) fn words(text: &str, stop: StopWords) -> Vec<ClauseWord<'_>> {
    let mut found: Vec<ClauseWord<'_>> = Vec::new();
    for (start, written) in crate::prose::claims::word_runs(text) {
        let (plain, stem) = (to_plain(written), stem_word(written));
        let is_stop = stop.has_plain(&plain);
        let capital = written.starts_with(char::is_uppercase) && !stop.is_german();
        let is_name = !is_stop && (capital && !found.is_empty());
        found.push(ClauseWord { written, plain, stem, start, end: start + written.len(), is_stop, is_name });
    }
    found
}

/// Words that distinguish figures which otherwise measure the same thing. Both figures must have the same of them.
const CONTRASTS: &str = "january february march april may june july august september october november december januar februar marz \
    mai juni juli oktober dezember janvier fevrier mars avril juin juillet aout septembre octobre novembre \
    decembre monday tuesday wednesday thursday friday saturday sunday spring summer autumn fall winter fruhling \
    sommer herbst printemps ete automne hiver morning noon afternoon evening night midnight morgen mittag abend \
    nacht today yesterday tomorrow first second third fourth fifth last next previous former latter other \
    another others before after until since earlier later initially finally originally now currently formerly \
    once new old young adult early late minimum maximum min max average mean median total each every per both \
    together all half only least most more less fewer upper lower top bottom left right inner outer inside \
    outside indoor outdoor front back empty full dry wet hot cold warm cool big small large little long short \
    high low tall wide deep thin thick light heavy raw cooked male female north south east west almost nearly \
    without except no not never none nor neither extra additional again further plus minus erste ersten zweite \
    zweiten letzte letzten nachste vorige vor nach ohne nicht kein keine mindestens hochstens je pro premier \
    premiere dernier derniere prochain avant apres sans pas chaque minimal maximal fast slow ideal ideally \
    recommended legal actual estimated planned expected measured optimal start begin end started ended opening \
    closing gross net hourly daily weekly monthly yearly annual annually quarterly";

pub(super) fn is_contrast(plain: &str) -> bool {
    static WORDS: LazyLock<WordList> = LazyLock::new(|| WordList::new(CONTRASTS));
    WORDS.has(plain)
}

/// Whether the word makes a figure a limit, which a value beyond it does not contradict.
pub(super) fn is_bound(plain: &str) -> bool {
    static BOUNDS: LazyLock<WordList> = LazyLock::new(|| {
        WordList::new(
            "least most than under over below above up within beyond exceeds exceed minus plus until every another \
        mindestens hochstens uber unter moins jusqu further extra between zwischen entre by only",
        )
    });
    BOUNDS.has(plain)
}

/// Whether the word makes a figure approximate.
pub(super) fn is_loose(plain: &str) -> bool {
    static LOOSE: LazyLock<WordList> = LazyLock::new(|| {
        WordList::new(
            "about roughly around approximately circa ca nearly almost some perhaps maybe close near etwa rund \
        ungefahr fast knapp environ presque often usually typically mostly sometimes good",
        )
    });
    LOOSE.has(plain)
}

/// Whether the word refers to a subject in another sentence.
pub(super) fn is_pronoun(plain: &str) -> bool {
    static PRONOUNS: LazyLock<WordList> = LazyLock::new(|| {
        WordList::new(
            "it its they their he his she her this that these those both one some others er sie es sein seine ihr \
        ihre dies diese dieser dieses das beide il elle ils elles ce cela son sa ses leur here there then dann \
        dort hier and but or so und aber oder et mais ou",
        )
    });
    PRONOUNS.has(plain)
}

/// Whether the word makes a sentence hypothetical.
pub(super) fn is_hypothesis(plain: &str) -> bool {
    static SUPPOSES: LazyLock<WordList> = LazyLock::new(|| {
        WordList::new(
            "if would could might suppose imagine example eg say wenn falls wurde konnte beispiel si exemple pourrait",
        )
    });
    SUPPOSES.has(plain)
}

/// Whether a number right after the word is a label (`batch 7`).
pub(super) fn is_label(word: &ClauseWord<'_>) -> bool {
    static LABELS: LazyLock<WordList> = LazyLock::new(|| {
        WordList::new(
            "batch chapter page figure table step version section part volume number no nr room line phase day week \
        year level round stage grade type model lot item issue question note appendix paragraph article hive \
        colony frame box group test run trial sample port channel python rust node release rev revision episode \
        lesson unit route highway gate track kapitel seite abbildung tabelle schritt teil tag woche nummer raum \
        chapitre etape tableau partie option",
        )
    });
    LABELS.has(word.plain.as_str())
        || word.is_name
        || word.written.starts_with(char::is_uppercase) && !word.is_stop
}

/// Whether the word, before a bare number, says that something equals it.
pub(super) fn equates(plain: &str) -> bool {
    static EQUATES: LazyLock<WordList> = LazyLock::new(|| {
        WordList::new("is was are were at to ist war betragt sind est etait equals reads read")
    });
    EQUATES.has(plain)
}

/// Whether the stem is that of an event that happens once.
pub(super) fn happens_once(stem: &str) -> bool {
    static ONCE: LazyLock<WordList> = LazyLock::new(|| {
        WordList::new(
            "born di found establish invent discov publish introduc bought built plant open marri releas patent \
        complet geboren gegrundet gestorben erfunden erschienen fond public launch start join acquir buri",
        )
    });
    ONCE.has(stem)
}

/// Whether the stem says nothing about what a figure measures.
pub(super) fn is_general(stem: &str) -> bool {
    static GENERAL: LazyLock<WordList> = LazyLock::new(|| {
        WordList::new(
            "valu figur number amount level place took take thing case gener usual typic mostli quit veri exactli \
        precis set said sai report note accord stand li remain equal count measur come came",
        )
    });
    GENERAL.has(stem)
}
