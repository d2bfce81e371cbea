//! Encrypted connections: TLS as everywhere else in the program, with the server's certificate and name verified.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream as RustlsStream;

/// Makes encrypted connections.
#[derive(Clone)]
pub struct VerifiedTls(pub Arc<ClientConfig>);

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> MakeTlsConnect<S> for VerifiedTls {
    type Stream = EncryptedStream<S>;
    type TlsConnect = NamedConnect;
    type Error = rustls::pki_types::InvalidDnsNameError;

    fn make_tls_connect(&mut self, domain: &str) -> Result<NamedConnect, Self::Error> {
        let name = ServerName::try_from(domain)?.to_owned();
        Ok(NamedConnect { connector: TlsConnector::from(self.0.clone()), name })
    }
}

/// An encrypted connection that is about to be made to a server of this name.
pub struct NamedConnect {
    connector: TlsConnector,
    name: ServerName<'static>,
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> TlsConnect<S> for NamedConnect {
    type Stream = EncryptedStream<S>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<EncryptedStream<S>>> + Send>>;

    fn connect(self, stream: S) -> Self::Future {
        Box::pin(async move { self.connector.connect(self.name, stream).await.map(EncryptedStream) })
    }
}

/// An encrypted connection.
pub struct EncryptedStream<S>(RustlsStream<S>);

impl<S: AsyncRead + AsyncWrite + Unpin> TlsStream for EncryptedStream<S> {
    /// The certificate is verified by those that are trusted, so that the password's exchange needs no binding to it.
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for EncryptedStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for EncryptedStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use rustls::ServerConfig;
    use rustls::pki_types::PrivateKeyDer;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, duplex};
    use tokio_rustls::TlsAcceptor;

    use super::*;
    use crate::http::trusting_config;

    fn sample(name: &str) -> PathBuf {
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/http/tests/samples").join(name)
    }

    /// Connects to a server with a certificate for `x.test`, which sends back the byte that it gets.
    async fn connect(authority: &str, name: &str) -> Result<u8, String> {
        let trust = Arc::new(trusting_config(Some(&sample(authority))).unwrap());
        let certificate = std::fs::read(sample("x.test.der")).unwrap().into();
        let key = PrivateKeyDer::try_from(std::fs::read(sample("x.test.key.der")).unwrap()).unwrap();
        let server = ServerConfig::builder().with_no_client_auth();
        let acceptor = TlsAcceptor::from(Arc::new(server.with_single_cert(vec![certificate], key).unwrap()));
        let (stream, other_end) = duplex(1 << 16);
        tokio::spawn(async move {
            if let Ok(mut stream) = acceptor.accept(other_end).await {
                let byte = stream.read_u8().await.unwrap();
                stream.write_u8(byte).await.unwrap();
                stream.flush().await.unwrap();
            }
        });
        let connect =
            MakeTlsConnect::<DuplexStream>::make_tls_connect(&mut VerifiedTls(trust), name).unwrap();
        let mut stream = connect.connect(stream).await.map_err(|error| error.to_string())?;
        stream.write_all(&[7]).await.unwrap();
        stream.flush().await.unwrap();
        Ok(stream.read_u8().await.unwrap())
    }

    #[test]
    fn a_server_is_trusted_by_its_certificate_and_its_name() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            assert_eq!(connect("authority.pem", "x.test").await, Ok(7));
            for (authority, name) in [
                ("another_authority.pem", "x.test"),
                ("authority.pem", "y.test"),
                ("authority.pem", "127.0.0.1"),
            ] {
                assert!(connect(authority, name).await.is_err(), "{authority} {name}");
            }
        });
    }
}
