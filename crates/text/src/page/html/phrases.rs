//! What the words of a short text say about it: bylines, credits, invitations and the like, in several languages.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, Anchored, Input, MatchKind, StartKind};

/// The number of meanings.
pub(super) const MEANINGS: usize = 10;

/// For each meaning, phrases that a text begins with, and phrases anywhere in it, separated by `|`.
const PHRASES: [(&str, &str); MEANINGS] = [
    // Leads to another article.
    (
        "read more|read also|also read|read next|related|see also|see more|more:|more from|more on|\
         more stories|more articles|recommended|you may also|you might also|don't miss|don’t miss|watch:|\
         listen:|also see|up next|latest|most read|most popular|trending|popular|next:|previous|next post|\
         continue reading|lesen sie|mehr zum|mehr dazu|weiterlesen|lesen sie auch|auch interessant|\
         auch lesen|zum weiterlesen|das könnte|zum thema|weitere|lire aussi|à lire|a lire|voir aussi|\
         sur le même|lea también|lee también|lea más|leer más|te puede interesar|ver más|más noticias|\
         leggi anche|ti potrebbe|leia mais|leia também|veja também|saiba mais|czytaj|zobacz|polecamy|\
         przeczytaj|lees ook|lees meer|läs mer|läs också|les også|læs også|читайте|читать|также|похожие|\
         по теме",
        "you may also like|you might also like|read more:|read also:|also read:",
    ),
    // Credits a picture or a video.
    (
        "photo|image|picture|credit|video|foto|bild|abbildung|abb.|grafik|crédit|crédits|credits|crédito|zdj|\
         fot.|bron:|beeld|©|(c)|photograph|illustration|file photo|media caption",
        "getty images|shutterstock|image credit|photo credit|photo by|image copyright|(photo|(image|(credit|\
         photo:|image:|foto:|picture:|istock|picture alliance|photograph:|imago|/ap)|file photo|image source|\
         bildquelle|image via|photo courtesy",
    ),
    // Names an author or a date.
    (
        "by |by:|written by|posted|published|updated|last updated|last modified|author|reporting by|\
         editing by|von |par |por |autor|veröffentlicht|aktualisiert|stand:|publié|mis à jour|publicado|\
         actualizado|pubblicato|di |publikacja|opublikowan|gepubliceerd|publicerad|date:|datum|data:|\
         first published|source:|quelle|fuente|fonte:|źródło|автор",
        "min read|minute read|minutes read|reading time|lesezeit|hours ago|days ago|(reporting by|\
         is a freelance|all posts by|view all posts|posts by|follow him on|follow her on|on twitter @|\
         more articles by|about the author|can be reached at|minutes ago",
    ),
    // Invites to subscribe, to buy or to give.
    (
        "subscribe|sign up|sign in|log in|login|register|join|get the|receive|support|donate|download|\
         newsletter|abonn|jetzt|suscr|iscriviti|assine|inscrivez|get our|become a|already a|try |buy |shop |\
         order |want more|start your free|free trial|book a|request a|zapisz",
        "newsletter|subscribe|sign up|your inbox|your email|e-mail address|email address|free trial|\
         unsubscribe|abonnieren|suscríbete|terms of service|privacy policy|terms and conditions|datenschutz|\
         podcast",
    ),
    // Invites to share.
    (
        "share|tweet|follow|like us|facebook|twitter|email|e-mail|print|pinterest|whatsapp|linkedin|\
         copy link|teilen|drucken|partager|compart|condividi|udostępnij|delen|dela|поделиться|save|bookmark|\
         pin it",
        "share this|follow us|share on|on facebook|on twitter|find us on|like us on|folgen sie|suivez|\
         síguenos|seguici|instagram",
    ),
    // Claims rights.
    (
        "copyright|©|all rights|disclaimer|terms|impressum|privacy|licen|this article originally|\
         this story originally|originally published|reprint|this post contains|this article was",
        "all rights reserved|alle rechte|tous droits|derechos reservados|diritti riservati|\
         direitos reservados|prawa zastrzeżone|copyright ©|creative commons|affiliate commission|\
         affiliate link|earn a commission",
    ),
    // Speaks of cookies.
    (
        "cookie|we use cookies|this website uses|this site uses|wir verwenden",
        "cookies|accept all|your consent|adblock|ad blocker|enable javascript|javascript is|your browser|\
         datenschutzerkl",
    ),
    // Speaks of comments.
    (
        "comment|leave a|reply|post a comment|add a comment|kommentar|schreibe|commentaire|comentario|\
         comentários|commenti|lascia un|laisser un|deja un|deine e-mail|your email|required fields|komentarz|\
         reactie|show comments|view comments|one response|responses|what do you think|tell us|have your say|\
         let us know",
        "comments|leave a comment|leave a reply|log in to|logged in|submit a comment|permalink",
    ),
    // Advertises, or leads around in the page.
    (
        "advert|ad |sponsored|promoted|anzeige|werbung|publicité|publicidad|pubblicità|publicidade|reklama|\
         loading|story continues|article continues|continue|skip|click|tap |show more|load more|back to|\
         go to|home|menu|search|close|play|view |see all|toggle|edit this page|edit on|was this page|\
         was this helpful|on this page|table of contents|in this article|contents|jump to",
        "advertisement|click here|continues below|playback is|image 1 of|article continues",
    ),
    // Names keywords.
    (
        "tags|tag:|tagged|topics|filed under|categor|posted in|schlagw|schlagworte|themen|mots-clés|\
         etiquetas|kategori|tagi|keywords|in:|section:|more about|labels",
        "filed under|tagged with|posted in",
    ),
];

/// The starts and the parts, and the meaning of each phrase.
type Matchers = (AhoCorasick, Vec<usize>, AhoCorasick, Vec<usize>);

static MATCHERS: LazyLock<Option<Matchers>> = LazyLock::new(|| {
    let all = |choose: fn(&(&'static str, &'static str)) -> &'static str| {
        let pairs = PHRASES.iter().enumerate();
        pairs
            .flat_map(move |(meaning, both)| choose(both).split('|').map(move |phrase| (phrase, meaning)))
            .unzip()
    };
    let (starts, meaning_of_start): (Vec<&str>, Vec<usize>) = all(|both| both.0);
    let (parts, meaning_of_part): (Vec<&str>, Vec<usize>) = all(|both| both.1);
    let starts = AhoCorasick::builder()
        .start_kind(StartKind::Anchored)
        .match_kind(MatchKind::LeftmostLongest)
        .build(starts)
        .ok()?;
    Some((starts, meaning_of_start, AhoCorasick::new(parts).ok()?, meaning_of_part))
});

/// For each meaning, whether the text has one of its phrases. Long texts have such phrases by chance.
pub(super) fn phrases(text: &str) -> [bool; MEANINGS] {
    const LONGEST: usize = 500;
    let mut found = [false; MEANINGS];
    if text.len() > LONGEST {
        return found;
    }
    let Some((starts, meaning_of_start, parts, meaning_of_part)) = MATCHERS.as_ref() else { return found };
    let lower = text.to_lowercase();
    let begin = lower.trim_start_matches(|letter: char| !letter.is_alphanumeric() && letter != '©');
    if let Some(start) = starts.find(Input::new(begin).anchored(Anchored::Yes)) {
        found[meaning_of_start[start.pattern().as_usize()]] = true;
    }
    for part in parts.find_overlapping_iter(&lower) {
        found[meaning_of_part[part.pattern().as_usize()]] = true;
    }
    found
}
