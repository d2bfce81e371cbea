//! Decodes the bytes of a page, by their declared encoding and by their content.
//!
//! A byte-order mark takes precedence, then the server, then the page. A label that contradicts the bytes is ignored:
//! old servers call everything `iso-8859-1`. Decoding never fails: invalid bytes become `U+FFFD`.

use encoding_rs::{Encoding, REPLACEMENT, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};

/// How many bytes of a page are searched for its own label.
const HEAD: usize = 4096;

/// Decodes a page. `content_type` is the server's header, parameters included.
pub fn decode_page(bytes: &[u8], content_type: Option<&str>) -> String {
    if let Some((encoding, length)) = Encoding::for_bom(bytes) {
        return encoding.decode_without_bom_handling(&bytes[length..]).0.into_owned();
    }
    let head = &bytes[..bytes.len().min(HEAD)];
    if let Some(wide) = detect_utf16(head) {
        return wide.decode_without_bom_handling(bytes).0.into_owned();
    }
    let is_utf8 = std::str::from_utf8(bytes).is_ok();
    let labels = [content_type.and_then(encoding_from_content_type), find_page_label(head)];
    for encoding in labels.into_iter().flatten() {
        let (text, broken) = encoding.decode_without_bom_handling(bytes);
        // All bytes are valid in a single-byte encoding, so text that is valid UTF-8 beyond ASCII is UTF-8.
        let is_any = encoding.is_single_byte();
        if !(broken || is_any && is_utf8) {
            return text.into_owned();
        }
    }
    if is_utf8 || mostly_utf8(bytes) {
        return UTF_8.decode_without_bom_handling(bytes).0.into_owned();
    }
    let fallback = labels.into_iter().flatten().find(|encoding| *encoding != UTF_8).unwrap_or(WINDOWS_1252);
    fallback.decode_without_bom_handling(bytes).0.into_owned()
}

/// Detects UTF-16 without a byte-order mark: every other byte of its first letters is zero.
fn detect_utf16(head: &[u8]) -> Option<&'static Encoding> {
    let first = head.get(..8)?;
    let zeros = |from: usize| first.iter().skip(from).step_by(2).all(|&byte| byte == 0);
    let letters = |from: usize| first.iter().skip(from).step_by(2).all(|&byte| byte != 0);
    match () {
        () if zeros(1) && letters(0) => Some(UTF_16LE),
        () if zeros(0) && letters(1) => Some(UTF_16BE),
        () => None,
    }
}

/// Whether most letters beyond ASCII are valid UTF-8: the page was truncated or patched somewhere.
fn mostly_utf8(bytes: &[u8]) -> bool {
    let (mut good, mut bad) = (0, 0);
    for chunk in bytes.utf8_chunks() {
        good += chunk.valid().chars().filter(|letter| !letter.is_ascii()).count();
        bad += usize::from(!chunk.invalid().is_empty());
    }
    good > bad
}

/// The encoding named by a content type.
fn encoding_from_content_type(content_type: &str) -> Option<&'static Encoding> {
    let lower = content_type.to_ascii_lowercase();
    let (_, after) = lower.split_once("charset")?;
    let label = after.trim_start().strip_prefix('=')?.trim_start();
    encoding_from_label(label.trim_start_matches(['"', '\'']))
}

/// The encoding of the label at the start of a text.
fn encoding_from_label(text: &str) -> Option<&'static Encoding> {
    let end = text
        .find(|letter: char| !(letter.is_ascii_alphanumeric() || "-_:.".contains(letter)))
        .unwrap_or(text.len());
    let encoding = Encoding::for_label(&text.as_bytes()[..end])?;
    match encoding {
        // A label that could be read is not in UTF-16.
        wide if wide == UTF_16LE || wide == UTF_16BE => Some(UTF_8),
        own if own == X_USER_DEFINED => Some(WINDOWS_1252),
        // Encodings that nobody decodes, since scripts can hide in them.
        none if none == REPLACEMENT => None,
        encoding => Some(encoding),
    }
}

