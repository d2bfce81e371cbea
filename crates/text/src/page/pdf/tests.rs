//! PDFs written here byte by byte, and what is read of them.

use super::*;

/// A PDF of these objects, the first of which is the catalog, with a table of where they stand.
pub(crate) fn pdf(objects: &[Vec<u8>], trailer: &str) -> Vec<u8> {
    let mut out = b"%PDF-1.7\n".to_vec();
    let mut places = Vec::new();
    for (at, object) in objects.iter().enumerate() {
        places.push(out.len());
        out.extend(format!("{} 0 obj\n", at + 1).bytes());
        out.extend(object);
        out.extend(b"\nendobj\n");
    }
    let table = out.len();
    out.extend(format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).bytes());
    for place in places {
        out.extend(format!("{place:010} 00000 n \n").bytes());
    }
    out.extend(
        format!(
            "trailer\n<< /Size {} /Root 1 0 R {trailer} >>\nstartxref\n{table}\n%%EOF\n",
            objects.len() + 1
        )
        .bytes(),
    );
    out
}

pub(crate) fn stream(dict: &str, content: &[u8]) -> Vec<u8> {
    let mut out = format!("<< {dict} /Length {} >>\nstream\n", content.len()).into_bytes();
    out.extend(content);
    out.extend(b"\nendstream");
    out
}

/// Pages with these operators, and one font of this dictionary.
pub(crate) fn pages(contents: &[&str], font: &str, more: &[Vec<u8>], trailer: &str) -> Vec<u8> {
    let first = 4 + more.len();
    let kids: String = (0..contents.len()).map(|at| format!("{} 0 R ", first + 2 * at)).collect();
    let mut objects = vec![
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        format!("<< /Type /Pages /Kids [{kids}] /Count {} >>", contents.len()).into_bytes(),
        font.as_bytes().to_vec(),
    ];
    objects.extend(more.iter().cloned());
    for (at, content) in contents.iter().enumerate() {
        let page = format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Resources << /Font << /F1 3 0 R >> >> /Contents {} 0 R >>",
            first + 2 * at + 1
        );
        objects.push(page.into_bytes());
        objects.push(stream("", content.as_bytes()));
    }
    pdf(&objects, trailer)
}

const HELVETICA: &str = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>";

fn text_of(content: &str) -> String {
    extract_pdf_text(pages(&[content], HELVETICA, &[], ""), 10_000).unwrap().pages.concat()
}

#[test]
fn pages_are_read_one_by_one_with_what_the_file_says_of_itself() {
    let about =
        b"<< /Title (Bees \\(and wasps\\)) /Author <FEFF0041006E006E> /CreationDate (D:20240501120000Z) >>"
            .to_vec();
    let contents = ["BT /F1 12 Tf 50 700 Td (One bee.) Tj ET", "BT /F1 12 Tf 50 700 Td (Two bees.) Tj ET"];
    let read = extract_pdf_text(pages(&contents, HELVETICA, &[about], "/Info 4 0 R"), 10_000).unwrap();
    assert_eq!(read.title.as_deref(), Some("Bees (and wasps)"));
    assert_eq!(read.author.as_deref(), Some("Ann"));
    assert_eq!(read.date.as_deref(), Some("2024-05-01"));
    assert_eq!((read.count, read.cut), (2, false));
    assert_eq!(read.pages, ["One bee.", "Two bees."]);
    let page = pdf_to_page(&read);
    assert_eq!(page.markdown, "One bee.\n\n---\n\nTwo bees.\n");
    assert_eq!(page.text, "One bee.\n\n\u{c}Two bees.\n");
}

#[test]
fn letters_are_words_lines_and_paragraphs_again() {
    let cases = [
        ("BT /F1 10 Tf 50 700 Td [(H) 20 (oney) -400 (bees)] TJ ET", "Honey bees"),
        ("BT /F1 10 Tf 50 700 Td (One line) Tj 0 -12 Td (goes on) Tj ET", "One line goes on"),
        ("BT /F1 10 Tf 12 TL 50 700 Td (One) Tj T* (two) Tj (three) ' ET", "One two three"),
        ("BT /F1 10 Tf 50 700 Td (polli-) Tj 0 -12 Td (nation) Tj ET", "pollination"),
        ("BT /F1 10 Tf 50 700 Td (New York-) Tj 0 -12 Td (Boston) Tj ET", "New York- Boston"),
        ("BT /F1 10 Tf 50 700 Td (First.) Tj 0 -30 Td (Second.) Tj ET", "First.\n\nSecond."),
        ("BT /F1 20 Tf 50 700 Td (Head) Tj /F1 10 Tf 0 -14 Td (body) Tj ET", "Head\n\nbody"),
        ("BT /F1 10 Tf 50 700 Td (\\200 \\227 \\351) Tj ET", "€ — é"),
        ("BT /F1 10 Tf 1 0 0 1 50 700 Tm (left) Tj 1 0 0 1 100 700 Tm (right) Tj ET", "left right"),
        ("q 2 0 0 2 0 0 cm BT /F1 5 Tf 25 350 Td (scaled) Tj ET Q", "scaled"),
        (
            "BT /F1 10 Tf 50 700 Td (\\225 one) Tj 0 -12 Td (\\225 two) Tj 10 -12 Td (goes on) Tj ET",
            "• one\n\n• two goes on",
        ),
        (
            "BT /F1 10 Tf 50 700 Td (col one) Tj 0 -12 Td (ends here) Tj 200 12 Td (and there) Tj ET",
            "col one ends here and there",
        ),
        ("BT /F9 10 Tf (no font) Tj ET", ""),
        ("BT (no size) Tj", ""),
        ("Q Q Q ET Tj TJ ' \" Do /X Do", ""),
    ];
    for (content, said) in cases {
        assert_eq!(text_of(content), said, "{content}");
    }
}

