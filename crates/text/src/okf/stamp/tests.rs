//! What a stamp changes in a frontmatter, and what it leaves as it is.

use super::*;

fn event(by: &str, at: &str) -> OkfEvent {
    OkfEvent { by: Some(by.to_owned()), at: (!at.is_empty()).then(|| at.to_owned()) }
}

fn source(id: &str, resource: &str) -> OkfSource {
    OkfSource { id: Some(id.to_owned()), resource: Some(resource.to_owned()), title: None }
}

/// The note after a stamp of this day, with a source of this id, and what was left; `former` was written before.
fn stamp(text: &str, day: &str, id: &str, former: &[&str]) -> (String, Vec<String>) {
    let at = format!("{day}T08:00:00Z");
    let former: Vec<OkfSource> =
        former.iter().map(|id| source(id, if *id == "old" { "/Old.md" } else { "/Wax.md" })).collect();
    let stamp = OkfStamp {
        kind: "Note",
        sources: &[source(id, "/Wax.md")],
        former: &former,
        generated: &event("wellread/2", &at),
        verified: Some(&event("process:gate", &at)),
        stale_after: Some("2027-01-01T08:00:00Z"),
        former_stale_after: Some("2027-01-01T08:00:00Z"),
    };
    let StampedFields { splice, left } = stamp.apply(text).unwrap();
    (apply_splices(text, splice.as_slice()).unwrap(), left)
}

fn stamped(text: &str, day: &str, id: &str, former: &[&str]) -> String {
    stamp(text, day, id, former).0
}

const STAMPED: &str = "type: Note\nsources:\n  - id: wax\n    resource: /Wax.md\ngenerated:\n  by: wellread/2\n  at: 2026-01-01T08:00:00Z\nverified:\n  - by: process:gate\n    at: 2026-01-01T08:00:00Z\nstale_after: 2027-01-01T08:00:00Z\n";

#[test]
fn a_note_gets_its_fields_whatever_it_begins_with() {
    for (text, expected) in [
        ("# Bees\n", format!("---\n{STAMPED}---\n# Bees\n")),
        ("\u{feff}# Bees\n", format!("\u{feff}---\n{STAMPED}---\n# Bees\n")),
        ("---\n---\n# Bees\n", format!("---\n{STAMPED}---\n# Bees\n")),
        ("---\n# mine\ntags: [a] # keep\n---\n", format!("---\n# mine\ntags: [a] # keep\n{STAMPED}---\n")),
        ("# Bees\r\n\r\nx\r\n", format!("---\n{STAMPED}---\n").replace('\n', "\r\n") + "# Bees\r\n\r\nx\r\n"),
    ] {
        let once = stamped(text, "2026-01-01", "wax", &[]);
        assert_eq!(once, expected, "{text:?}");
        assert_eq!(stamped(&once, "2026-01-01", "wax", &["wax"]), once, "{text:?}");
    }
    for broken in ["---\na: [\n---\n", "---\na: 1\na: 2\n---\n", "---\n{a: 1}\n---\n"] {
        let stamp = OkfStamp {
            kind: "Note",
            sources: &[],
            former: &[],
            generated: &event("wellread/2", "2026-01-01T08:00:00Z"),
            verified: None,
            stale_after: None,
            former_stale_after: None,
        };
        assert!(stamp.apply(broken).is_err(), "{broken:?}");
    }
}