/// The encoding that the page declares: in an XML declaration or in `meta`.
fn find_page_label(head: &[u8]) -> Option<&'static Encoding> {
    let head = String::from_utf8_lossy(head).to_ascii_lowercase();
    let declared = head.trim_start().strip_prefix("<?xml").and_then(|rest| rest.split_once("?>"));
    if let Some((declaration, _)) = declared
        && let Some((_, after)) = declaration.split_once("encoding")
        && let Some(label) = after.trim_start().strip_prefix('=')
        && let Some(encoding) = encoding_from_label(label.trim_start().trim_start_matches(['"', '\'']))
    {
        return Some(encoding);
    }
    let mut rest = head.as_str();
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        if let Some(comment) = rest.strip_prefix("!--") {
            rest = comment.split_once("-->").map_or("", |(_, after)| after);
        } else if let Some(meta) = rest.strip_prefix("meta") {
            let tag = meta.split('>').next().unwrap_or_default();
            if let Some(encoding) = encoding_from_content_type(tag) {
                return Some(encoding);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use encoding_rs::{BIG5, EUC_JP, EUC_KR, GB18030, ISO_8859_2, KOI8_R, SHIFT_JIS, WINDOWS_1251};

    #[test]
    fn a_page_is_read_by_the_label_that_it_or_its_server_gives() {
        let cases: [(&str, &'static Encoding, &str); 8] = [
            ("windows-1251", WINDOWS_1251, "Пчёлы летят домой"),
            ("koi8-r", KOI8_R, "Пчелы летят домой"),
            ("Shift_JIS", SHIFT_JIS, "蜂は家に帰る"),
            ("euc-jp", EUC_JP, "蜂は家に帰る"),
            ("euc-kr", EUC_KR, "벌은 집으로"),
            ("big5", BIG5, "蜜蜂回家"),
            ("gb2312", GB18030, "蜜蜂回家"),
            ("iso-8859-2", ISO_8859_2, "Včely letí domů"),
        ];
        for (label, encoding, said) in cases {
            let html = |meta: &str| format!("<html><head>{meta}</head><p>{said}</p>");
            let bytes = |text: &str| encoding.encode(text).0.into_owned();
            let by_server = html("");
            let header = format!("text/html; charset={label}");
            assert_eq!(decode_page(&bytes(&by_server), Some(&header)), by_server, "{label} by the server");
            for meta in [
                format!("<meta charset={label}>"),
                format!("<META CHARSET='{label}' />"),
                format!("<meta http-equiv=\"Content-Type\" content=\"text/html; charset={label}\">"),
            ] {
                let page = html(&meta);
                assert_eq!(decode_page(&bytes(&page), None), page, "{meta}");
                assert_eq!(decode_page(&bytes(&page), Some("text/html")), page, "{meta}");
            }
            let xml = format!("<?xml version=\"1.0\" encoding=\"{label}\"?>{by_server}");
            assert_eq!(decode_page(&bytes(&xml), None), xml);
        }
    }

    #[test]
    fn utf_16_is_read_with_and_without_its_mark() {
        let said = "<p>Bienen fliegen 蜂</p>";
        let little =
            |mark: &[u8]| [mark.to_vec(), said.encode_utf16().flat_map(u16::to_le_bytes).collect()].concat();
        let big =
            |mark: &[u8]| [mark.to_vec(), said.encode_utf16().flat_map(u16::to_be_bytes).collect()].concat();
        for bytes in [little(b"\xff\xfe"), little(b""), big(b"\xfe\xff"), big(b"")] {
            assert_eq!(decode_page(&bytes, Some("text/html; charset=utf-8")), said);
            assert_eq!(decode_page(&bytes, None), said);
        }
    }

    #[test]
    fn a_label_that_the_bytes_contradict_is_not_believed() {
        let said = "<meta charset=utf-8><p>Zürich, naïve – “quoted”</p>";
        assert_eq!(decode_page(said.as_bytes(), Some("text/html; charset=ISO-8859-1")), said);
        let latin = WINDOWS_1252.encode(said).0.into_owned();
        assert_eq!(decode_page(&latin, Some("text/html; charset=utf-8")), said);
        let russian = "<meta charset=windows-1251><p>Пчелы</p>";
        assert_eq!(decode_page(&WINDOWS_1251.encode(russian).0, Some("text/html; charset=utf-8")), russian);
        let marked = [b"\xef\xbb\xbf".as_slice(), "<p>Zürich</p>".as_bytes()].concat();
        assert_eq!(decode_page(&marked, Some("text/html; charset=windows-1251")), "<p>Zürich</p>");
    }

    #[test]
    fn unknown_and_dangerous_labels_are_passed_over() {
        for label in ["utf-7", "no-such-thing", "iso-2022-kr", "hz-gb-2312", "", "\"", "utf-16"] {
            let page = format!("<meta charset={label}><p>Zürich</p>");
            assert_eq!(decode_page(page.as_bytes(), Some(&format!("text/html;charset={label}"))), page);
        }
        assert_eq!(decode_page(b"", None), "");
        assert_eq!(decode_page(b"\xff\xfe", None), "");
    }

    #[test]
    fn a_page_that_was_cut_in_the_middle_of_a_letter_stays_utf_8() {
        let mut bytes = "<p>Zürich, Genève, Delémont</p>é".as_bytes().to_vec();
        bytes.pop();
        let text = decode_page(&bytes, None);
        assert!(text.starts_with("<p>Zürich, Genève, Delémont</p>") && text.ends_with('\u{fffd}'), "{text}");
    }

    #[test]
    fn a_label_in_a_comment_is_none() {
        let page = "<!-- <meta charset=windows-1251> --><p>Zürich</p>";
        assert_eq!(decode_page(page.as_bytes(), None), page);
    }
}
