//! Canvases as Obsidian writes them, and broken ones.

use super::*;

const BOARD: &str = "{\n\t\"nodes\":[\n\t\t{\"id\":\"a\",\"type\":\"file\",\"file\":\"Bees/Hive \\u00e4.md\",\"subpath\":\"#Wax\",\"x\":-1},\n\t\t{\"id\":\"b\",\"type\":\"text\",\"text\":\"# Plan\\n\\\"See\\\" \\ud83d\\udc1d [[Hive ä|it]] #garden %%[[Secret]]%%\"},\n\t\t{\"id\":\"g\",\"type\":\"group\",\"label\":\"Spring\"},\n\t\t{\"id\":\"l\",\"type\":\"link\",\"url\":\"https://example.com\"}\n\t],\n\t\"edges\":[{\"id\":\"e\",\"fromNode\":\"a\",\"label\":\"feeds\"}]\n}";

#[test]
fn cards_have_links_text_and_tags() {
    let canvas = Canvas::parse(BOARD).unwrap();
    let links: Vec<_> = canvas
        .links
        .iter()
        .map(|link| (link.target.as_str(), &BOARD[link.target_span.clone()], link.line))
        .collect();
    assert_eq!(
        links,
        [("/Bees/Hive ä.md", "Bees/Hive \\u00e4.md", 3), ("Hive ä", "Hive ä", 4), ("Secret", "Secret", 4)]
    );
    let texts: Vec<_> = canvas.texts.iter().map(|text| text.text.as_str()).collect();
    assert_eq!(
        texts,
        ["# Plan\n\"See\" 🐝 [[Hive ä|it]] #garden %%[[Secret]]%%", "Spring", "https://example.com", "feeds"]
    );
    assert_eq!(canvas.tags, ["garden"]);
}

#[test]
fn an_empty_canvas_is_one_and_broken_json_is_none() {
    for text in ["", " \n", "{}", "\u{feff}{\"nodes\":[]}", "{\"nodes\":[{\"text\":3,\"file\":null}]}"] {
        assert_eq!(Canvas::parse(text), Ok(Canvas::default()), "{text:?}");
    }
    for text in ["[]", "{", "x", "{\"nodes\":[{\"text\":\"\\ud800\"}]}", &"[".repeat(100_000)] {
        assert!(Canvas::parse(text).unwrap_err().starts_with("not a canvas: "), "{text:?}");
    }
}

#[test]
fn only_cards_count_and_not_what_looks_like_them() {
    let text = r#"{"file":"A.md","nodes":[{"x":{"file":"B.md"},"y":["C.md"],"type":"file","file":"D.md"}],"other":[{"file":"E.md"}]}"#;
    let links = Canvas::parse(text).unwrap().links;
    assert_eq!(links.iter().map(|link| link.target.as_str()).collect::<Vec<_>>(), ["/D.md"]);
}
