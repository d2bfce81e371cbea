//! A history of refactorings, as a table: what happens to a file, and what is then said of a citation of it.

use std::fs;
use std::os::unix::fs::symlink;

use wellread_core::domain::corpus::{Action, ChangeSet};
use wellread_core::ports::Files as _;

use crate::citing::Where::{Code, GitVault, Plain, Vault};
use crate::citing::{Past, Where};

pub const HIVE: &str = "//! A hive.

pub fn total(bees: &[Bee]) -> u32 {
    let weights = bees.iter().map(|bee| bee.weight);
    weights.sum()
}

pub fn queen(bees: &[Bee]) -> Option<&Bee> {
    let grown = bees.iter().filter(|bee| bee.age > 2);
    grown.max_by_key(|bee| bee.length)
}

pub fn swarm(bees: Vec<Bee>, season: Season) -> Swarm {
    Swarm { bees, leader: None, season }
}
";

/// Lines 8 to 11.
pub const QUEEN: &str = "pub fn queen(bees: &[Bee]) -> Option<&Bee> {
    let grown = bees.iter().filter(|bee| bee.age > 2);
    grown.max_by_key(|bee| bee.length)
}
";

pub const WAX: &str = "//! Wax.

pub fn melt(wax: Wax, degrees: f64) -> Liquid {
    assert!(degrees > 62.0, \"wax melts at sixty-two degrees\");
    Liquid::from(wax)
}
";

pub const BEES: &str = "# Bees

## Honey

Honey keeps for years in a closed jar, since hardly any water is in it.
Bees thicken nectar until four fifths of it are sugar.

## Wax

Wax melts at 62 degrees and is used for candles, polish and sealing.
";

/// Lines 5 and 6.
pub const HONEY: &str = "Honey keeps for years in a closed jar, since hardly any water is in it.
Bees thicken nectar until four fifths of it are sugar.
";

pub const WAX_LINE: &str = "Wax melts at 62 degrees and is used for candles, polish and sealing.\n";

/// What happens, where, to which text of which file, how, and what recheck says then.
pub type Case = (&'static str, Where, &'static str, &'static str, fn(&Past), &'static str);

pub const HIVE_RS: &str = "src/hive.rs";
pub const WAX_RS: &str = "src/wax.rs";
pub const BEES_MD: &str = "Bees.md";

fn without_queen(past: &Past) {
    past.replace(HIVE_RS, QUEEN, "");
}

pub const REFACTORINGS: &[Case] = &[
    ("nothing happens", Code, HIVE_RS, QUEEN, |_| {}, "holds"),
    (
        "the rest of the file changes, behind it",
        Code,
        HIVE_RS,
        QUEEN,
        |past| {
            past.replace(HIVE_RS, "leader: None", "leader: Some(0)");
            past.commit();
        },
        "holds",
    ),
    (
        "something before it is replaced by as many bytes",
        Code,
        HIVE_RS,
        QUEEN,
        |past| past.replace(HIVE_RS, "weights.sum()", "weights.max()"),
        "holds",
    ),
    (
        "lines are put in above",
        Code,
        HIVE_RS,
        QUEEN,
        |past| {
            past.replace(
                HIVE_RS,
                "//! A hive.\n",
                "//! A hive.\n//!\n//! Full of bees.\n\nuse crate::Bee;\n",
            );
            past.commit();
        },
        "moved git src/hive.rs:12-15",
    ),
    (
        "lines above are taken out",
        Code,
        HIVE_RS,
        QUEEN,
        |past| past.replace(HIVE_RS, "//! A hive.\n\n", ""),
        "moved git src/hive.rs:6-9",
    ),
    (
        "it is moved up in its file",
        Code,
        HIVE_RS,
        QUEEN,
        |past| {
            without_queen(past);
            past.replace(HIVE_RS, "pub fn total", &format!("{QUEEN}\npub fn total"));
            past.commit();
        },
        "moved lines src/hive.rs:3-6",
    ),
    (
        "it is moved down in its file",
        Code,
        HIVE_RS,
        QUEEN,
        |past| {
            without_queen(past);
            past.save(HIVE_RS, past.text(HIVE_RS) + "\n" + QUEEN);
        },
        "moved lines src/hive.rs:13-16",
    ),
    (
        "the function is renamed",
        Code,
        HIVE_RS,
        QUEEN,
        |past| {
            past.replace(HIVE_RS, "pub fn queen", "pub fn find_queen");
            past.commit();
        },
        "changed src/hive.rs:8-11",
    ),
    (
        "the function is renamed and moved down",
        Code,
        HIVE_RS,
        QUEEN,
        |past| {
            without_queen(past);
            past.save(HIVE_RS, past.text(HIVE_RS) + "\n" + &QUEEN.replace("queen", "mother"));
        },
        "changed src/hive.rs:13-16",
    ),
    (
        "the function is moved to another file",
        Code,
        HIVE_RS,
        QUEEN,
        |past| {
            without_queen(past);
            past.save(WAX_RS, format!("{WAX}\n{QUEEN}"));
            past.commit();
        },
        "moved content src/wax.rs:8-11",
    ),
    (
        "the function is moved to another file and renamed",
        Code,
        HIVE_RS,
        QUEEN,
        |past| {
            without_queen(past);
            past.save(WAX_RS, format!("{WAX}\n{}", QUEEN.replace("queen", "mother")));
            past.commit();
        },
        "changed src/wax.rs:8-11",
    ),
    (
        "the file is moved",
        Code,
        HIVE_RS,
        QUEEN,
        |past| {
            past.rename(HIVE_RS, "src/colony/mod.rs");
            past.commit();
        },
        "moved git src/colony/mod.rs:8-11",
    ),
    (
        "the file is moved and what is around is edited",
        Code,
        HIVE_RS,
        QUEEN,
        |past| {
            past.rename(HIVE_RS, "src/colony.rs");
            past.replace("src/colony.rs", "//! A hive.\n", "//! A colony.\n//! More of it.\n");
            past.commit();
        },
        "moved git src/colony.rs:9-12",
    ),
    (
        "the file is moved and the text edited",
        Code,
        HIVE_RS,
        QUEEN,
        |past| {
            past.rename(HIVE_RS, "src/colony.rs");
            past.replace("src/colony.rs", "bee.age > 2", "bee.age > 3");
            past.commit();
        },
        "changed src/colony.rs:8-11",
    ),
    (
        "the file is moved twice",
        Code,
        HIVE_RS,
        QUEEN,
        |past| {
            past.rename(HIVE_RS, "src/colony.rs");
            past.commit();
            past.replace("src/colony.rs", "//! A hive.\n", "//! A colony.\n");
            past.commit();
            past.rename("src/colony.rs", "lib/colony.rs");
            past.commit();
        },
        "moved git lib/colony.rs:8-11",
    ),
    (
        "the file is moved, and back again, edited on the way",
        Code,
        HIVE_RS,
        QUEEN,
        |past| {
            past.rename(HIVE_RS, "src/colony.rs");
            past.commit();
            past.rename("src/colony.rs", HIVE_RS);
            past.replace(HIVE_RS, "bee.length", "bee.weight");
            past.commit();
        },
        "changed src/hive.rs:8-11",
    ),
    (
        "the folder is renamed",
        Code,
        HIVE_RS,
        QUEEN,
        |past| {
            past.rename("src", "source");
            past.commit();
        },
        "moved git source/hive.rs:8-11",
    ),
    (
        "the file is moved and another takes its name",
        Code,
        HIVE_RS,
        QUEEN,
        |past| {
            past.rename(HIVE_RS, "src/colony.rs");
            past.commit();
            past.replace("src/colony.rs", "bee.age > 2", "bee.age > 3");
            past.save(HIVE_RS, "//! Something else altogether.\n\npub struct Box;\n");
            past.commit();
        },
        "changed src/colony.rs:8-11",
    ),
    (
        "the file is copied",
        Code,
        HIVE_RS,
        QUEEN,
        |past| {
            past.save("src/copy.rs", HIVE);
            past.commit();
        },
        "holds",
    ),
    (
        "the file is copied and then deleted",
        Code,
        HIVE_RS,
        QUEEN,
        |past| {
            past.save("other/hive.rs", HIVE);
            past.commit();
            past.remove(HIVE_RS);
            past.commit();
        },
        "moved content other/hive.rs:8-11",
    ),
    (
        "the file is split in two",
        Code,
        HIVE_RS,
        QUEEN,
        |past| {
            let (one, two) = HIVE.split_at(HIVE.find("pub fn queen").unwrap());
            past.remove(HIVE_RS);
            past.save("src/hive/weight.rs", one);
            past.save("src/hive/life.rs", format!("//! Lives.\n\n{two}"));
            past.commit();
        },
        "moved git src/hive/life.rs:3-6",
    ),
    (
        "two files are merged",
        Code,
        WAX_RS,
        "pub fn melt(wax: Wax, degrees: f64) -> Liquid {\n",
        |past| {
            past.remove(WAX_RS);
            past.save(HIVE_RS, format!("{HIVE}\n{WAX}"));
            past.commit();
        },
        "moved content src/hive.rs:19-19",
    ),
    (
        "a number is changed",
        Code,
        HIVE_RS,
        QUEEN,
        |past| past.replace(HIVE_RS, "bee.age > 2", "bee.age > 20"),
        "changed src/hive.rs:8-11",
    ),
    (
        "a line is put into it",
        Code,
        HIVE_RS,
        QUEEN,
        |past| past.replace(HIVE_RS, "    grown.max", "    log(&grown);\n    grown.max"),
        "changed src/hive.rs:8-12",
    ),
    (
        "it is indented",
        Code,
        HIVE_RS,
        QUEEN,
        |past| {
            let inside: String = QUEEN.lines().map(|line| format!("    {line}\n")).collect();
            past.replace(HIVE_RS, QUEEN, &format!("impl Hive {{\n{inside}}}\n"));
        },
        "changed src/hive.rs:9-12, white space only",
    ),
    (
        "it is deleted",
        Code,
        HIVE_RS,
        QUEEN,
        |past| {
            without_queen(past);
            past.commit();
        },
        "gone: nothing similar is left in the file",
    ),
    (
        "the file is deleted",
        Code,
        HIVE_RS,
        QUEEN,
        |past| {
            past.remove(HIVE_RS);
            past.commit();
        },
        "gone: the file is gone",
    ),
    (
        "the file is deleted and made again with another text",
        Code,
        HIVE_RS,
        QUEEN,
        |past| {
            past.remove(HIVE_RS);
            past.commit();
            past.save(HIVE_RS, "//! Boxes.\n\npub struct Crate {\n    width: u8,\n}\n");
            past.commit();
        },
        "gone: nothing similar is left in the file",
    ),
    (
        "a folder takes the file's name",
        Code,
        HIVE_RS,
        QUEEN,
        |past| {
            past.remove(HIVE_RS);
            past.save("src/hive.rs/readme.txt", "nothing");
        },
        "gone: the file is gone",
    ),
    (
        "the same stands twice and the first is deleted",
        Code,
        HIVE_RS,
        QUEEN,
        |past| past.save(HIVE_RS, format!("{}\n{QUEEN}", HIVE.replacen(QUEEN, "", 1))),
        "moved lines src/hive.rs:13-16",
    ),
    (
        "it stands twice, neither where it stood",
        Code,
        HIVE_RS,
        QUEEN,
        |past| past.save(HIVE_RS, format!("// {}\n{HIVE}\n{QUEEN}", "x".repeat(20))),
        "moved git src/hive.rs:9-12",
    ),
    (
        "it stands twice, neither where it stood, and there is no git",
        Plain,
        HIVE_RS,
        QUEEN,
        |past| past.save(HIVE_RS, format!("// {}\n{HIVE}\n{QUEEN}", "x".repeat(20))),
        "ambiguous src/hive.rs:9-12 src/hive.rs:18-21",
    ),
    (
        "it stands in two other files",
        Plain,
        HIVE_RS,
        QUEEN,
        |past| {
            past.remove(HIVE_RS);
            past.save("src/one.rs", QUEEN);
            past.save("src/two.rs", QUEEN);
        },
        "ambiguous src/one.rs:1-4 src/two.rs:1-4",
    ),
    (
        "the function is renamed, and a new file has one of the old name",
        Code,
        HIVE_RS,
        QUEEN,
        |past| {
            past.replace(HIVE_RS, "pub fn queen", "pub fn mother");
            past.save("src/new.rs", QUEEN);
            past.commit();
        },
        "changed src/hive.rs:8-11",
    ),
    (
        "the function is renamed, and a new file has one of the old name, and there is no git",
        Plain,
        HIVE_RS,
        QUEEN,
        |past| {
            past.replace(HIVE_RS, "pub fn queen", "pub fn mother");
            past.save("src/new.rs", QUEEN);
        },
        "changed src/hive.rs:8-11",
    ),
    (
        "lines are put in above, where there is no git",
        Plain,
        HIVE_RS,
        QUEEN,
        |past| past.replace(HIVE_RS, "//! A hive.\n", "//! A hive.\n//!\n//! Full of bees.\n"),
        "moved lines src/hive.rs:10-13",
    ),
    (
        "lines end otherwise",
        Code,
        HIVE_RS,
        QUEEN,
        |past| past.save(HIVE_RS, HIVE.replace('\n', "\r\n")),
        "changed src/hive.rs:8-11, line endings only",
    ),
    (
        "blanks are put at the ends of lines",
        Code,
        HIVE_RS,
        QUEEN,
        |past| past.save(HIVE_RS, HIVE.replace(";\n", ";  \n")),
        "changed src/hive.rs:8-11, white space only",
    ),
    (
        "changes are not committed",
        Code,
        HIVE_RS,
        QUEEN,
        |past| {
            past.replace(HIVE_RS, "//! A hive.", "//! A hive, not committed.");
        },
        "holds",
    ),
    (
        "a rename is staged and not committed",
        Code,
        HIVE_RS,
        QUEEN,
        |past| past.git(&["mv", HIVE_RS, "src/colony.rs"]),
        "moved git src/colony.rs:8-11",
    ),
    (
        "a rename is staged after one that was committed",
        Code,
        HIVE_RS,
        QUEEN,
        |past| {
            past.rename(HIVE_RS, "src/colony.rs");
            past.commit();
            past.git(&["mv", "src/colony.rs", "src/bees.rs"]);
        },
        "moved git src/bees.rs:8-11",
    ),
    (
        "the file is renamed and git is not told",
        Code,
        HIVE_RS,
        QUEEN,
        |past| past.rename(HIVE_RS, "src/colony.rs"),
        "moved content src/colony.rs:8-11",
    ),
    (
        "the file is renamed where there is no git",
        Plain,
        HIVE_RS,
        QUEEN,
        |past| past.rename(HIVE_RS, "src/colony.rs"),
        "moved content src/colony.rs:8-11",
    ),
    (
        "the file is renamed and edited where there is no git",
        Plain,
        HIVE_RS,
        QUEEN,
        |past| {
            past.rename(HIVE_RS, "src/colony.rs");
            past.replace("src/colony.rs", "bee.age > 2", "bee.age > 3");
        },
        "changed src/colony.rs:8-11",
    ),
    (
        "a short text's file is renamed where there is no git",
        Plain,
        HIVE_RS,
        "    weights.sum()\n",
        |past| past.rename(HIVE_RS, "src/colony.rs"),
        "gone: the file is gone",
    ),
    (
        "a short text's file is renamed where there is git",
        Code,
        HIVE_RS,
        "    weights.sum()\n",
        |past| {
            past.rename(HIVE_RS, "src/colony.rs");
            past.commit();
        },
        "moved git src/colony.rs:5-5",
    ),
    (
        "the commit that was cited is rebased away",
        Code,
        HIVE_RS,
        QUEEN,
        |past| {
            past.rename(HIVE_RS, "src/colony.rs");
            past.git(&["add", "--all"]);
            past.git(&["commit", "--quiet", "--amend", "--message=another"]);
            past.git(&["reflog", "expire", "--expire=now", "--all"]);
            past.git(&["gc", "--quiet", "--prune=now"]);
        },
        "moved content src/colony.rs:8-11",
    ),
    (
        "a branch with a rename is merged",
        Code,
        HIVE_RS,
        QUEEN,
        |past| {
            past.git(&["checkout", "--quiet", "-b", "topic"]);
            past.rename(HIVE_RS, "src/colony.rs");
            past.commit();
            past.git(&["checkout", "--quiet", "main"]);
            past.replace(WAX_RS, "62.0", "63.0");
            past.commit();
            past.git(&["merge", "--quiet", "--no-edit", "topic"]);
        },
        "moved git src/colony.rs:8-11",
    ),
    (
        "git ignores the file now",
        Code,
        HIVE_RS,
        QUEEN,
        |past| past.save(".gitignore", "hive.rs\n"),
        "unreachable: `src/hive.rs` is not read: git ignores it",
    ),
    (
        "a link stands in the file's place",
        Code,
        HIVE_RS,
        QUEEN,
        |past| {
            past.remove(HIVE_RS);
            symlink("/etc/passwd", past.root().join(HIVE_RS)).unwrap();
        },
        "unreachable: ",
    ),
    (
        "the file is moved and a link left in its place",
        Code,
        HIVE_RS,
        QUEEN,
        |past| {
            past.rename(HIVE_RS, "src/colony.rs");
            symlink("colony.rs", past.root().join(HIVE_RS)).unwrap();
            past.commit();
        },
        "moved content src/colony.rs:8-11",
    ),
    (
        "the file is emptied",
        Code,
        HIVE_RS,
        QUEEN,
        |past| past.save(HIVE_RS, ""),
        "gone: the file is empty now",
    ),
    (
        "the file becomes binary",
        Code,
        HIVE_RS,
        QUEEN,
        |past| past.save(HIVE_RS, b"\x00\x01"),
        "unreachable: the file is binary now: it contains NUL bytes",
    ),
    (
        "the file becomes binary behind it",
        Code,
        HIVE_RS,
        QUEEN,
        |past| past.save(HIVE_RS, format!("{HIVE}\0")),
        "holds",
    ),
    (
        "the file is saved in another encoding",
        Vault,
        BEES_MD,
        HONEY,
        |past| past.save(BEES_MD, b"# Gr\xfc\xdfe\n"),
        "unreachable: the file is no longer UTF-8",
    ),
    (
        "the file grows beyond measure",
        Vault,
        BEES_MD,
        HONEY,
        |past| past.save(BEES_MD, "x".repeat(9 * 1024 * 1024)),
        "unreachable: the file is larger than 8 MiB",
    ),
    (
        "a word is changed",
        Vault,
        BEES_MD,
        WAX_LINE,
        |past| past.replace(BEES_MD, "candles", "lamps"),
        "changed Bees.md:10-10",
    ),
    (
        "a number in a note is changed",
        GitVault,
        BEES_MD,
        WAX_LINE,
        |past| past.replace(BEES_MD, "62", "64"),
        "changed Bees.md:10-10",
    ),
    (
        "it is wrapped otherwise",
        Vault,
        BEES_MD,
        HONEY,
        |past| {
            past.replace(BEES_MD, HONEY, "Honey keeps for years in a closed jar,\nsince hardly any water\nis in it. Bees thicken nectar until four\nfifths of it are sugar.\n");
        },
        "changed Bees.md:5-8, white space only",
    ),
    (
        "upper and lower case are changed",
        Vault,
        BEES_MD,
        WAX_LINE,
        |past| past.replace(BEES_MD, WAX_LINE, &WAX_LINE.to_uppercase()),
        "changed Bees.md:10-10, upper and lower case only",
    ),
    (
        "accents are written otherwise",
        Vault,
        "Café.md",
        "Im Café gibt es Honig für jeden, der früh genug kommt.",
        |past| {
            past.save(
                "Café.md",
                "Im Cafe\u{301} gibt es Honig fu\u{308}r jeden, der fru\u{308}h genug kommt.\n",
            );
        },
        "changed Café.md:1-1, Unicode form only",
    ),
    (
        "a heading above is renamed",
        Vault,
        BEES_MD,
        HONEY,
        |past| past.replace(BEES_MD, "## Honey", "## What honey is"),
        "holds",
    ),
    (
        "the heading itself, and little else, was cited and is renamed",
        Vault,
        BEES_MD,
        "## Honey\n",
        |past| past.replace(BEES_MD, "## Honey", "## Sweets"),
        "gone: nothing similar is left in the file",
    ),
    (
        "the vault moves the note to a folder",
        Vault,
        BEES_MD,
        HONEY,
        |past| {
            let vault = past.vault();
            let path = |written| vault.rules().parse_file(written).unwrap();
            let to = Action::Move { from: path(BEES_MD), to: path("Animals/Bees.md") };
            vault.commit(&ChangeSet::new("move", vec![to])).unwrap();
        },
        "moved content Animals/Bees.md:5-6",
    ),
    (
        "a vault with git moves the note and it is edited",
        GitVault,
        BEES_MD,
        WAX_LINE,
        |past| {
            past.rename(BEES_MD, "Animals/Insects.md");
            past.replace("Animals/Insects.md", "62 degrees", "64 degrees");
            past.commit();
        },
        "changed Animals/Insects.md:10-10",
    ),
    (
        "a name of long ago does not count",
        GitVault,
        "New.md",
        "Something that was written under a name that another note once had.\n",
        |past| {
            past.remove("New.md");
            past.commit();
        },
        "gone: the file is gone",
    ),
    (
        "the note goes to the trash",
        Vault,
        BEES_MD,
        HONEY,
        |past| past.rename(BEES_MD, ".trash/Bees.md"),
        "gone: the file is gone",
    ),
    (
        "the note's name changes in case alone",
        Vault,
        BEES_MD,
        HONEY,
        |past| past.rename(BEES_MD, "bees.md"),
        "moved content bees.md:5-6",
    ),
    (
        "a link in the vault leads to where the note is now",
        Vault,
        BEES_MD,
        HONEY,
        |past| {
            past.rename(BEES_MD, "Insects.md");
            symlink("Insects.md", past.root().join(BEES_MD)).unwrap();
        },
        "holds",
    ),
    (
        "a link leads out of the vault",
        Vault,
        BEES_MD,
        HONEY,
        |past| {
            fs::write(past.beside("out.md"), BEES).unwrap();
            past.remove(BEES_MD);
            symlink(past.beside("out.md"), past.root().join(BEES_MD)).unwrap();
        },
        "unreachable: ",
    ),
    (
        "a sentence in the middle of a line is edited",
        Vault,
        BEES_MD,
        "Wax melts at 62 degrees and is used",
        |past| past.replace(BEES_MD, "Wax melts at 62 degrees", "Wax melts at about 62 degrees"),
        "changed Bees.md:10-10",
    ),
];