#[test]
fn what_was_written_earlier_is_replaced_and_what_others_wrote_stays() {
    let first = stamped("# Bees\n", "2026-01-01", "wax", &[]);
    let next = stamped(&first, "2026-02-02", "honey", &["wax"]);
    assert_eq!(next.replace("honey", "wax").replace("2026-02-02", "2026-01-01"), first);
    let theirs = "---\ntype: Metric # ours\nsources:\n  # the policy\n  - {id: policy, resource: 'https://a.org'} # binding\n  - id: old\n    resource: /Old.md\n  # the end\ngenerated: { by: human:ana, at: 2025-01-01T00:00:00Z }\nverified:\n- { by: human:ana, at: 2025-01-01T00:00:00Z } # twice\nstale_after: 2026-12-01\n---\nx\n";
    let after = stamped(theirs, "2026-01-01", "wax", &["old"]);
    let expected = theirs.replace(
        "  - id: old\n    resource: /Old.md\n  # the end\n",
        "  # the end\n  - id: wax\n    resource: /Wax.md\n",
    );
    let expected =
        expected.replace(" # twice\n", " # twice\n- by: process:gate\n  at: 2026-01-01T08:00:00Z\n");
    // A comment behind the list is not of the list: what is added comes before it.
    let expected = expected.replace(
        "  # the end\n  - id: wax\n    resource: /Wax.md\n",
        "  - id: wax\n    resource: /Wax.md\n  # the end\n",
    );
    assert_eq!(after, expected);
}

#[test]
fn an_entry_of_somebody_is_never_taken_for_one_that_was_written() {
    for own in [
        "  - id: wax\n    resource: /Wax.md\n    title: Mine\n",
        "  - id: wax\n    resource: /Wax.md\n    author: human:ana\n",
        "  - id: wax\n    resource: /Wax.md # read it\n",
        "  - id: wax # mine\n    resource: /Wax.md\n",
        "  - id: wax\n    # read it\n    resource: /Wax.md\n",
        "  - id: wax\n    resource: https://a.org\n",
        "  - resource: /Wax.md\n",
    ] {
        let text = format!("---\nsources:\n{own}---\n");
        let after = stamped(&text, "2026-01-01", "honey", &["wax"]);
        let start = format!("---\nsources:\n{own}  - id: honey\n    resource: /Wax.md\n");
        assert!(after.starts_with(&start), "{after}");
        assert_eq!(find_other_sources(&text, &[source("wax", "/Wax.md")]).len(), 1, "{own}");
    }
    let ours = "---\nsources:\n  - id: wax\n    resource: /Wax.md\n---\n";
    assert_eq!(find_other_sources(ours, &[source("wax", "/Wax.md")]), []);
    assert_eq!(find_other_sources(ours, &[]).len(), 1);
}

#[test]
fn a_field_that_cannot_be_continued_stays_byte_for_byte_and_is_named() {
    for (name, before, field) in [
        ("sources", "", "sources: [{id: a, resource: r, n: 1.10}] # flow"),
        ("sources", "", "sources:\n  id: a\n  n: 0x1F"),
        ("sources", "", "sources:\n  - plain\n  - id: a\n    resource: r"),
        ("sources", "", "sources: &all\n  - id: a\n    resource: r\nother: *all"),
        ("sources", "other: &all\n  - id: a\n    resource: r\n", "sources: *all"),
        ("sources", "", "sources: !!seq\n  - id: a\n    resource: r"),
        ("sources", "", "sources: text"),
        ("verified", "sources: []\n", "verified: [ # by whom\n  {by: human:ana, at: '2025-01-01'}\n]"),
        ("verified", "", "verified: {by: human:ana, at: \"2025-01-01\"}"),
        ("verified", "", "verified:\n  by: human:ana # she did\n  n: 1.10"),
        ("verified", "", "verified:\n  - ana\n  - bob # too"),
        ("verified", "", "verified: [{by: human:ana, n: 1.10}]"),
        ("verified", "", "verified: true"),
        ("type", "", "type: [a, b] # mine"),
        ("type", "", "type: {a: b}"),
        ("type", "", "type: 3"),
        ("type", "", "type: []"),
        ("type", "", "type: ''"),
        ("generated", "", "generated: yes"),
        ("generated", "", "generated: {by: wellread/1, at: 2025-01-01T08:00:00Z, why: mine}"),
        ("generated", "", "generated:\n  by: wellread/1 # mine\n  at: 2025-01-01T08:00:00Z"),
        ("stale_after", "generated: {by: wellread/1}\n", "stale_after: 2028-01-01T08:00:00Z"),
    ] {
        for eol in ["\n", "\r\n"] {
            let text = format!("---\na: 1\n{before}{field}\nb: 2\n---\nx").replace('\n', eol);
            let (after, left) = stamp(&text, "2026-01-01", "wax", &["a"]);
            let is_named = |why: &String| why.starts_with(&format!("`{name}` "));
            assert!(matches!(left.as_slice(), [why] if is_named(why)), "{field}: {left:?}");
            assert!(after.contains(&format!("\n{field}\nb: 2\n").replace('\n', eol)), "{after}");
        }
    }
    // What stands for nothing is no value of somebody.
    for empty in ["sources:", "sources: ~", "sources: [] # none", "verified: [] # yet", "type: # which"] {
        let (after, left) = stamp(&format!("---\n{empty}\n---\n"), "2026-01-01", "wax", &[]);
        let comment = empty.split_once('#').map_or("", |(_, comment)| comment);
        assert!(left.is_empty() && after.contains(comment), "{empty}: {left:?} {after}");
        assert!(crate::check_okf(&after).is_empty(), "{after}");
    }
}

