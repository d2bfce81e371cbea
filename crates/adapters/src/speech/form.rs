//! `multipart/form-data`, as far as an upload needs it.

/// A form with some fields and one file, and what its content type is.
pub fn form(fields: &[(&str, &str)], name: &str, kind: &str, bytes: &[u8]) -> (String, Vec<u8>) {
    let boundary = boundary(bytes);
    let mut body = Vec::with_capacity(bytes.len() + 1024);
    for (field, value) in fields {
        let part =
            format!("--{boundary}\r\nContent-Disposition: form-data; name=\"{field}\"\r\n\r\n{value}\r\n");
        body.extend_from_slice(part.as_bytes());
    }
    let head = format!(
        "--{boundary}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{}\"\r\nContent-Type: {kind}\r\n\r\n",
        quote_name(name)
    );
    body.extend_from_slice(head.as_bytes());
    body.extend_from_slice(bytes);
    body.extend_from_slice(format!("\r\n--{boundary}--\r\n").as_bytes());
    (format!("multipart/form-data; boundary={boundary}"), body)
}

/// One that does not stand in the file: its own hash is there only if somebody put it there, so it is counted up.
fn boundary(bytes: &[u8]) -> String {
    use wellread_core::domain::corpus::Hash;
    let mut boundary = format!("wellread-{}", &Hash::compute(bytes).to_string()[..32]);
    while bytes.windows(boundary.len()).any(|part| part == boundary.as_bytes()) {
        boundary = format!("wellread-{}", &Hash::compute(boundary.as_bytes()).to_string()[..32]);
    }
    boundary
}

/// A file's name inside of quotation marks, as browsers write it.
fn quote_name(name: &str) -> String {
    let name = name.replace('"', "%22").replace('\r', "%0D").replace('\n', "%0A");
    name.replace(|c: char| c.is_control(), "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_or_a_file_can_not_end_its_part() {
        let (kind, body) =
            form(&[("model", "whisper-v3")], "a\"\r\nX: y.mp3", "audio/mpeg", b"\x00\xff\r\n--");
        let boundary = kind.split("boundary=").nth(1).unwrap();
        let text = String::from_utf8_lossy(&body);
        assert_eq!(text.matches(&format!("--{boundary}")).count(), 3, "{text}");
        assert!(text.contains("filename=\"a%22%0D%0AX: y.mp3\"") && !text.contains("\nX: y"), "{text}");
        let before = boundary.to_owned();
        let (kind, _) = form(&[], "a", "audio/wav", before.as_bytes());
        assert!(!kind.contains(&before));
    }
}
