//! All records from SQLite to PostgreSQL and back: nothing is lost, and what was interrupted is completed.

use std::fs;

use wellread_adapters::record_copy::{RecordRows, export_records, import_records, summarize};
use wellread_adapters::records::RecordStore;
use wellread_core::domain::corpus::Hash;
use wellread_core::domain::id::RunId;
use wellread_core::domain::rights::UserName;
use wellread_core::ports::event::RunKind;
use wellread_core::ports::{
    Account, Accounts, AgendaActor, AgendaChange, AgendaFilter, Agendas, AuditEntry, EmbeddingModel,
    Findings, JobQueue, NewFinding, Records, RunLogs, Snapshots as _, StoredSession,
};
use wellread_core::{ErrorKind, Result};
use wellread_testkit::agenda_fixtures::{agenda, new_finding, propose_and_approve};
use wellread_testkit::contract::accounts::invite;
use wellread_testkit::run_fixtures::{event_time, events, record_run};
use wellread_text::{Shingles, Sketch};

use crate::postgres_server::TestDatabase;

fn model() -> EmbeddingModel {
    EmbeddingModel { name: "m\u{0}".to_owned(), hash: "h".to_owned(), dimension: 3 }
}

/// Something in every table, with text that is hard to keep.
fn fill(records: &dyn Records) -> RunId {
    let run = RunId::fresh();
    record_run(records, &run, RunKind::Ask, "Grüße \u{0}", &events(&run, RunKind::Ask, "Grüße \u{0}"));
    let forgotten = RunId::fresh();
    record_run(records, &forgotten, RunKind::Note, "x", &events(&forgotten, RunKind::Note, "x"));
    records.forget_runs(&[forgotten], event_time(5)).unwrap();
    for (number, text) in ["", "Wax \u{0}", &"long ".repeat(9000)].into_iter().enumerate() {
        records.keep(text).unwrap();
        let (id, state) = (format!("s\u{0}{number}"), serde_json::json!({ "a": text, "b": 0.1 }));
        let file = (number == 1).then(|| "Ünï\u{0}.md".to_owned());
        let last = event_time(number as u64);
        records.keep_session(&StoredSession { id, active_file: file, last, state }).unwrap();
    }
    let approved = propose_and_approve(records, &agenda(3));
    let mut proposed = agenda(1);
    proposed.message = Some("waiting".to_owned());
    records.propose(&proposed, Some("key \u{0}")).unwrap();
    records.take_job("w\u{0}", event_time(0), event_time(60)).unwrap().unwrap();
    let found = new_finding(&approved.id, &approved.tasks[0].id, "https://bees.example/1");
    let mut change = |change: &mut AgendaChange| {
        let embedding = Some((model(), vec![0.5, -0.0, f32::MIN_POSITIVE]));
        change.findings.push(NewFinding { embedding, ..found.clone() });
        Ok(())
    };
    records.change_agenda(&approved.id, AgendaActor::User, &mut change).unwrap();
    let sketch = Sketch::from_shingles(&Shingles::from_text("the bees make honey of what they gather"));
    records.keep_sketches(&[(found.finding.id.clone(), sketch)]).unwrap();
    records.record_setting("hour", Some("nine \u{0}"), event_time(3)).unwrap();
    let once = wellread_core::ports::agenda::IdempotentRequest::new("once", "x", &1).unwrap();
    let mut dismiss = |finding: &mut wellread_core::ports::agenda::Finding| {
        finding.dismiss(event_time(7))?;
        let topic = "a topic \u{0}".to_owned();
        let finding_id = Some(finding.id.clone());
        Ok(Some(wellread_core::ports::agenda::SuppressedTopic { topic, at: event_time(7), finding_id }))
    };
    records.decide(&found.finding.id, Some(&once), &mut dismiss).unwrap();
    run
}

/// A user who came, one who was removed, and the log of that.
fn fill_accounts(accounts: &dyn Accounts) {
    for (name, secret) in [("anna", "link"), ("bob", "other link")] {
        invite(accounts, name, secret).unwrap();
        let (secret, token) = (Hash::compute(secret.as_bytes()), Hash::compute(name.as_bytes()));
        let join = |account: Account| account.accept_invitation(secret, token, event_time(2));
        change(accounts, name, "users join", &join);
    }
    change(accounts, "bob", "users remove", &|account: Account| account.remove(event_time(3)));
}