#[test]
fn an_actors_event_is_set_and_removed_and_those_of_others_stay() {
    let set = |text: &str, at: &str| {
        let splice = stamp_verified(text, &event("process:gate", at)).unwrap();
        splice.map_or_else(|| text.to_owned(), |splice| apply_splices(text, &[splice]).unwrap())
    };
    let none = "---\ntype: x\n---\n";
    let ours = set(none, "2026-01-01T08:00:00Z");
    assert_eq!(ours, "---\ntype: x\nverified:\n  - by: process:gate\n    at: 2026-01-01T08:00:00Z\n---\n");
    assert_eq!(set(&ours, "2026-02-02T08:00:00Z"), ours.replace("2026-01-01", "2026-02-02"));
    assert_eq!(set(&ours, ""), none);
    assert_eq!(set(none, ""), none);
    let both = "---\nverified:\n  - { by: human:ana, at: 2025-01-01T00:00:00Z } # read twice\n---\n";
    let added = set(both, "2026-01-01T08:00:00Z");
    assert!(added.starts_with(both.trim_end_matches("---\n")), "{added}");
    assert_eq!(set(&added, ""), both);
    // The event goes, and a comment in the list stays.
    let noted = ours.replace("verified:\n", "verified: # by whom\n  # at night\n");
    assert_eq!(set(&noted, ""), "---\ntype: x\nverified: # by whom\n  # at night\n---\n");
    assert_eq!(set(&set(&noted, ""), "2026-01-01T08:00:00Z").matches("# ").count(), 2);
    for (own, is_refused) in [
        ("verified:\n  - by: process:gate\n    at: x # mine\n", true),
        ("verified: {by: process:gate, at: x}\n", true),
        ("verified: {by: human:ana, at: x}\n", false),
        ("verified:\n  - ana\n", false),
    ] {
        let text = format!("---\n{own}---\n");
        let removed = stamp_verified(&text, &event("process:gate", ""));
        assert_eq!(removed.is_err(), is_refused, "{own}");
        assert!(removed.is_err() || removed == Ok(None), "{own}");
    }
}

#[test]
fn a_source_that_stays_is_known_in_whatever_form_it_is_written() {
    for (sources, ids) in [
        ("sources:\n  - id: wax\n    resource: a\n  - id: bee\n    resource: b\n", "wax bee"),
        ("sources: {id: wax, resource: a}\n", "wax"),
        ("sources:\n  id: wax\n", "wax"),
        ("sources: wax\n", ""),
        ("", ""),
    ] {
        let others = find_other_sources(&format!("---\n{sources}---\n"), &[]);
        let found: Vec<String> = others.into_iter().filter_map(|source| source.id).collect();
        assert_eq!(found.join(" "), ids, "{sources}");
    }
}
