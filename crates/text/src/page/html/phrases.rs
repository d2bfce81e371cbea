//! What the words of a short text say about it: bylines, credits, invitations and the like, in several languages.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use crate::words::scripts::is_unspaced;

/// The number of meanings.
pub(super) const MEANINGS: usize = 10;

/// For each meaning, phrases that a text begins with, and phrases anywhere in it, separated by `|`. They are whole
/// words, except that more letters may follow a `*`.
const PHRASES: [(&str, &str); MEANINGS] = [
    // Leads to another article.
    (
        "read more|read also|also read|read next|related|see also|see more|more:|more from|more on|\
         more stories|more articles|recommended|you may also|you might also|don't miss|don’t miss|watch:|\
         listen:|also see|up next|latest|most read|most popular|trending|popular|next:|previous|next post|\
         continue reading|lesen sie|mehr zum|mehr dazu|weiterlesen|auch interessant|auch lesen|\
         zum weiterlesen|das könnte|zum thema|weitere|lire aussi|à lire|a lire|voir aussi|sur le même|\
         lea también|lee también|lea más|leer más|te puede interesar|ver más|más noticias|leggi anche|\
         ti potrebbe|leia mais|leia também|veja também|saiba mais|czytaj|zobacz|polecamy|przeczytaj|\
         lees ook|lees meer|läs mer|läs också|les også|læs også|читайте|читать|также|похожие|по теме",
        "you may also like|you might also like|read more:|read also:|also read:",
    ),
    // Credits a picture or a video.
    (
        "photo|photos|image|images|picture|pictures|credit|credits|video|foto|fotos|bild|bilder|abbildung|\
         abb.|grafik|crédit|crédits|crédito|créditos|zdj*|fot.|bron:|beeld|©|photograph|photographs|\
         illustration|file photo|media caption",
        "getty images|shutterstock|image credit*|photo credit*|photo by|image copyright|(photo*|(image*|\
         (credit*|photo:|image:|foto:|picture:|istock*|picture alliance|photograph:|imago|/ap)|file photo|\
         image source|bildquelle*|image via|photo courtesy",
    ),
    // Names an author or a date.
    (
        "by|written by|posted|published|updated|last updated|last modified|author|authors|reporting by|\
         editing by|von|par|por|autor|autora|autorin|veröffentlicht|aktualisiert|stand:|publié*|\
         mis à jour|publicado|actualizado|pubblicato|di|publikacja|opublikowan*|gepubliceerd|publicerad|\
         date:|datum|data:|first published|source:|quelle|fuente|fonte:|źródło|автор",
        "min read|minute read|minutes read|reading time|lesezeit|hours ago|days ago|(reporting by|\
         is a freelance*|all posts by|view all posts|posts by|follow him on|follow her on|on twitter @|\
         more articles by|about the author*|can be reached at|minutes ago",
    ),
    // Invites to subscribe, to buy or to give.
    (
        "subscribe|sign up|sign in|log in|login|register|join|get the|receive|support|donate|download|\
         newsletter|newsletters|abonn*|jetzt|suscr*|iscriviti|assine|inscrivez*|get our|become a|already a|\
         try|buy|shop|order|want more|start your free|free trial|book a|request a|zapisz*",
        "newsletter*|subscribe*|sign up|your inbox|your email|e-mail address*|email address*|free trial*|\
         unsubscribe|abonnieren|suscríbete|terms of service|privacy policy|terms and conditions|\
         datenschutz*|podcast*",
    ),
    // Invites to share.
    (
        "share|shares|tweet|tweets|follow|like us|facebook|twitter|email|e-mail|print|pinterest|whatsapp|\
         linkedin|copy link|teilen|drucken|partager|comparte|compartir|compartilh*|condividi|udostępnij|\
         delen|dela|поделиться|save|bookmark|pin it",
        "share this|follow us|share on|on facebook|on twitter|find us on|like us on|folgen sie|suivez|\
         síguenos|seguici|instagram",
    ),
    // Claims rights.
    (
        "copyright|©|all rights|disclaimer|terms|impressum|privacy|license|licence|licensed|\
         this article originally|this story originally|originally published|reprint*|this post contains|\
         this article was",
        "all rights reserved|alle rechte|tous droits|derechos reservados|diritti riservati|\
         direitos reservados|prawa zastrzeżone|copyright ©|creative commons|affiliate commission*|\
         affiliate link*|earn a commission",
    ),
    // Speaks of cookies.
    (
        "cookie|cookies|we use cookies|this website uses|this site uses|wir verwenden",
        "cookies|accept all|your consent|adblock*|ad blocker*|enable javascript|javascript is|your browser|\
         datenschutzerkl*",
    ),
    // Speaks of comments.
    (
        "comment|comments|leave a|reply|replies|post a comment|add a comment|kommentar*|schreibe|\
         commentaire*|comentario*|comentários|commenti|lascia un*|laisser un*|deja un*|deine e-mail*|\
         your email|required fields|komentarz*|reactie*|show comments|view comments|one response|responses|\
         what do you think|tell us|have your say|let us know",
        "comments|leave a comment|leave a reply|log in to|logged in|submit a comment|permalink",
    ),
    // Advertises, or leads around in the page.
    (
        "advert|advertis*|ad|sponsored|promoted|anzeige|anzeigen|werbung|publicité|publicidad|pubblicità|\
         publicidade|reklama|loading|story continues|article continues|continue|skip|click|tap|show more|\
         load more|back to|go to|home|menu|search|close|play|view|see all|toggle|edit this page|edit on|\
         was this page|was this helpful|on this page|table of contents|in this article|contents|jump to",
        "advertisement*|click here|continues below|playback is|image 1 of|article continues",
    ),
    // Names keywords.
    (
        "tags|tag:|tagged|topics|filed under|categor*|posted in|schlagw*|themen|mots-clés|etiquetas|\
         kategori*|tagi|keywords|in:|section:|more about|labels",
        "filed under|tagged with|posted in",
    ),
];

