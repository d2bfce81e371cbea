//! The built-in encoder against the reference: figures of the published model, and an implementation in double precision
//! that shares nothing with ours but the weights.

use std::sync::LazyLock;

use wellread_adapters::embed::{LocalModel, ModelStore};
use wellread_core::ports::{Embedder, EmbeddingPurpose};
use wellread_testkit::model_folder;

static MODEL: LazyLock<LocalModel> =
    LazyLock::new(|| LocalModel::open(&model_folder(), "all-MiniLM-L6-v2", "53aa51172d142c89").unwrap());

/// The first six numbers of the vectors.
const REFERENCE: [(&str, [f64; 6]); 7] = [
    ("That is a happy person", [-0.03387690, 0.09194158, 0.04870134, -0.03488357, -0.06482920, -0.02668574]),
    ("", [-0.11883840, 0.04829872, -0.00254811, -0.01101117, 0.05195077, 0.01029175]),
    (
        "Ünïcödé naïve café — „Straße“ und ŒUVRE",
        [0.05419261, 0.01713522, -0.03055745, -0.00585665, -0.08994799, 0.00155733],
    ),
    (
        "東京は日本の首都です。 한국어 텍스트",
        [0.11656484, 0.07670672, 0.07278280, -0.02419502, -0.03709019, -0.01971228],
    ),
    (
        "😀 emoji 👩\u{200d}👩\u{200d}👧 and \u{200b}zero width",
        [0.02276714, 0.01241532, 0.07039344, 0.00642507, 0.00161716, -0.08686309],
    ),
    ("[CLS] and [SEP] in text", [0.02087884, 0.12243772, -0.01151091, 0.03927042, -0.01632896, 0.06710996]),
    (
        "\u{9} tabs\u{a}and\u{d}\u{a}lines \u{0}\u{7}",
        [-0.01546723, 0.00940286, -0.03892197, -0.04728587, -0.07834124, 0.04359405],
    ),
];
/// Of `word ` four hundred times, of which 254 are read.
const LONG: [f64; 6] = [-0.00812366, -0.09558598, -0.03867315, 0.04966198, -0.04379372, 0.02371980];

fn vectors(texts: &[&str]) -> Vec<Vec<f32>> {
    MODEL.embed(texts, EmbeddingPurpose::Passage).unwrap()
}

fn cosine(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
}

fn check(vector: &[f32], reference: [f64; 6], text: &str) {
    assert_eq!(vector.len(), 384);
    assert!((cosine(vector, vector) - 1.0).abs() < 1e-6, "{text}");
    for (ours, theirs) in vector.iter().zip(reference) {
        assert!((f64::from(*ours) - theirs).abs() < 1e-6, "{text}: {ours} and not {theirs}");
    }
}

#[test]
fn the_published_similarities_come_out() {
    let texts = [
        "That is a happy person",
        "That is a happy dog",
        "That is a very happy person",
        "Today is a sunny day",
    ];
    let vectors = vectors(&texts);
    for (other, published) in [(1, 0.6946), (2, 0.9429), (3, 0.2569)] {
        let ours = cosine(&vectors[0], &vectors[other]);
        assert!((ours - published).abs() < 1e-4, "{}: {ours} and not {published}", texts[other]);
    }
}

#[test]
fn vectors_are_those_of_the_reference() {
    for (text, reference) in REFERENCE {
        check(&vectors(&[text])[0], reference, text);
    }
}

#[test]
fn a_long_text_is_cut_where_the_reference_cuts_it() {
    check(&vectors(&["word ".repeat(400).as_str()])[0], LONG, "word …");
    let cut = vectors(&["word ".repeat(254).as_str(), "word ".repeat(253).as_str()]);
    check(&cut[0], LONG, "word …");
    assert_ne!(cut[0], cut[1]);
}

#[test]
fn a_text_has_the_same_vector_in_any_company() {
    let texts: Vec<&str> = REFERENCE.iter().map(|(text, _)| *text).collect();
    let together = vectors(&texts);
    for (text, vector) in texts.iter().zip(&together) {
        assert_eq!(vectors(&[text])[0], *vector, "{text}");
    }
}

#[test]
fn more_texts_than_fit_in_one_batch_come_back_in_order() {
    let texts: Vec<String> =
        (0..90).map(|at| format!("note {} on {}", at, "hive ".repeat(at % 30))).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let all = vectors(&texts);
    assert_eq!(all.len(), 90);
    for at in [0, 1, 29, 59, 60, 89] {
        assert_eq!(all[at], vectors(&[texts[at]])[0], "{at}");
    }
}

#[test]
fn no_texts_have_no_vectors() {
    assert!(vectors(&[]).is_empty());
}

#[test]
fn threads_share_the_model_and_agree() {
    let expected = vectors(&["Bees dance", "Today is a sunny day"]);
    std::thread::scope(|scope| {
        let threads: Vec<_> =
            (0..4).map(|_| scope.spawn(|| vectors(&["Bees dance", "Today is a sunny day"]))).collect();
        for thread in threads {
            assert_eq!(thread.join().unwrap(), expected);
        }
    });
}

#[test]
fn the_store_opens_it_by_path() {
    let store = ModelStore::new("/nonexistent".into());
    let model = store.open(model_folder().to_str().unwrap()).unwrap().model().unwrap();
    assert_eq!((model.name.as_str(), model.dimension), ("all-MiniLM-L6-v2", 384));
    assert_eq!(model.hash, "53aa51172d142c89");
}
