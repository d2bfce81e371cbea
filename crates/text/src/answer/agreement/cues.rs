//! Small words that turn, limit or date a statement.

use std::sync::LazyLock;

use super::tokens::Token;
use crate::words::word_list::WordList;

macro_rules! cue {
    ($(#[$about:meta])* $name:ident, $words:literal) => {
        $(#[$about])*
        pub(super) fn $name(token: &Token) -> bool {
            static WORDS: LazyLock<WordList> = LazyLock::new(|| WordList::new($words));
            !token.is_quoted && WORDS.has(&token.plain)
        }
    };
}

cue!(
    /// Turns a statement into its opposite.
    is_negation,
    "not no never none neither nor without cannot nobody nothing nowhere nicht kein keine keinen keinem keiner \
     keines nie niemals ohne weder pas jamais aucun aucune sans ni nunca sin ningun ninguna niet geen nooit zonder"
);
cue!(
    /// Carries a statement although it is a stop word, so that a negation of it counts.
    is_turned,
    "include included includes need needed needs supported supports allowed use used uses open known possible sure found \
     seen made taken run runs work works shown read written start started stop stopped kept keep lost set moved common \
     different easy right true wrong important enough"
);
cue!(
    /// Says no in its own meaning.
    is_negative,
    "lack lacks lacking missing absent fail fails failed failing refuse refuses refused reject rejects rejected forbid \
     forbids forbidden ban bans banned prohibit prohibited avoid avoids avoided prevent prevents prevented ignore ignores \
     ignored skip skips skipped omit omits omitted exclude excludes excluded disable disabled unable impossible except \
     unless only free off empty instead rather stop stops stopped unavailable unsupported unused unknown invalid \
     unchanged untouched hardly barely seldom rarely little few deny denied drop drops dropped against lost loses lose \
     gone false wrong wrongly mistakenly erroneously incorrect incorrectly remains stays stay still kept keeps outside beyond unlike other different zero closed \
     shut declined leave leaves left skipping unopened no-one remain"
);
cue!(
    /// Claims all of something, or that it must be.
    is_universal,
    "all every everyone everything everybody always only must entire entirely solely exclusively guarantee \
     guarantees guaranteed invariably completely"
);
cue!(
    /// Leaves nothing else.
    is_limit,
    "only solely exclusively alone just no not never none nothing nobody except unless other others"
);
cue!(
    /// Speaks of each member.
    is_each,
    "each both any per either every all a an these those"
);
cue!(
    /// Leaves it open whether or how often something is so.
    is_doubt,
    "some sometimes may might occasionally often usually most probably perhaps possibly rarely likely"
);
cue!(
    /// Announces the result of a calculation.
    is_reckoned,
    "total together altogether sum sums combined add adds each per average mean difference more less fewer longer shorter \
     older younger higher lower heavier lighter dearer cheaper larger smaller earlier later sooner rose fell grew dropped \
     lost gained increase decrease increased decreased between twice double times overall net remaining comes came come \
     works both all whole costs cost lasts took takes over make makes made away apart years months days zusammen insgesamt mehr weniger ensemble plus"
);
cue!(
    /// Obliges.
    is_duty,
    "must required requires require mandatory obligatory compulsory need needs needed necessary have has shall always \
     enforced obliged"
);
cue!(
    /// Claims less than all, or less than certainty.
    is_hedge,
    "some most many often usually sometimes may might could can occasionally typically partly several few mostly probably \
     likely possibly perhaps maybe tend tends generally rarely seldom suggests suggest appears seems should potentially \
     normally largely nearly almost reportedly allegedly hopes hope plan plans planned considering considers proposed \
     expect expects expected aims intended suspect suspects suspected think thinks believe believes guess estimated \
     unless if except whether uncertain possible possibility about roughly around half third quarter fifth fifths \
     majority part percent certain there one would"
);
cue!(
    /// Says that a statement was true before.
    is_past,
    "formerly previously earlier originally initially once until deprecated removed replaced superseded obsolete retired \
     abandoned dropped former old past was were had used before ago then did now today moved gone ended anymore"
);
cue!(
    /// Says that something is still to come.
    is_planned,
    "will shall planned intends intend scheduled todo soll sollen geplant"
);
cue!(
    /// Leaves it open whether something was done.
    is_intended,
    "plan plans planning should must need needs task tasks open outstanding intended going due supposed agreed decided \
     expects expect expected wants want would until next soon ought meant promised announced to-do"
);
cue!(
    /// Says that something ended.
    is_ended,
    "formerly previously originally deprecated removed replaced superseded obsolete retired abandoned former outdated \
     discontinued initially"
);

/// Whether a form of `be` stands before the word: the passive voice.
pub(super) fn is_being(token: &Token) -> bool {
    ["is", "are", "was", "were", "been", "being", "be", "gets", "got"].contains(&token.plain.as_str())
}