fn change(accounts: &dyn Accounts, name: &str, action: &str, act: &dyn Fn(Account) -> Result<Account>) {
    let name = UserName::parse(name).unwrap();
    let entry = AuditEntry {
        at: event_time(4),
        who: name.to_string(),
        face: "page".to_owned(),
        action: action.to_owned(),
        vault: Some("Ünï".to_owned()),
        target: None,
    };
    let mut change = |known: Option<Account>| Ok((act(known.unwrap())?, entry.clone()));
    accounts.change_account(&name, &mut change).unwrap();
}

fn audit(accounts: &dyn Accounts) -> Vec<(u64, AuditEntry)> {
    let mut entries = Vec::new();
    accounts.for_each_audit(&mut |number, entry| entries.push((number, entry))).unwrap();
    entries
}

fn digest(store: &dyn RecordRows) -> String {
    summarize(store, &mut |_| {}).unwrap().digest
}

#[test]
fn everything_goes_to_postgres_and_back_as_it_was() {
    let Some(database) = TestDatabase::create() else { return };
    let folder = tempfile::tempdir().unwrap();
    let (sqlite, postgres) = (RecordStore::new(&folder.path().join("a")), database.open("ours"));
    let run = fill(&sqlite);
    fill_accounts(&sqlite);
    let file = folder.path().join("records.jsonl");
    let exported = export_records(&sqlite, &file, &mut |_| {}).unwrap();
    assert_eq!(exported.tables.len(), 17, "every table has something: {:?}", exported.tables);
    assert_eq!(exported.digest, digest(&sqlite));
    let again = export_records(&sqlite, &file, &mut |_| {}).unwrap_err();
    assert_eq!(again.kind(), ErrorKind::Conflict, "{again}");

    assert_eq!(import_records(&postgres, &file, &mut |_| {}).unwrap(), exported);
    assert_eq!(postgres.events(&run).unwrap(), sqlite.events(&run).unwrap(), "the chain holds");
    assert_eq!(
        postgres.agendas(AgendaFilter::All, 9).unwrap(),
        sqlite.agendas(AgendaFilter::All, 9).unwrap()
    );
    assert_eq!(postgres.embeddings(&model()).unwrap(), sqlite.embeddings(&model()).unwrap());
    assert_eq!(postgres.jobs().unwrap(), sqlite.jobs().unwrap());
    assert_eq!(postgres.counts().unwrap(), sqlite.counts().unwrap());
    assert_eq!(postgres.accounts().unwrap(), sqlite.accounts().unwrap());
    assert_eq!((audit(&postgres).len(), audit(&postgres)), (5, audit(&sqlite)));
    // Both logs go on from the same place.
    for accounts in [&postgres as &dyn Accounts, &sqlite] {
        change(accounts, "anna", "users rights", &|account: Account| {
            account.with_rights(vec![], event_time(5))
        });
    }
    // Numbers go on where they were.
    let (there, here) = (&postgres as &dyn Records, &sqlite as &dyn Records);
    let take = |records: &dyn Records| records.take_job("v", event_time(0), event_time(60)).unwrap().unwrap();
    assert_eq!(take(there), take(here));
    assert_eq!(digest(&postgres), digest(&sqlite), "both have changed in the same way");

    let (back, file) = (RecordStore::new(&folder.path().join("b")), folder.path().join("back.jsonl"));
    let exported = export_records(&postgres, &file, &mut |_| {}).unwrap();
    assert_eq!(import_records(&back, &file, &mut |_| {}).unwrap(), exported);
    assert_eq!(digest(&back), digest(&sqlite));
    assert_eq!(back.events(&run).unwrap(), sqlite.events(&run).unwrap());
}

