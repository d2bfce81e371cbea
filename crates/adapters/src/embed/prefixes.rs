//! What a family of models wants to see before a text, so that it knows what the text is for.

use wellread_core::ports::Purpose;

#[derive(Clone, Copy, Default)]
pub(super) struct Prefixes {
    passage: &'static str,
    query: &'static str,
}

impl Prefixes {
    /// By the model's name: nothing else tells.
    pub(super) fn of(name: &str) -> Self {
        let name = name.to_lowercase();
        let is = |family: &str| name.split(['-', '_', '/']).any(|part| part == family);
        if is("e5") {
            Self { passage: "passage: ", query: "query: " }
        } else if is("bge") && is("en") {
            Self { passage: "", query: "Represent this sentence for searching relevant passages: " }
        } else {
            Self::default()
        }
    }

    pub(super) fn before(&self, purpose: Purpose) -> &'static str {
        match purpose {
            Purpose::Passage => self.passage,
            Purpose::Query => self.query,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_family_has_its_own() {
        let before = |name: &str, purpose| Prefixes::of(name).before(purpose);
        assert_eq!(before("intfloat/e5-small-v2", Purpose::Passage), "passage: ");
        assert_eq!(before("E5-small", Purpose::Query), "query: ");
        assert!(before("bge-small-en-v1.5", Purpose::Query).starts_with("Represent this sentence"));
        for plain in ["all-MiniLM-L6-v2", "gte-small", "text-embedding-3-small"] {
            assert_eq!(before(plain, Purpose::Query), "");
        }
        assert_eq!(before("bge-small-en-v1.5", Purpose::Passage), "");
    }
}
