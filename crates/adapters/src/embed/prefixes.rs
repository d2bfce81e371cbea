//! What a family of models wants to see before a text, so that it knows what the text is for.

use wellread_core::ports::EmbeddingPurpose;

#[derive(Clone, Copy, Default)]
pub(super) struct Prefixes {
    passage: &'static str,
    query: &'static str,
}

impl Prefixes {
    /// By the model's name: nothing else tells.
    pub(super) fn for_model(name: &str) -> Self {
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

    pub(super) fn for_purpose(&self, purpose: EmbeddingPurpose) -> &'static str {
        match purpose {
            EmbeddingPurpose::Passage => self.passage,
            EmbeddingPurpose::Query => self.query,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_family_has_its_own() {
        let before = |name: &str, purpose| Prefixes::for_model(name).for_purpose(purpose);
        assert_eq!(before("intfloat/e5-small-v2", EmbeddingPurpose::Passage), "passage: ");
        assert_eq!(before("E5-small", EmbeddingPurpose::Query), "query: ");
        assert!(before("bge-small-en-v1.5", EmbeddingPurpose::Query).starts_with("Represent this sentence"));
        for plain in ["all-MiniLM-L6-v2", "gte-small", "text-embedding-3-small"] {
            assert_eq!(before(plain, EmbeddingPurpose::Query), "");
        }
        assert_eq!(before("bge-small-en-v1.5", EmbeddingPurpose::Passage), "");
    }
}