#[test]
fn an_interrupted_import_is_completed_and_nothing_else_is_mixed_in() {
    let Some(database) = TestDatabase::create() else { return };
    let folder = tempfile::tempdir().unwrap();
    let sqlite = RecordStore::new(&folder.path().join("a"));
    fill(&sqlite);
    let file = folder.path().join("records.jsonl");
    let exported = export_records(&sqlite, &file, &mut |_| {}).unwrap();
    let text = fs::read_to_string(&file).unwrap();
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    // As far as one came that was killed.
    let postgres = database.open("ours");
    assert_eq!(postgres.insert_rows(&lines[1..8]).unwrap(), 7);
    assert_eq!(import_records(&postgres, &file, &mut |_| {}).unwrap(), exported);
    assert_eq!(import_records(&postgres, &file, &mut |_| {}).unwrap(), exported, "once more changes nothing");

    let other = database.open("other");
    other.keep("of another").unwrap();
    for store in [&other as &dyn RecordRows, &{
        let used = RecordStore::new(&folder.path().join("used"));
        used.keep("of another").unwrap();
        used
    }] {
        let before = digest(store);
        let error = import_records(store, &file, &mut |_| {}).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Conflict, "{error}");
        assert_eq!(digest(store), before, "nothing was changed");
    }

    let empty = database.open("empty");
    let damaged = [
        text.replacen("honey", "money", 1).replacen("Honey", "Money", 1).replacen("bees", "boes", 1),
        text.lines().take(9).map(|line| format!("{line}\n")).collect(),
        format!("{text}[]\n"),
        "{}\n".to_owned(),
        String::new(),
        "{\"wellread_records\":99}\n".to_owned(),
    ];
    for (number, text) in damaged.iter().enumerate() {
        let file = folder.path().join(format!("damaged {number}"));
        fs::write(&file, text).unwrap();
        let error = import_records(&empty, &file, &mut |_| {}).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid, "{number}: {error}");
    }
    assert_eq!(summarize(&empty, &mut |_| {}).unwrap().rows, 0);
}

/// What becomes of a row; nothing if it is left out.
type RowChange<'a> = &'a dyn Fn(&str) -> Option<String>;

#[test]
fn accounts_that_were_changed_are_refused_and_others_are_left_alone() {
    let Some(database) = TestDatabase::create() else { return };
    let folder = tempfile::tempdir().unwrap();
    let open = |name: &str| RecordStore::new(&folder.path().join(name));
    let export = |store: &RecordStore, name: &str| {
        let file = folder.path().join(name);
        export_records(store, &file, &mut |_| {}).unwrap();
        file
    };
    let (sqlite, without) = (open("a"), open("without"));
    fill_accounts(&sqlite);
    without.keep("Wax.").unwrap();
    let (file, plain) = (export(&sqlite, "all"), export(&without, "plain"));
    let text = fs::read_to_string(&file).unwrap();
    // A file whose digest is right, and whose log or account is not.
    let changes: [(&str, RowChange<'_>); 3] = [
        ("an entry that says something else", &|line| Some(line.replace("users remove", "users invite"))),
        ("a log without its second entry", &|line| {
            (!line.starts_with("[\"audit\",1,")).then(|| line.to_owned())
        }),
        ("a removed user who is back", &|line| Some(line.replace("\\\"removed\\\"", "\\\"active\\\""))),
    ];
    for (number, (what, change)) in changes.iter().enumerate() {
        let rows: Vec<String> =
            text.lines().filter(|line| line.starts_with('[')).filter_map(change).collect();
        assert!(
            rows.iter().any(|row| !text.contains(row.as_str())) || rows.len() < text.lines().count() - 2,
            "{what}"
        );
        let changed = open(&format!("changed {number}"));
        changed.insert_rows(&rows).unwrap();
        let file = export(&changed, &format!("changed file {number}"));
        for store in
            [&database.open(&format!("into {number}")) as &dyn RecordRows, &open(&format!("into {number}"))]
        {
            let error = import_records(store, &file, &mut |_| {}).unwrap_err();
            assert!(
                error.kind() == ErrorKind::Invalid && error.message().contains("not what was written"),
                "{what}: {error}"
            );
            assert_eq!(summarize(store, &mut |_| {}).unwrap().rows, 0, "{what}");
        }
    }
    // Accounts that are there stay, unless the file has others.
    let postgres = database.open("ours");
    invite(&postgres, "carol", "link").unwrap();
    let before = digest(&postgres);
    let error = import_records(&postgres, &file, &mut |_| {}).unwrap_err();
    assert_eq!((error.kind(), digest(&postgres)), (ErrorKind::Conflict, before), "{error}");
    import_records(&postgres, &plain, &mut |_| {}).unwrap();
    assert_eq!(postgres.accounts().unwrap().len(), 1);
}
