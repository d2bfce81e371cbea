//! English stems, by Porter's algorithm with his later changes (`bli`, `logi`), as in SQLite.
//!
//! A stem is not a word; it is what `connect`, `connected` and `connection` have in common. Words of other languages
//! lose little, since the words of the query are cut in the same way.

/// Appends the stem of an ASCII word in lower case. A word with characters other than letters is not cut.
pub fn push_stem(column: &mut String, word: &[u8]) {
    let mut buffer = [0_u8; super::LONGEST];
    if word.len() > buffer.len() {
        return column.extend(word.iter().map(|&byte| char::from(byte.to_ascii_lowercase())));
    }
    let letters = &mut buffer[..word.len()];
    letters.copy_from_slice(word);
    letters.make_ascii_lowercase();
    let length = if word.len() > 2 && letters.iter().all(u8::is_ascii_lowercase) {
        let mut stem = Stem { letters: &mut buffer, end: word.len() };
        stem.cut();
        stem.end
    } else {
        word.len()
    };
    column.extend(buffer[..length].iter().map(|&byte| char::from(byte)));
}

struct Stem<'a> {
    letters: &'a mut [u8; super::LONGEST],
    end: usize,
}

impl Stem<'_> {
    fn cut(&mut self) {
        self.plurals();
        self.past_and_present();
        self.final_y();
        self.replace_longest(&DOUBLE_SUFFIXES, 0);
        self.replace_longest(&SUFFIXES, 0);
        self.drop_endings();
        self.final_e();
        self.final_double_l();
    }

    fn ends(&self, suffix: &[u8]) -> bool {
        self.letters[..self.end].ends_with(suffix)
    }

    /// The last letter, which distinguishes most suffixes.
    fn last(&self) -> Option<&u8> {
        self.letters[..self.end].last()
    }

    fn is_consonant(&self, at: usize) -> bool {
        match self.letters[at] {
            b'a' | b'e' | b'i' | b'o' | b'u' => false,
            b'y' => at == 0 || !self.is_consonant(at - 1),
            _ => true,
        }
    }

    /// How many times a vowel is followed by a consonant before `end`.
    fn measure(&self, end: usize) -> usize {
        let mut count = 0;
        let mut after_vowel = false;
        for at in 0..end {
            let consonant = self.is_consonant(at);
            if consonant && after_vowel {
                count += 1;
            }
            after_vowel = !consonant;
        }
        count
    }

    fn has_vowel(&self, end: usize) -> bool {
        (0..end).any(|at| !self.is_consonant(at))
    }

    fn ends_with_double_consonant(&self) -> bool {
        self.end >= 2
            && self.letters[self.end - 1] == self.letters[self.end - 2]
            && self.is_consonant(self.end - 1)
    }

    /// Whether `end` follows a consonant, a vowel and a consonant other than w, x or y: such a word lost an `e`.
    fn ends_short(&self, end: usize) -> bool {
        end >= 3
            && self.is_consonant(end - 1)
            && !self.is_consonant(end - 2)
            && self.is_consonant(end - 3)
            && !matches!(self.letters[end - 1], b'w' | b'x' | b'y')
    }

    fn replace(&mut self, suffix: &[u8], by: &[u8]) {
        let start = self.end - suffix.len();
        self.letters[start..start + by.len()].copy_from_slice(by);
        self.end = start + by.len();
    }

    fn plurals(&mut self) {
        if self.ends(b"sses") || self.ends(b"ies") {
            self.end -= 2;
        } else if self.ends(b"s") && !self.ends(b"ss") {
            self.end -= 1;
        }
    }

    fn past_and_present(&mut self) {
        if self.ends(b"eed") {
            if self.measure(self.end - 3) > 0 {
                self.end -= 1;
            }
            return;
        }
        let cut = if self.ends(b"ed") && self.has_vowel(self.end - 2) {
            2
        } else if self.ends(b"ing") && self.has_vowel(self.end - 3) {
            3
        } else {
            return;
        };
        self.end -= cut;
        if self.ends(b"at") || self.ends(b"bl") || self.ends(b"iz") {
            self.replace(b"", b"e");
        } else if self.ends_with_double_consonant()
            && !matches!(self.letters[self.end - 1], b'l' | b's' | b'z')
        {
            self.end -= 1;
        } else if self.measure(self.end) == 1 && self.ends_short(self.end) {
            self.replace(b"", b"e");
        }
    }

    fn final_y(&mut self) {
        if self.ends(b"y") && self.has_vowel(self.end - 1) {
            self.letters[self.end - 1] = b'i';
        }
    }

    /// Only the longest matching suffix is tried, even if too little is left before it.
    fn replace_longest(&mut self, table: &[(&[u8], &[u8])], least: usize) {
        let last = self.last();
        let fits = table.iter().filter(|(suffix, _)| suffix.last() == last && self.ends(suffix));
        let Some((suffix, by)) = fits.max_by_key(|(suffix, _)| suffix.len()) else { return };
        if self.measure(self.end - suffix.len()) > least {
            self.replace(suffix, by);
        }
    }

    fn drop_endings(&mut self) {
        let last = self.last();
        let fits = ENDINGS.iter().filter(|suffix| suffix.last() == last && self.ends(suffix));
        let Some(suffix) = fits.max_by_key(|suffix| suffix.len()) else { return };
        let left = self.end - suffix.len();
        let fits = *suffix != b"ion" || (left > 0 && matches!(self.letters[left - 1], b's' | b't'));
        if fits && self.measure(left) > 1 {
            self.end = left;
        }
    }

    fn final_e(&mut self) {
        if self.ends(b"e") {
            let left = self.end - 1;
            let measure = self.measure(left);
            if measure > 1 || (measure == 1 && !self.ends_short(left)) {
                self.end = left;
            }
        }
    }

    fn final_double_l(&mut self) {
        if self.ends(b"ll") && self.measure(self.end - 1) > 1 {
            self.end -= 1;
        }
    }
}

const DOUBLE_SUFFIXES: [(&[u8], &[u8]); 21] = [
    (b"ational", b"ate"),
    (b"tional", b"tion"),
    (b"enci", b"ence"),
    (b"anci", b"ance"),
    (b"izer", b"ize"),
    (b"bli", b"ble"),
    (b"alli", b"al"),
    (b"entli", b"ent"),
    (b"eli", b"e"),
    (b"ousli", b"ous"),
    (b"ization", b"ize"),
    (b"ation", b"ate"),
    (b"ator", b"ate"),
    (b"alism", b"al"),
    (b"iveness", b"ive"),
    (b"fulness", b"ful"),
    (b"ousness", b"ous"),
    (b"aliti", b"al"),
    (b"iviti", b"ive"),
    (b"biliti", b"ble"),
    (b"logi", b"log"),
];

const SUFFIXES: [(&[u8], &[u8]); 7] = [
    (b"icate", b"ic"),
    (b"ative", b""),
    (b"alize", b"al"),
    (b"iciti", b"ic"),
    (b"ical", b"ic"),
    (b"ful", b""),
    (b"ness", b""),
];

const ENDINGS: [&[u8]; 19] = [
    b"al", b"ance", b"ence", b"er", b"ic", b"able", b"ible", b"ant", b"ement", b"ment", b"ent", b"ion",
    b"ou", b"ism", b"ate", b"iti", b"ous", b"ive", b"ize",
];
