//! The verifier that is part of the program: reads a sentence beside a text.

use wellread_core::ports::{SupportShares, Verifier};
use wellread_core::{Error, Result};
use wellread_encoder::Reading;

/// Each call runs on the thread that made it; several may run at once and share the weights.
pub struct BuiltInVerifier {
    model: wellread_encoder::Verifier,
}

impl BuiltInVerifier {
    pub fn open() -> Result<Self> {
        let model = wellread_encoder::Verifier::open()
            .map_err(|error| Error::failed(format!("the built-in verifier can't be used: {error}")))?;
        Ok(Self { model })
    }
}

impl Verifier for BuiltInVerifier {
    fn read(&self, statement: &str, text: &str) -> SupportShares {
        let Reading { supported, contradicted, not_said } = self.model.read(statement, text);
        SupportShares { supported, contradicted, not_said }
    }
}
