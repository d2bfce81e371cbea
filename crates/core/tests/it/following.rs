//! A note with 500 links to it, of every form, moves: each link follows, and nothing else changes.

use serde_json::json;
use wellread_testkit::World;

use crate::ask::{dry, ok, strings};

/// A link to `Projects/Honey bees.md` in a note of the folder `n`, and what it must be once the note is
/// `Old things/Apis (mellifera).md`.
const FORMS: &[(&str, &str)] = &[
    ("[[Honey bees]]", "[[Apis (mellifera)]]"),
    ("[[Honey bees|the bees]]", "[[Apis (mellifera)|the bees]]"),
    ("[[Honey bees#Wax]]", "[[Apis (mellifera)#Wax]]"),
    ("[[Honey bees#Wax#Soft|soft wax]]", "[[Apis (mellifera)#Wax#Soft|soft wax]]"),
    ("[[Honey bees#^hive-1]]", "[[Apis (mellifera)#^hive-1]]"),
    ("![[Honey bees]]", "![[Apis (mellifera)]]"),
    ("![[Honey bees#Wax|300]]", "![[Apis (mellifera)#Wax|300]]"),
    ("[[hoNEY Bees]]", "[[Apis (mellifera)]]"),
    ("[[ Honey bees | x ]]", "[[ Apis (mellifera) | x ]]"),
    ("[[Projects/Honey bees]]", "[[Old things/Apis (mellifera)]]"),
    ("[[projects/honey bees|x]]", "[[Old things/Apis (mellifera)|x]]"),
    ("[[Honey bees.md]]", "[[Apis (mellifera).md]]"),
    ("[[Projects/Honey bees.md#Wax]]", "[[Old things/Apis (mellifera).md#Wax]]"),
    ("[[/Projects/Honey bees]]", "[[/Old things/Apis (mellifera)]]"),
    ("[[../Projects/Honey bees]]", "[[../Old things/Apis (mellifera)]]"),
    ("[x](../Projects/Honey%20bees.md)", "[x](../Old%20things/Apis%20%28mellifera%29.md)"),
    ("[x](../Projects/Honey%20bees.md#Wax)", "[x](../Old%20things/Apis%20%28mellifera%29.md#Wax)"),
    ("[x](Projects/Honey%20bees.md)", "[x](Old%20things/Apis%20%28mellifera%29.md)"),
    ("[x](/Projects/Honey%20bees.md)", "[x](/Old%20things/Apis%20%28mellifera%29.md)"),
    ("[x](Honey%20bees.md)", "[x](Apis%20%28mellifera%29.md)"),
    ("[x](Honey%20bees)", "[x](Apis%20%28mellifera%29)"),
    ("[x](Honey%20bees.md \"A title\")", "[x](Apis%20%28mellifera%29.md \"A title\")"),
    ("[x](<../Projects/Honey bees.md>)", "[x](<../Old things/Apis (mellifera).md>)"),
    ("[x](<Honey bees.md#Wax> 'T')", "[x](<Apis (mellifera).md#Wax> 'T')"),
    ("![x](../Projects/Honey%20bees.md)", "![x](../Old%20things/Apis%20%28mellifera%29.md)"),
    ("[**bold** `code`](Honey%20bees.md)", "[**bold** `code`](Apis%20%28mellifera%29.md)"),
    (
        "see [it][r]\n\n[r]: ../Projects/Honey%20bees.md \"T\"",
        "see [it][r]\n\n[r]: ../Old%20things/Apis%20%28mellifera%29.md \"T\"",
    ),
    ("see [it][r]\n\n[r]: <Projects/Honey bees.md>", "see [it][r]\n\n[r]: <Old things/Apis (mellifera).md>"),
    (
        "| a | b |\n| - | - |\n| [[Honey bees\\|b]] | [[Honey bees]] |",
        "| a | b |\n| - | - |\n| [[Apis (mellifera)\\|b]] | [[Apis (mellifera)]] |",
    ),
    (
        "> [!note] On [[Honey bees]]\n> and [x](Honey%20bees.md)",
        "> [!note] On [[Apis (mellifera)]]\n> and [x](Apis%20%28mellifera%29.md)",
    ),
    ("## On [[Honey bees|bees]]", "## On [[Apis (mellifera)|bees]]"),
    ("On [[Honey bees]]\n===", "On [[Apis (mellifera)]]\n==="),
    ("Note[^1].\n\n[^1]: In [[Honey bees#Wax]].", "Note[^1].\n\n[^1]: In [[Apis (mellifera)#Wax]]."),
    (
        "- [ ] ask [[Honey bees]]\n  - **[[Honey bees]]**",
        "- [ ] ask [[Apis (mellifera)]]\n  - **[[Apis (mellifera)]]**",
    ),
    (
        "*[[Honey bees]]*, ~~[[Honey bees]]~~, ==[[Honey bees]]==",
        "*[[Apis (mellifera)]]*, ~~[[Apis (mellifera)]]~~, ==[[Apis (mellifera)]]==",
    ),
];

