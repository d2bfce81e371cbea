//! Our stems are those of SQLite's own `porter` tokenizer, so that a word is cut as others cut it.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use rusqlite::Connection;
use wellread_text::Terms;

const STEMS: [&str; 33] = [
    "hop", "hopp", "relat", "rat", "tr", "cr", "sky", "fall", "fil", "hiss", "fizz", "bled", "agre", "plast",
    "motor", "conflat", "trouble", "siz", "happ", "oper", "fe", "feud", "vietnam", "pred", "radic", "differ",
    "vile", "analog", "sens", "good", "elect", "hope", "form",
];

const ENDINGS: [&str; 74] = [
    "", "s", "es", "sses", "ies", "ss", "us", "ed", "eed", "ing", "ating", "bling", "izing", "y", "ly",
    "ational", "tional", "enci", "anci", "izer", "abli", "bli", "alli", "entli", "eli", "ousli", "ization",
    "ation", "ator", "alism", "iveness", "fulness", "ousness", "aliti", "iviti", "biliti", "logi", "icate",
    "ative", "alize", "iciti", "ical", "ful", "ness", "al", "ance", "ence", "er", "ic", "able", "ible",
    "ant", "ement", "ment", "ent", "sion", "tion", "ion", "ou", "ism", "ate", "iti", "ous", "ive", "ize",
    "e", "ll", "lls", "ings", "edly", "ization", "eedli", "yed", "aying",
];

/// Words of plain letters: how a word is found in a text is another matter than how it is cut.
fn words() -> BTreeSet<String> {
    let mut words: BTreeSet<String> = BTreeSet::new();
    for stem in STEMS {
        for ending in ENDINGS {
            words.insert(format!("{stem}{ending}"));
            words.insert(format!("{stem}{ending}s"));
        }
    }
    collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples"), &mut words);
    words.retain(|word| (1..=60).contains(&word.len()));
    words
}

fn collect(folder: &Path, words: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, words);
        } else if let Ok(text) = fs::read_to_string(&path) {
            let found = text.split(|letter: char| !letter.is_alphanumeric());
            let plain = found.filter(|word| word.bytes().all(|byte| byte.is_ascii_alphabetic()));
            words.extend(plain.map(str::to_ascii_lowercase));
        }
    }
}

#[test]
fn a_word_is_cut_as_sqlite_cuts_it() {
    let words: Vec<String> = words().into_iter().collect();
    assert!(words.len() > 6000, "{}", words.len());
    let connection = Connection::open_in_memory().unwrap();
    connection
        .execute_batch(
            "CREATE VIRTUAL TABLE cut USING fts5 (word, tokenize = 'porter ascii');
             CREATE VIRTUAL TABLE terms USING fts5vocab ('cut', 'instance');",
        )
        .unwrap();
    let mut insert = connection.prepare("INSERT INTO cut (rowid, word) VALUES (?1, ?2)").unwrap();
    for (at, word) in words.iter().enumerate() {
        insert.execute((at, word)).unwrap();
    }
    let mut terms = connection.prepare("SELECT doc, term FROM terms").unwrap();
    let cut = terms.query_map([], |row| Ok((row.get::<_, usize>(0)?, row.get::<_, String>(1)?))).unwrap();
    let (mut compared, mut differ) = (0, Vec::new());
    for row in cut {
        let (at, theirs) = row.unwrap();
        let ours = Terms::from_text(&words[at]).words;
        compared += 1;
        if ours != theirs {
            differ.push(format!("{}: {ours}, not {theirs}", words[at]));
        }
    }
    assert_eq!(compared, words.len());
    assert!(differ.is_empty(), "{} differ: {:?}", differ.len(), &differ[..differ.len().min(20)]);
}
