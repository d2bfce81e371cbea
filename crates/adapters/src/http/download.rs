//! Fetches one file, following redirects by hand: a few, and never from an encrypted address to an open one.

use std::io::Write;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::time::Duration;

use reqwest::header::LOCATION;
use reqwest::{Client, Response, Url};

use super::{Failure, build, is_here, runtime};

const MOST_REDIRECTS: usize = 5;
/// Between two pieces of the file. The whole may take as long as it takes.
const PATIENCE: Duration = Duration::from_secs(30);

enum Step {
    Begin(Option<u64>),
    Piece(Vec<u8>),
}

/// Writes the file at `url`, of at most `cap` bytes, to `sink`; `progress` learns what came and what is to come.
pub(crate) fn download(
    url: &str,
    cap: u64,
    sink: &mut dyn Write,
    progress: &dyn Fn(u64, Option<u64>),
) -> Result<(), Failure> {
    let url = Url::parse(url).map_err(|error| Failure::Local(format!("{url} is no address: {error}")))?;
    let (send, receive) = sync_channel(16);
    std::thread::scope(|scope| {
        let fetch = std::thread::Builder::new().name("download".to_owned());
        let fetch = fetch.spawn_scoped(scope, move || fetch_all(&url, cap, &send));
        let fetch = fetch.map_err(|error| Failure::Local(format!("no thread: {error}")))?;
        let (mut done, mut total) = (0, None);
        for step in &receive {
            match step {
                Step::Begin(length) => total = length,
                Step::Piece(bytes) => {
                    if let Err(error) = sink.write_all(&bytes) {
                        // Dropping the receiver ends the other thread.
                        drop(receive);
                        return Err(Failure::Local(format!("it can't be written: {error}")));
                    }
                    done += bytes.len() as u64;
                }
            }
            progress(done, total);
        }
        fetch.join().unwrap_or_else(|_| Err(Failure::Local("the HTTP client failed".to_owned())))
    })
}

fn fetch_all(url: &Url, cap: u64, send: &SyncSender<Step>) -> Result<(), Failure> {
    let runtime = runtime()?;
    let client = build(url.scheme() == "https")?.read_timeout(PATIENCE).build().map_err(Failure::of)?;
    runtime.block_on(async {
        let mut response = follow(&client, url).await?;
        let length = response.content_length();
        if length.is_some_and(|length| length > cap) {
            return Err(Failure::TooLarge);
        }
        let stopped = |_| Failure::Local("the download was given up".to_owned());
        send.send(Step::Begin(length)).map_err(stopped)?;
        let mut done = 0;
        while let Some(piece) = response.chunk().await.map_err(Failure::of)? {
            done += piece.len() as u64;
            if done > cap {
                return Err(Failure::TooLarge);
            }
            send.send(Step::Piece(piece.to_vec())).map_err(stopped)?;
        }
        Ok(())
    })
}

async fn follow(client: &Client, url: &Url) -> Result<Response, Failure> {
    let mut at = url.clone();
    for _ in 0..=MOST_REDIRECTS {
        if !may_visit(url, &at) {
            return Err(Failure::Redirect(format!("{} is not encrypted", at.host_str().unwrap_or_default())));
        }
        let response = client.get(at.clone()).send().await.map_err(Failure::of)?;
        let status = response.status();
        if status.is_success() {
            return Ok(response);
        }
        if !status.is_redirection() {
            return Err(Failure::Status(status.as_u16()));
        }
        let to = response.headers().get(LOCATION).and_then(|to| to.to_str().ok());
        at = to
            .and_then(|to| at.join(to).ok())
            .ok_or_else(|| Failure::Redirect("it leads nowhere".to_owned()))?;
    }
    Err(Failure::Redirect(format!("there are more than {MOST_REDIRECTS}")))
}

/// Encrypted addresses, and open ones of this machine if that is where it began.
fn may_visit(first: &Url, url: &Url) -> bool {
    let here = |url: &Url| url.scheme() == "http" && is_here(url);
    if here(first) { here(url) } else { url.scheme() == "https" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_encrypted_addresses_are_visited_unless_it_began_on_this_machine() {
        let may =
            |first: &str, next: &str| may_visit(&Url::parse(first).unwrap(), &Url::parse(next).unwrap());
        assert!(may("https://a.example/x", "https://b.example/y"));
        assert!(may("http://127.0.0.1:8000/x", "http://localhost:9000/y"));
        assert!(may("http://[::1]:8000/x", "http://[::1]:8000/y"));
        assert!(!may("https://a.example/x", "http://a.example/x"));
        assert!(!may("https://a.example/x", "http://127.0.0.1/x"));
        assert!(!may("http://a.example/x", "http://a.example/x"));
        assert!(!may("http://127.0.0.1/x", "http://192.168.0.1/x"));
        assert!(!may("https://a.example/x", "file:///etc/passwd"));
    }
}