/// The same in the frontmatter.
const FIELDS: &[(&str, &str)] = &[
    ("up: \"[[Honey bees]]\" # c", "up: \"[[Apis (mellifera)]]\" # c"),
    ("up: '[[Honey bees|x]]'", "up: '[[Apis (mellifera)|x]]'"),
    ("up: [[Honey bees]]", "up: [[Apis (mellifera)]]"),
    ("up:\n  - \"[[Projects/Honey bees]]\"\n  - x", "up:\n  - \"[[Old things/Apis (mellifera)]]\"\n  - x"),
    ("up: [\"[[Honey bees#Wax]]\", y]", "up: [\"[[Apis (mellifera)#Wax]]\", y]"),
    ("text: |\n  see [[Honey bees]]", "text: |\n  see [[Apis (mellifera)]]"),
    ("up: \"[x](Projects/Honey%20bees.md)\"", "up: \"[x](Old%20things/Apis%20%28mellifera%29.md)\""),
];

/// What must not change: other notes, dead links, ambiguous names, code, comments, math, the web.
const BYSTANDERS: &str = "\n\
    [[Bees]], [[Honey]], [[Honey bees 2]], [[Twin]], [[Nobody]], [[Honey bees/x]], [x](Bees.md), [x](Nobody.md)\n\
    `[[Honey bees]]` ``[[Honey bees]]`` \\[[Honey bees]] $[[Honey bees]]$ <!-- [[Honey bees]] -->\n\
    [w](https://x.example/Honey%20bees.md) <https://x.example/Honey%20bees> Honey bees, Projects/Honey bees.md\n\
    \n```\n[[Honey bees]] [x](Honey%20bees.md)\n```\n\n    [[Honey bees]]\n\n$$\n[[Honey bees]]\n$$\n";

const HOW_MANY: usize = 500;

/// The text of the note with this number, before and after.
fn note(number: usize) -> (String, String) {
    let (fields, forms) = (FIELDS.len(), FORMS.len());
    let text = |before: bool| {
        let pick = |(old, new): (&'static str, &'static str)| if before { old } else { new };
        let text = match number % (fields + forms) {
            n if n < fields => {
                format!("---\nn: {number} # [[Honey bees]]\n{}\n---\n{BYSTANDERS}", pick(FIELDS[n]))
            }
            n => format!("# {number}\n\n{}\n{BYSTANDERS}", pick(FORMS[n - fields])),
        };
        match number % 3 {
            0 => text,
            1 => text.trim_end().to_owned(),
            _ => format!("\u{feff}{}", text.replace('\n', "\r\n")),
        }
    };
    (text(true), text(false))
}

const MOVED: &str = "# Honey bees\n\n[[Honey bees#Wax]] [[#Wax]] [[Honey]] [[Projects/Honey]] [x](Honey.md) [x](./Honey.md) [x](../Bees.md) [[../Bees]]\n";
const MOVED_AFTER: &str = "# Honey bees\n\n[[Apis (mellifera)#Wax]] [[#Wax]] [[Honey]] [[Projects/Honey]] [x](Honey.md) [x](../Projects/Honey.md) [x](../Bees.md) [[../Bees]]\n";

