//! Frames messages on a server's output: a header with the length, an empty line, the message. A header or message that
//! is too long is never read to its end.

use serde_json::Value;
use tokio::io::{AsyncBufRead, AsyncBufReadExt as _, AsyncReadExt as _};

const LONGEST_HEAD: u64 = 8 * 1024;
pub const LARGEST_MESSAGE: u64 = 16 * 1024 * 1024;

/// Why there is no further message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoFrame {
    /// The output ended, possibly within a message.
    Ended,
    Broken(&'static str),
}

/// Reads the next message. Memory grows with what arrives, not with what is announced.
pub async fn read_frame(from: &mut (impl AsyncBufRead + Unpin)) -> Result<Vec<u8>, NoFrame> {
    let length = read_head(from).await?;
    let mut message = Vec::new();
    let read = from.take(length).read_to_end(&mut message).await;
    match read {
        Ok(read) if read as u64 == length => Ok(message),
        _ => Err(NoFrame::Ended),
    }
}

async fn read_head(from: &mut (impl AsyncBufRead + Unpin)) -> Result<u64, NoFrame> {
    let mut from = from.take(LONGEST_HEAD);
    let mut length = None;
    loop {
        let mut line = Vec::new();
        let read = from.read_until(b'\n', &mut line).await.map_err(|_| NoFrame::Ended)?;
        if line.last() != Some(&b'\n') {
            let cut = from.limit() == 0;
            return Err(if cut {
                NoFrame::Broken("the head of a message is too long")
            } else {
                NoFrame::Ended
            });
        }
        match line.trim_ascii() {
            [] if read > 0 => break,
            line => length = parse_content_length(line)?.or(length),
        }
    }
    let length = length.ok_or(NoFrame::Broken("a message does not say how long it is"))?;
    if length > LARGEST_MESSAGE {
        return Err(NoFrame::Broken("a message is too large"));
    }
    Ok(length)
}

/// The length, if this header line states it.
fn parse_content_length(line: &[u8]) -> Result<Option<u64>, NoFrame> {
    let text = std::str::from_utf8(line).ok();
    let field = text.and_then(|text| text.split_once(':'));
    let (name, value) = field.ok_or(NoFrame::Broken("its output is not a message of the protocol"))?;
    if !name.eq_ignore_ascii_case("content-length") {
        return Ok(None);
    }
    let digits = value.trim();
    let length = Some(digits).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
    let length = length.and_then(|digits| digits.parse().ok());
    length.map(Some).ok_or(NoFrame::Broken("a message's length is not a number"))
}

/// Encodes a message with its header.
pub fn encode_frame(message: &Value) -> Vec<u8> {
    let text = message.to_string();
    format!("Content-Length: {}\r\n\r\n{text}", text.len()).into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(mut bytes: &[u8]) -> Vec<Result<String, NoFrame>> {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let mut found = Vec::new();
            loop {
                let next = read_frame(&mut bytes).await.map(|bytes| String::from_utf8(bytes).unwrap());
                found.push(next);
                if found.last().unwrap().is_err() {
                    return found;
                }
            }
        })
    }

    #[test]
    fn messages_are_told_apart_by_their_lengths() {
        let bytes = b"Content-Length: 2\r\n\r\n{}content-type: x; charset=utf-8\r\nCONTENT-LENGTH:4\r\n\r\n\"\xc3\xa4\"Content-Length: 0\n\n";
        let expected = [Ok("{}".into()), Ok("\"ä\"".into()), Ok(String::new()), Err(NoFrame::Ended)];
        assert_eq!(read(bytes), expected);
        assert_eq!(
            encode_frame(&serde_json::json!({"ä": 1})),
            "Content-Length: 8\r\n\r\n{\"ä\":1}".as_bytes()
        );
    }

    #[test]
    fn what_breaks_off_has_ended() {
        for bytes in [&b""[..], b"Content-Le", b"Content-Length: 5\r\n", b"Content-Length: 5\r\n\r\n{}"] {
            assert_eq!(read(bytes), [Err(NoFrame::Ended)], "{bytes:?}");
        }
    }

    #[test]
    fn what_is_no_message_or_too_long_for_one_is_not_read() {
        let long = format!("X: {}\r\n\r\n", "x".repeat(9000));
        let endless = "X: y\r\n".repeat(9000);
        let large = format!("Content-Length: {}\r\n\r\n", LARGEST_MESSAGE + 1);
        for (bytes, why) in [
            ("Welcome!\r\n\r\n", "not a message"),
            ("\r\n", "how long"),
            ("X: y\r\n\r\n", "how long"),
            (&long, "head"),
            (&endless, "head"),
            (&large, "too large"),
            ("Content-Length: -1\r\n\r\n", "not a number"),
            ("Content-Length: +1\r\n\r\n", "not a number"),
            ("Content-Length: 99999999999999999999\r\n\r\n", "not a number"),
            ("Content-Length:\r\n\r\n", "not a number"),
        ] {
            let found = read(bytes.as_bytes());
            assert!(matches!(found[..], [Err(NoFrame::Broken(said))] if said.contains(why)), "{found:?}");
        }
    }
}
