//! Whom encrypted connections trust: what the system trusts, and the CA that the user named.

use std::path::Path;
use std::sync::{Arc, Once};

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::Verifier;

use super::HttpFailure;

/// Chooses who encrypts, once in a process.
fn install_crypto_provider() {
    static PROVIDER: Once = Once::new();
    PROVIDER.call_once(|| {
        // Fails where there is one already, which does as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
}

/// Reads the system's certificates, which takes a while.
pub(crate) fn trusting_config(ca_file: Option<&Path>) -> Result<ClientConfig, HttpFailure> {
    install_crypto_provider();
    let more = ca_file.map_or(Ok(Vec::new()), certificates)?;
    let builder = ClientConfig::builder();
    let verifier = Verifier::new_with_extra_roots(more, builder.crypto_provider().clone());
    let verifier =
        verifier.map_err(|error| HttpFailure::Local(format!("no trusted certificates: {error}")))?;
    Ok(builder.dangerous().with_custom_certificate_verifier(Arc::new(verifier)).with_no_client_auth())
}

/// For what is not encrypted: there is no need for the system's certificates, which may be missing.
pub(super) fn untrusting_config() -> ClientConfig {
    install_crypto_provider();
    ClientConfig::builder().with_root_certificates(RootCertStore::empty()).with_no_client_auth()
}

/// The certificates of a file that can be used, of which there must be one.
fn certificates(file: &Path) -> Result<Vec<CertificateDer<'static>>, HttpFailure> {
    let wrong = |why: &dyn std::fmt::Display| {
        HttpFailure::Local(format!("the CA file `{}` can't be used: {why}", file.display()))
    };
    let found = CertificateDer::pem_file_iter(file).map_err(|error| wrong(&error))?;
    let found: Vec<_> = found.collect::<Result<_, _>>().map_err(|error| wrong(&error))?;
    // A bundle may hold some that are too old to be read; one such must not take the others with it.
    let usable =
        |certificate: &CertificateDer<'static>| RootCertStore::empty().add(certificate.clone()).is_ok();
    let usable: Vec<_> = found.into_iter().filter(usable).collect();
    if usable.is_empty() { Err(wrong(&"it contains no certificate")) } else { Ok(usable) }
}