fn world() -> World {
    let notes: Vec<(String, String)> = (0..HOW_MANY).map(|n| (format!("n/{n:03}.md"), note(n).0)).collect();
    let others = [
        ("Projects/Honey bees.md", MOVED),
        ("Projects/Honey.md", "none\n"),
        ("Bees.md", BYSTANDERS),
        ("Honey bees 2.md", "none\n"),
        ("a/Twin.md", "one\n"),
        ("b/Twin.md", "two\n"),
    ];
    let all = notes.iter().map(|(path, text)| (path.as_str(), text.as_bytes()));
    World::with_files(all.chain(others.map(|(path, text)| (path, text.as_bytes()))))
}

#[test]
fn five_hundred_links_of_every_form_follow_and_nothing_else_changes() {
    let world = world();
    let before = world.files.tree();
    let args = json!({ "source": "Projects/Honey bees", "destination": "Old things/Apis (mellifera)" });

    let shown = dry(&world, "move_file", args.clone());
    assert_eq!(shown.matches("\n+++ b/").count(), HOW_MANY + 1 - usize::from(shown.starts_with("+++ ")));
    assert!(
        shown.ends_with("rename from Projects/Honey bees.md\nrename to Old things/Apis (mellifera).md\n")
    );

    let answer = ok(&world, "move_file", args);
    for number in 0..HOW_MANY {
        let (old, new) = note(number);
        assert_eq!(world.read_text(&format!("n/{number:03}.md")), new, "{old}");
    }
    assert_eq!(world.read_text("Old things/Apis (mellifera).md"), MOVED_AFTER);
    assert!(world.read_bytes("Projects/Honey bees.md").is_none());
    for path in ["Projects/Honey.md", "Bees.md", "Honey bees 2.md", "a/Twin.md", "b/Twin.md"] {
        assert_eq!(Some(&world.read_bytes(path).unwrap()), before.get(&world.path(path)), "{path}");
    }
    let updated = strings(&answer["updated_notes"]);
    assert_eq!(updated.len(), HOW_MANY + 1);
    assert!(updated.contains(&"Old things/Apis (mellifera).md") && updated.contains(&"n/000.md"));
    assert!(answer.get("left_alone").is_none(), "{answer}");
    let links =
        ok(&world, "find_backlinks", json!({ "note_name": "Old things/Apis (mellifera)", "limit": 1 }));
    assert_eq!(links["total"], HOW_MANY);

    let undone = world.vault.undo(None).unwrap();
    assert_eq!(world.files.tree(), before);
    world.vault.undo(Some(&undone[0].operation.to_string())).unwrap();
    assert_eq!(world.read_text("Old things/Apis (mellifera).md"), MOVED_AFTER);
}

#[test]
fn a_note_that_is_moved_back_leaves_links_that_mean_the_same() {
    let world = world();
    ok(
        &world,
        "move_file",
        json!({ "source": "Projects/Honey bees", "destination": "Old things/Apis (mellifera)" }),
    );
    ok(
        &world,
        "move_file",
        json!({ "source": "Old things/Apis (mellifera)", "destination": "Projects/Honey bees" }),
    );
    let links = ok(&world, "find_backlinks", json!({ "note_name": "Projects/Honey bees", "limit": 1 }));
    assert_eq!(links["total"], HOW_MANY);
}

#[test]
fn without_update_links_only_the_file_moves() {
    let world = world();
    let mut expected = world.files.tree();
    let moved = expected.remove(&world.path("Projects/Honey bees.md")).unwrap();
    expected.insert(world.path("Old/Apis.md"), moved);
    let args = json!({ "source": "Projects/Honey bees", "destination": "Old/Apis", "update_links": false });
    let answer = ok(&world, "move_file", args);
    assert_eq!(world.files.tree(), expected);
    assert_eq!(answer["updated_notes"], json!([]));
    let left = strings(&answer["left_alone"]);
    assert!(left.len() >= HOW_MANY && left.iter().all(|line| line.ends_with("links were not to be updated")));
    let message = format!(
        "moved `Projects/Honey bees.md` to `Old/Apis.md`; {} not updated, see `left_alone`",
        left.len()
    );
    assert_eq!(answer["message"], message);
}
