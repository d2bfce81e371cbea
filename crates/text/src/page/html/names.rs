//! What the names of elements (their classes, ids and roles) say about what is inside.

use std::collections::HashMap;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::blocks::is_block;
use super::tree::{Element, NodeId, Tree};

/// A set of the meanings below.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Names(u32);

impl Names {
    pub(super) fn with(self, other: Names) -> Names {
        Names(self.0 | other.0)
    }

    pub(super) fn without(self, other: Names) -> Names {
        Names(self.0 & !other.0)
    }

    /// The meanings for which a condition holds.
    pub(super) fn all_where(is: impl Fn(usize) -> bool) -> Names {
        (0..MEANINGS)
            .filter(|&meaning| is(meaning))
            .fold(Names::default(), |names, meaning| Names(names.0 | 1 << meaning))
    }

    pub(super) fn has(self, meaning: usize) -> bool {
        self.0 >> meaning & 1 == 1
    }

    /// Whether it is called a post of a discussion, or a part of one.
    pub(super) fn is_post(self) -> bool {
        self.has(POST)
    }
}

/// The number of meanings by which a text is judged.
pub(super) const MEANINGS: usize = 17;

/// The meaning that only tells which elements are posts of a discussion.
const POST: usize = MEANINGS;

/// The meanings of what surrounds the main content.
pub(super) const BOILERPLATE: [usize; 12] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];

/// The meanings that speak for the main content: being called so tells something even if most of a page is.
pub(super) const CONTENT: [usize; 2] = [14, 15];

/// For each meaning, the parts of names that show it, and the whole words of names that do.
const WORDS: [(&str, &str); MEANINGS + 1] = [
    // Sharing.
    ("share social sharing addthis follow facebook twitter whatsapp bookmark", ""),
    // Other articles.
    (
        "related recommend recirc readmore morestories morefrom popular trending latest teaser outbrain \
         taboola similar suggest mostread readnext upnext alsolike furtherreading nextpost prevpost seealso \
         relacionad aehnlich weiterlesen mehrzum",
        "also next previous prev",
    ),
    // Comments.
    ("comment disqus respond reply discussion kommentar", ""),
    // Side columns.
    ("sidebar aside widget sidecol secondary rightcol leftcol complementary", "rail side"),
    // The end of a page.
    ("footer bottom colophon copyright legal contentinfo", ""),
    // Navigation.
    ("menu breadcrumb toolbar paginat pager navbar navigation tableofcontents", "nav toc skip tabs tab"),
    // Authors and dates.
    (
        "byline author writer contributor dateline timestamp published postmeta entrymeta postinfo \
         articleinfo biography profile",
        "bio date time meta info",
    ),
    // Captions and media.
    (
        "caption credit image photo gallery slideshow media picture video player figure legende \
         bildunterschrift",
        "img pic",
    ),
    // Newsletters, subscriptions and offers.
    (
        "newsletter subscri signup promo paywall donat banner marketing register login membership offer \
         calltoaction piano webform",
        "cta form",
    ),
    // Advertisements.
    ("advert sponsor adslot affiliate werbung publicid anzeige adcontainer", "ad ads dfp adv"),
    // Consent and dialogs.
    ("cookie consent gdpr privacy popup modal overlay dialog disclaimer notice alert", ""),
    // Keywords.
    ("category categories topics keyword taglist tagcloud posttag tagslinks", "tag tags label labels cat"),
    // Headings.
    ("title headline heading kicker header hero", "head"),
    // Introductions.
    ("standfirst subtitle summary intro excerpt abstract description teasertext", "lead lede dek deck"),
    // Parts that are called content.
    ("article story content richtext prose markdown blog paragraph", "post entry text body main page single"),
    // Parts that are called the text of an article.
    (
        "articlebody entrycontent postcontent storybody postbody articlecontent storycontent bodycontent \
         contentbody articletext storytext parseroutput singlecontent newscontent posttext newstext bodytext \
         textbody pagecontent maincontent contentmain contenttext",
        "",
    ),
    // Collections.
    ("carousel slider swiper masonry collection product", "card cards grid list item feed tile items"),
    // Posts of a discussion.
    (
        "comment postbody postcontent postmessage posttext postrow messagebody messagetext messagecontent \
         answertext answerbody answercell replytext replybody",
        "post reply message answer posting response question",
    ),
];

struct Matcher {
    parts: AhoCorasick,
    meaning_of_part: Vec<usize>,
    whole: HashMap<&'static str, usize>,
}

static MATCHER: LazyLock<Option<Matcher>> = LazyLock::new(|| {
    let parts = WORDS.iter().enumerate();
    let parts =
        parts.flat_map(|(meaning, (parts, _))| parts.split_whitespace().map(move |part| (meaning, part)));
    let (meaning_of_part, parts): (Vec<usize>, Vec<&str>) = parts.unzip();
    let whole = WORDS.iter().enumerate();
    let whole =
        whole.flat_map(|(meaning, (_, words))| words.split_whitespace().map(move |word| (word, meaning)));
    Some(Matcher { parts: AhoCorasick::new(parts).ok()?, meaning_of_part, whole: whole.collect() })
});

/// Reads names, each distinct one once.
#[derive(Default)]
pub(super) struct NameWords<'a> {
    known: HashMap<&'a str, Names>,
}

impl<'a> NameWords<'a> {
    /// What the names of an element say.
    pub(super) fn read(&mut self, tree: &'a Tree, id: NodeId) -> Names {
        let Some(element) = tree.element(id) else { return Names::default() };
        let id = element.attribute("id").filter(|_| has_own_id(element));
        let named = ["class", "role", "itemprop"].into_iter().filter_map(|name| element.attribute(name));
        named.chain(id).fold(Names::default(), |all, value| {
            all.with(*self.known.entry(value).or_insert_with(|| meanings(value)))
        })
    }
}

/// Whether the id of the element is a name for a part of the page. On others it is mostly a target for links, made
/// from the words of a heading, and says what the text is about: `related-work`.
pub(super) fn has_own_id(element: &Element) -> bool {
    let is_section = |class: &str| class.split_whitespace().any(|name| name == "section");
    let tag = element.tag();
    is_block(tag)
        && !matches!(tag, "section" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "dt" | "dd" | "p" | "pre")
        && !element.attribute("class").is_some_and(is_section)
}

fn meanings(value: &str) -> Names {
    let Some(matcher) = MATCHER.as_ref() else { return Names::default() };
    let mut found = 0;
    for name in value.split_whitespace() {
        // `relatedArticles`, `related-articles` and `related_articles` are the same words.
        let mut word = String::new();
        let mut joined = String::new();
        let mut was_lower = false;
        for letter in name.chars().chain(['-']) {
            let ends = !letter.is_alphanumeric() || (was_lower && letter.is_uppercase());
            if ends {
                found |= matcher.whole.get(word.as_str()).map_or(0, |meaning| 1 << meaning);
                word.clear();
            }
            if letter.is_alphanumeric() {
                word.extend(letter.to_lowercase());
                joined.extend(letter.to_lowercase());
            }
            was_lower = letter.is_lowercase();
        }
        for part in matcher.parts.find_overlapping_iter(&joined) {
            found |= 1 << matcher.meaning_of_part[part.pattern().as_usize()];
        }
    }
    Names(found)
}
