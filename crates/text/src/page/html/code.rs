//! Reads the text and the language of a code block.

use super::blocks::is_block;
use super::tree::{Element, NodeData, NodeId, Tree, WalkStep};

/// The language, if a class names it, and the text.
pub(super) fn read_code_block(tree: &Tree, pre: NodeId) -> (String, String) {
    let (mut text, mut language) = (String::new(), String::new());
    let above = tree.ancestors(pre).take(2).filter_map(|id| tree.element(id));
    for element in above {
        detect_language(element, &mut language);
    }
    let mut walk = tree.walk(pre);
    while let Some(step) = walk.next() {
        match step {
            WalkStep::Into(id) => match &tree.node(id).data {
                NodeData::Text(part) => text.push_str(part),
                NodeData::Element(element) if id != pre && is_not_code(element) => walk.skip_children(id),
                NodeData::Element(element) => {
                    if element.tag() == "br" {
                        text.push('\n');
                    } else if matches!(element.tag(), "pre" | "code") {
                        detect_language(element, &mut language);
                    }
                }
                NodeData::Other => {}
            },
            WalkStep::OutOf(id) => {
                if id != pre && is_block(tree.tag(id)) && !text.ends_with('\n') {
                    text.push('\n');
                }
            }
        }
    }
    let text: String = text.replace("\r\n", "\n").replace(['\r', '\u{a0}'], " ").replace('\0', "");
    let text = text.trim_matches('\n').trim_end();
    (language, text.to_owned())
}

fn detect_language(element: &Element, language: &mut String) {
    let declared = element.attribute("data-language").or(element.attribute("lang"));
    let classes = element.attribute("class").unwrap_or_default().split_whitespace();
    let by_class = classes.filter_map(|class| {
        ["language-", "lang-", "highlight-source-", "highlight-", "brush:"]
            .iter()
            .find_map(|start| class.strip_prefix(start))
    });
    let found = declared.into_iter().chain(by_class).find(|name| {
        (1..=20).contains(&name.len())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+#-_.".contains(&byte))
    });
    if let Some(found) = found {
        *language = found.to_ascii_lowercase();
    }
}

/// Whether the element is in a code block but not part of the code: a line number, or a button that copies the code.
pub(super) fn is_not_code(element: &Element) -> bool {
    let is_button = matches!(element.tag(), "button" | "clipboard-copy")
        || element.attribute("role").is_some_and(|role| role.eq_ignore_ascii_case("button"));
    is_button || is_line_number(element)
}

/// Whether the element contains line numbers.
fn is_line_number(element: &Element) -> bool {
    element.attribute("class").unwrap_or_default().split_whitespace().any(|class| {
        matches!(
            class,
            "lineno"
                | "linenos"
                | "line-number"
                | "line-numbers"
                | "line-numbers-rows"
                | "gutter"
                | "ln"
                | "blob-num"
        )
    })
}
