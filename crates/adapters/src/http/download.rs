//! Fetches one file, following redirects by hand: a few, and never from an encrypted address to an open one, nor to one that
//! is internal.

use std::io::Write;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::time::Duration;

use reqwest::header::LOCATION;
use reqwest::{Client, Response, Url};

use super::{ClientIdentity, HttpFailure, address, build_runtime, is_loopback_url, trusted_client_builder};

const MOST_REDIRECTS: usize = 5;
/// Between two pieces of the file. The whole may take as long as it takes.
const PATIENCE: Duration = Duration::from_secs(30);

enum DownloadEvent {
    Begin(Option<u64>),
    Piece(Vec<u8>),
}

/// Writes the file at `url`, of at most `cap` bytes, to `sink`; `progress` learns what came and what is to come.
pub(crate) fn download(
    url: &str,
    cap: u64,
    identity: &ClientIdentity,
    sink: &mut dyn Write,
    progress: &dyn Fn(u64, Option<u64>),
) -> Result<(), HttpFailure> {
    let url = Url::parse(url)
        .map_err(|error| HttpFailure::Local(format!("{url} is not a valid address: {error}")))?;
    let (send, receive) = sync_channel(16);
    std::thread::scope(|scope| {
        let fetch = std::thread::Builder::new().name("download".to_owned());
        let fetch = fetch.spawn_scoped(scope, move || fetch_all(&url, cap, identity, &send));
        let fetch = fetch.map_err(|error| HttpFailure::Local(format!("no thread: {error}")))?;
        let (mut done, mut total) = (0, None);
        for step in &receive {
            match step {
                DownloadEvent::Begin(length) => total = length,
                DownloadEvent::Piece(bytes) => {
                    if let Err(error) = sink.write_all(&bytes) {
                        // Dropping the receiver ends the other thread.
                        drop(receive);
                        return Err(HttpFailure::Local(format!("it can't be written: {error}")));
                    }
                    done += bytes.len() as u64;
                }
            }
            progress(done, total);
        }
        fetch.join().unwrap_or_else(|_| Err(HttpFailure::Local("the HTTP client failed".to_owned())))
    })
}

fn fetch_all(
    url: &Url,
    cap: u64,
    identity: &ClientIdentity,
    send: &SyncSender<DownloadEvent>,
) -> Result<(), HttpFailure> {
    let runtime = build_runtime()?;
    let client = trusted_client_builder(url.scheme() == "https", identity)?
        .read_timeout(PATIENCE)
        .build()
        .map_err(HttpFailure::from_reqwest)?;
    runtime.block_on(async {
        let mut response = follow_redirects(&client, url).await?;
        let length = response.content_length();
        if length.is_some_and(|length| length > cap) {
            return Err(HttpFailure::TooLarge);
        }
        let stopped = |_| HttpFailure::Local("the download was stopped".to_owned());
        send.send(DownloadEvent::Begin(length)).map_err(stopped)?;
        let mut done = 0;
        while let Some(piece) = response.chunk().await.map_err(HttpFailure::from_reqwest)? {
            done += piece.len() as u64;
            if done > cap {
                return Err(HttpFailure::TooLarge);
            }
            send.send(DownloadEvent::Piece(piece.to_vec())).map_err(stopped)?;
        }
        Ok(())
    })
}

async fn follow_redirects(client: &Client, url: &Url) -> Result<Response, HttpFailure> {
    let mut at = url.clone();
    for _ in 0..=MOST_REDIRECTS {
        if let Some(why) = refusal_reason(url, &at) {
            return Err(HttpFailure::Redirect(format!("{} {why}", address::host(&at))));
        }
        let response = client.get(at.clone()).send().await.map_err(HttpFailure::from_reqwest)?;
        let status = response.status();
        if status.is_success() {
            return Ok(response);
        }
        if !status.is_redirection() {
            return Err(HttpFailure::Status(status.as_u16()));
        }
        let to = response.headers().get(LOCATION).and_then(|to| to.to_str().ok());
        let to = to.ok_or_else(|| HttpFailure::Redirect("it has no target".to_owned()))?;
        at = address::join(&at, to).map_err(|failure| HttpFailure::Redirect(failure.message().to_owned()))?;
    }
    Err(HttpFailure::Redirect(format!("there are more than {MOST_REDIRECTS}")))
}

/// Why an address is not visited. Encrypted ones that are no internal ones are, and open ones of this machine if that is
/// where it began.
fn refusal_reason(first: &Url, url: &Url) -> Option<&'static str> {
    let here = |url: &Url| url.scheme() == "http" && is_loopback_url(url);
    if here(first) {
        return (!here(url)).then_some("is not on this machine, where it began");
    }
    if url.scheme() != "https" {
        return Some("is not encrypted");
    }
    // Where it begins was set, and is trusted that far.
    if url.origin() == first.origin() {
        return None;
    }
    if !address::has_usual_port(url) {
        return Some("is asked at a port that is not 80 or 443");
    }
    address::is_internal(url).then_some("is internal")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_encrypted_addresses_are_visited_unless_it_began_on_this_machine() {
        let may = |first: &str, next: &str| {
            refusal_reason(&Url::parse(first).unwrap(), &Url::parse(next).unwrap()).is_none()
        };
        assert!(may("https://a.example/x", "https://b.example/y"));
        assert!(may("http://127.0.0.1:8000/x", "http://localhost:9000/y"));
        assert!(may("http://[::1]:8000/x", "http://[::1]:8000/y"));
        assert!(!may("https://a.example/x", "http://a.example/x"));
        assert!(!may("https://a.example/x", "http://127.0.0.1/x"));
        assert!(!may("http://a.example/x", "http://a.example/x"));
        assert!(!may("http://127.0.0.1/x", "http://192.168.0.1/x"));
        assert!(!may("https://a.example/x", "file:///etc/passwd"));
        assert!(!may("http://127.0.0.1/x", "https://a.example/x"));
    }

    #[test]
    fn nothing_internal_is_visited_but_where_it_began() {
        let may = |next: &str| {
            refusal_reason(&Url::parse("https://hub.example/x").unwrap(), &Url::parse(next).unwrap())
                .is_none()
        };
        for open in
            ["https://cdn.example/y", "https://hub.example/y", "https://8.8.8.8/", "https://[2600::1]/"]
        {
            assert!(may(open), "{open}");
        }
        for internal in [
            "https://10.0.0.1/",
            "https://0x7f.1/",
            "https://169.254.169.254/latest",
            "https://[::1]/",
            "https://[::ffff:10.0.0.1]/",
            "https://localhost/",
            "https://LOCALHOST./",
            "https://a.localhost/",
            "https://printer.local/",
            "https://metadata.google.internal/",
            "https://router.home.arpa/",
            "https://wiki/",
            "https://cdn.example:8443/",
        ] {
            assert!(!may(internal), "{internal}");
        }
        let own = Url::parse("https://models.internal:8443/x").unwrap();
        assert_eq!(refusal_reason(&own, &Url::parse("https://models.internal:8443/y").unwrap()), None);
    }
}
