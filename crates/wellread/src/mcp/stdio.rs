//! A client on standard input and output, or on any other pair of streams.

use rmcp::ServiceExt;
use tokio::io::{AsyncRead, AsyncWrite};
use wellread_core::{Error, Result};

use super::McpServer;

/// Serves a client on standard input and output until it hangs up.
pub async fn serve(server: McpServer) -> Result<()> {
    serve_client(server, rmcp::transport::stdio()).await
}

/// Serves one client by what it sends, and where it reads.
pub async fn serve_client(
    server: McpServer,
    client: (impl AsyncRead + Send + Unpin + 'static, impl AsyncWrite + Send + Unpin + 'static),
) -> Result<()> {
    let failed = |error: &dyn std::fmt::Display| Error::failed(format!("the MCP connection failed: {error}"));
    match server.serve(client).await {
        Ok(running) => running.waiting().await.map(|_| ()).map_err(|error| failed(&error)),
        // A client that hangs up before it says anything has done nothing wrong.
        Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(failed(&error)),
    }
}