#[test]
fn encodings_of_fonts_are_followed() {
    let with = |font: &str, more: &[Vec<u8>], shown: &str| {
        let content = format!("BT /F1 10 Tf 50 700 Td {shown} Tj ET");
        extract_pdf_text(pages(&[&content], font, more, ""), 1000).unwrap().pages.concat()
    };
    let differences = "<< /Type /Font /Subtype /Type1 /BaseFont /X /Encoding << /Differences [65 /ffi /eacute /uni20AC /f_l /Sigma /quotedblleft] >> >>";
    assert_eq!(with(differences, &[], "(ABCDEF)"), "ffié€flΣ“");
    let meaning = b"/CIDInit begincmap 1 begincodespacerange <0000> <FFFF> endcodespacerange 2 beginbfchar <0001> <0042> <0002> <FB01> \
                    endbfchar 2 beginbfrange <0010> <0012> <0061> <0020> <0021> [<0065> <00660066>] endbfrange endcmap";
    let wide = "<< /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /Identity-H /ToUnicode 4 0 R /DescendantFonts [<< /DW 500 /W [1 [600 600]] >>] >>";
    let shown = "<000100100011001200200021000200FF>";
    assert_eq!(with(wide, &[stream("", meaning)], shown), "Babceffﬁ".replace('ﬁ', "fi"));
    assert_eq!(with("<< /Subtype /Type1 /BaseFont /ABCDEF+CMR10 >>", &[], "(o\\016ce)"), "office");
    assert_eq!(
        with("<< /Subtype /Type1 /BaseFont /X /Encoding /MacRomanEncoding >>", &[], "(caf\\216)"),
        "café"
    );
    assert_eq!(with("<< /Subtype /TrueType /BaseFont /X >>", &[], "(it's)"), "it’s");
}

#[test]
fn drawings_in_drawings_are_read_to_a_depth() {
    let form = stream(
        "/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /Font << /F1 3 0 R >> /XObject << /X 4 0 R >> >>",
        b"BT /F1 10 Tf 50 700 Td (inside) Tj ET /X Do",
    );
    let page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Resources << /XObject << /X 4 0 R >> >> /Contents 6 0 R >>".to_vec();
    let objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        b"<< /Type /Pages /Kids [5 0 R] /Count 1 >>".to_vec(),
        HELVETICA.as_bytes().to_vec(),
        form,
        page,
        stream("", b"/X Do"),
    ];
    let read = extract_pdf_text(pdf(&objects, ""), 1000).unwrap();
    assert!(read.pages[0].starts_with("inside"), "{:?}", read.pages);
}

#[test]
fn what_is_too_long_is_cut_and_says_so() {
    let contents = ["BT /F1 12 Tf 50 700 Td (One bee.) Tj ET"; 3];
    let read = extract_pdf_text(pages(&contents, HELVETICA, &[], ""), 10).unwrap();
    assert_eq!((read.pages, read.cut, read.count), (vec!["One bee.".to_owned(), "On".to_owned()], true, 3));
}

#[test]
fn what_is_broken_or_locked_is_said() {
    assert_eq!(extract_pdf_text(Vec::new(), 10), Err(PdfError::Broken));
    assert_eq!(extract_pdf_text(b"%PDF-1.7\n".to_vec(), 10), Err(PdfError::Broken));
    assert_eq!(
        extract_pdf_text(b"%PDF-1.4 garbage \xff\xfe\x00 endobj".repeat(100), 10),
        Err(PdfError::Broken)
    );
    let whole = pages(&["BT /F1 12 Tf 50 700 Td (One bee.) Tj ET"], HELVETICA, &[], "");
    for length in 0..whole.len() {
        // Cut anywhere, it is read as far as it can be mended, or refused.
        if let Ok(read) = extract_pdf_text(whole[..length].to_vec(), 100) {
            assert!(
                read.pages.iter().all(|page| "One bee.".starts_with(page.as_str())),
                "{length}: {:?}",
                read.pages
            );
        }
    }
    let lock = "/Filter /Standard /V 1 /R 2 /O <0000000000000000000000000000000000000000000000000000000000000000> \
                /U <0101010101010101010101010101010101010101010101010101010101010101> /P -4";
    let locked = pages(&["BT ET"], HELVETICA, &[], &format!("/Encrypt << {lock} >> /ID [<00> <00>]"));
    assert_eq!(extract_pdf_text(locked, 10), Err(PdfError::Locked));
}

#[test]
fn bytes_changed_anywhere_do_not_matter_to_us() {
    let whole = pages(&["BT /F1 12 Tf 50 700 Td (One bee.) Tj ET"], HELVETICA, &[], "");
    for at in 0..whole.len() {
        for byte in [0, b'<', b'9', 0xff] {
            let mut changed = whole.clone();
            changed[at] = byte;
            let _ = extract_pdf_text(changed, 1000);
        }
    }
}
