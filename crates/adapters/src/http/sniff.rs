//! What kind of thing came: only text and PDF pass, and the first bytes have to agree with what the server declared.

/// How far one has to look to tell text from other things.
const HEAD: usize = 1445;
const PDF: &str = "application/pdf";
const OTHER_THINGS: [&[u8]; 12] = [
    b"\x89PNG\r\n",
    b"GIF87a",
    b"GIF89a",
    b"\xff\xd8\xff",
    b"PK\x03\x04",
    b"\x1f\x8b",
    b"RIFF",
    b"\x7fELF",
    b"BZh",
    b"\xfd7zXZ",
    b"\x28\xb5\x2f\xfd",
    b"OggS",
];

/// The content type to go by, or why this is nothing to read. A PDF is one whatever the server calls it.
pub(super) fn detect_content_type(declared: Option<&str>, bytes: &[u8]) -> Result<Option<String>, String> {
    let essence = declared.map(essence);
    let is_pdf = begins_as_pdf(bytes);
    match essence.as_deref() {
        _ if is_pdf && essence.as_deref().is_none_or(may_be_pdf) => Ok(Some(PDF.to_owned())),
        Some(PDF | "application/x-pdf") => Err("it claims to be a PDF and is not one".to_owned()),
        Some(essence) if !is_text(essence) => Err(unsupported_type_message(essence)),
        _ if !looks_like_text(declared, bytes) => Err("it claims to be text and is not".to_owned()),
        _ => Ok(declared.map(str::to_owned)),
    }
}

/// Whether what the server says of it may pass, before a byte of it has come.
pub(super) fn check_declared_type(declared: Option<&str>) -> Result<(), String> {
    match declared.map(essence) {
        Some(essence) if !is_text(&essence) && !may_be_pdf(&essence) => {
            Err(unsupported_type_message(&essence))
        }
        _ => Ok(()),
    }
}

/// The server chose the words of its type, so no more of them is repeated than a type needs.
fn unsupported_type_message(essence: &str) -> String {
    let is_of_a_type = |c: &char| c.is_ascii_alphanumeric() || "/+-.".contains(*c);
    let shown: String = essence.chars().filter(is_of_a_type).take(60).collect();
    format!("it is `{shown}`, neither text nor PDF")
}

/// The type without its parameters.
fn essence(declared: &str) -> String {
    declared.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

fn is_text(essence: &str) -> bool {
    let Some((family, name)) = essence.split_once('/') else { return essence.is_empty() };
    family == "text"
        || name.ends_with("+xml")
        || name.ends_with("+json")
        || matches!(essence, "application/xml" | "application/json")
}

/// What PDFs are called where nobody looked: only their own name, text, and names for anything at all.
fn may_be_pdf(essence: &str) -> bool {
    let anything = ["application/octet-stream", "binary/octet-stream", "application/force-download"];
    is_text(essence) || [PDF, "application/x-pdf"].contains(&essence) || anything.contains(&essence)
}

fn begins_as_pdf(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    bytes.trim_ascii_start().starts_with(b"%PDF-")
}

fn looks_like_text(declared: Option<&str>, bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(HEAD)];
    if OTHER_THINGS.iter().any(|magic| head.starts_with(magic)) {
        return false;
    }
    let wide = head.starts_with(b"\xfe\xff")
        || head.starts_with(b"\xff\xfe")
        || declared.is_some_and(|declared| declared.to_ascii_lowercase().contains("utf-16"));
    let of_no_text = |byte: &u8| matches!(byte, 0..=8 | 0x0b | 0x0e..=0x1a | 0x1c..=0x1f);
    wide || !head.iter().any(of_no_text)
}