/// A mark before the first word of a text. No text has it, since its words are separated by spaces.
const BEGIN: char = '\n';

struct Matcher {
    phrases: AhoCorasick,
    /// For each phrase, its meaning and whether letters may follow.
    kinds: Vec<(usize, bool)>,
}

static MATCHER: LazyLock<Option<Matcher>> = LazyLock::new(|| {
    let (mut phrases, mut kinds) = (Vec::new(), Vec::new());
    for (meaning, (starts, parts)) in PHRASES.iter().enumerate() {
        let starts = starts.split('|').map(|phrase| format!("{BEGIN}{phrase}"));
        for phrase in starts.chain(parts.split('|').map(str::to_owned)) {
            kinds.push((meaning, phrase.ends_with('*')));
            phrases.push(phrase.trim_end_matches('*').to_owned());
        }
    }
    Some(Matcher { phrases: AhoCorasick::new(phrases).ok()?, kinds })
});

/// For each meaning, whether the text has one of its phrases. Long texts have such phrases by chance.
pub(super) fn phrases(text: &str) -> [bool; MEANINGS] {
    const LONGEST: usize = 500;
    let mut found = [false; MEANINGS];
    let Some(matcher) = MATCHER.as_ref().filter(|_| text.len() <= LONGEST) else { return found };
    let mut lower = text.to_lowercase();
    let begin = lower.find(|letter: char| letter.is_alphanumeric() || letter == '©').unwrap_or(0);
    lower.insert(begin, BEGIN);
    for phrase in matcher.phrases.find_overlapping_iter(&lower) {
        let (meaning, is_stem) = matcher.kinds[phrase.pattern().as_usize()];
        if is_whole(&lower, phrase.range(), is_stem) {
            found[meaning] = true;
        }
    }
    found
}

/// Whether neither the first nor the last word of the phrase is only a part of a word.
fn is_whole(text: &str, phrase: std::ops::Range<usize>, is_stem: bool) -> bool {
    // The words after figures and before letters without spaces are whole: `5min read`.
    let joins = |letter: char| letter.is_alphabetic() && !is_unspaced(letter);
    let inner = &text[phrase.clone()];
    let begins = !inner.starts_with(joins) || !text[..phrase.start].ends_with(joins);
    let ends = is_stem || !inner.ends_with(joins) || !text[phrase.end..].starts_with(joins);
    begins && ends
}

#[cfg(test)]
mod tests {
    use super::*;

    fn has(text: &str) -> bool {
        phrases(text).contains(&true)
    }

    #[test]
    fn a_phrase_is_made_of_whole_words() {
        let yes =
            ["Share", "» Share this page", "Share: a | b", "5min read", "Abonnieren Sie", "By Ann", "© Ann"];
        for text in yes {
            assert!(has(text), "{text}");
        }
        let no = [
            "Shareholders voted on Monday",
            "Bypass the pump first",
            "Photosynthesis needs light",
            "Poursuivez la route",
            "Previously we met",
            "Trying again helps",
            "Homemade bread",
            "Searching is slow",
        ];
        for text in no {
            assert!(!has(text), "{text}");
        }
    }
}
