//! The models as a whole, on every kernel that this processor has, against what PyTorch computed.
#![allow(clippy::unwrap_used)]

use serde::Deserialize;
use sha2::{Digest, Sha256};
use wellread_encoder::{Encoder, Kernel, Reader, Reading, Verifier};

struct Reference {
    text: String,
    tokens: Vec<u32>,
    exact: Vec<f32>,
    rounded: Vec<f32>,
}

fn references() -> Vec<Reference> {
    let file: serde_json::Value = serde_json::from_str(include_str!("reference_vectors.json")).unwrap();
    let numbers = |name: &str, at: usize| -> Vec<f64> {
        file[name][at].as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
    };
    let texts = file["texts"].as_array().unwrap();
    let read = |(at, text): (usize, &serde_json::Value)| Reference {
        text: text.as_str().unwrap().to_owned(),
        tokens: numbers("ids", at).into_iter().map(|token| token as u32).collect(),
        exact: numbers("f32", at).into_iter().map(|value| value as f32).collect(),
        rounded: numbers("w8a8", at).into_iter().map(|value| value as f32).collect(),
    };
    texts.iter().enumerate().map(read).collect()
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}

fn encoders() -> impl Iterator<Item = (Kernel, Encoder)> {
    let available = Kernel::ALL.into_iter().filter(|kernel| kernel.is_available());
    available.map(|kernel| (kernel, Encoder::with_kernel(kernel).unwrap()))
}

#[test]
fn every_kernel_gives_the_reference_vectors() {
    let references = references();
    assert_eq!(references.len(), 20);
    let texts: Vec<&str> = references.iter().map(|reference| reference.text.as_str()).collect();
    for (kernel, encoder) in encoders() {
        for (vector, reference) in encoder.embed(&texts).iter().zip(&references) {
            let (rounded, exact) = (cosine(vector, &reference.rounded), cosine(vector, &reference.exact));
            assert!(rounded >= 0.999, "{}: {rounded} for {:?}", kernel.name(), reference.text);
            assert!(exact >= 0.995, "{}: {exact} for {:?}", kernel.name(), reference.text);
        }
    }
}

#[test]
fn texts_have_the_tokens_of_the_reference() {
    let references = references();
    let encoder = Encoder::open().unwrap();
    for reference in &references {
        let by_tokens = encoder.embed_tokens(std::slice::from_ref(&reference.tokens));
        assert_eq!(by_tokens, encoder.embed(&[&reference.text]), "{:?}", reference.text);
    }
}

#[test]
fn a_vector_does_not_depend_on_what_else_is_in_the_batch() {
    let long = "honey ".repeat(300);
    let texts = ["bees", "", "a hive in winter", &long, "fn main() {}"];
    for (kernel, encoder) in encoders() {
        let together = encoder.embed(&texts);
        for (text, vector) in texts.iter().zip(&together) {
            assert_eq!(encoder.embed(&[text])[0], *vector, "{}: {text:.20}", kernel.name());
            assert!((cosine(vector, vector) - 1.0).abs() < 1e-5);
        }
    }
}

#[test]
fn the_hash_is_that_of_the_weights() {
    let weights = include_bytes!("../model/model.int8.safetensors");
    let hash: String = Sha256::digest(weights).iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(hash, Encoder::HASH);
}

#[test]
fn a_number_that_is_no_piece_and_a_text_that_is_too_long_do_no_harm() {
    let encoder = Encoder::open().unwrap();
    let vectors = encoder.embed_tokens(&[vec![101, 4_000_000, 102], vec![2003; 1000]]);
    assert!(vectors.iter().flatten().all(|value| value.is_finite()));
    assert!(encoder.embed(&[]).is_empty());
}

#[derive(Deserialize)]
struct ReferenceReading {
    sentence: String,
    passage: String,
    shares: [f32; 3],
}

/// The plain kernel takes as long for a few as the others for all of them. That its sums are theirs is tested elsewhere.
fn some_of<T>(kernel: Kernel, references: &[T]) -> &[T] {
    if kernel == Kernel::Plain { &references[..5] } else { references }
}

fn shares(reading: Reading) -> [f32; 3] {
    [reading.supported, reading.contradicted, reading.not_said]
}

fn verifiers() -> impl Iterator<Item = (Kernel, Verifier)> {
    let available = Kernel::ALL.into_iter().filter(|kernel| kernel.is_available());
    available.map(|kernel| (kernel, Verifier::with_kernel(kernel).unwrap()))
}

#[test]
fn every_kernel_reads_as_the_reference_does() {
    let references: Vec<ReferenceReading> =
        serde_json::from_str(include_str!("reference_readings.json")).unwrap();
    assert!(references.len() >= 20);
    for (kernel, verifier) in verifiers() {
        for reference in some_of(kernel, &references) {
            let read = shares(verifier.read(&reference.sentence, &reference.passage));
            let apart = read.iter().zip(&reference.shares).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            assert!(apart < 0.06, "{}: {read:?} is not {:?}", kernel.name(), reference.shares);
        }
    }
}

#[test]
fn a_statement_is_found_anywhere_in_a_long_passage() {
    let verifier = Verifier::open().unwrap();
    let statement = "A visitor may borrow up to four books at a time.";
    let sentence = "Readers can take out a maximum of four books at once; each is due after three weeks.";
    let other = "Nothing of interest happened that day. ";
    let alone = verifier.read(statement, sentence).supported;
    assert!(alone > 0.5, "{alone}");
    for before in [0, 60, 120] {
        let passage = format!("{}{sentence} {}", other.repeat(before), other.repeat(20));
        let found = verifier.read(statement, &passage).supported;
        assert!(found > 0.5, "{before}: {found}");
    }
}

#[test]
fn odd_texts_do_the_verifier_no_harm() {
    let verifier = Verifier::open().unwrap();
    let long = "honey ".repeat(20_000);
    for (sentence, passage) in
        [("", ""), ("", "bees"), ("bees", ""), (&long, &long), ("[SEP] [CLS]", "\u{0}")]
    {
        let sum: f32 = shares(verifier.read(sentence, passage)).iter().sum();
        assert!((sum - 1.0).abs() < 1e-4, "{sum}");
    }
}

#[test]
fn the_hash_of_the_verifier_is_that_of_its_weights() {
    let weights = include_bytes!("../model/verifier.int8.safetensors");
    let hash: String = Sha256::digest(weights).iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(hash, Verifier::HASH);
}

#[derive(Deserialize)]
struct ReferenceAnswer {
    question: String,
    context: String,
    pieces: Vec<String>,
    readings: Vec<f32>,
}

fn read(reader: &Reader, question: &str, context: &str, pieces: &[String]) -> Vec<f32> {
    let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
    reader.read(question, context, &pieces)
}

#[test]
fn every_kernel_finds_answers_as_the_reference_does() {
    let references: Vec<ReferenceAnswer> =
        serde_json::from_str(include_str!("reference_answers.json")).unwrap();
    assert!(references.len() >= 20);
    for kernel in Kernel::ALL.into_iter().filter(|kernel| kernel.is_available()) {
        let reader = Reader::with_kernel(kernel).unwrap();
        let mut apart = Vec::new();
        for ReferenceAnswer { question, context, pieces, readings } in some_of(kernel, &references) {
            let read = read(&reader, question, context, pieces);
            assert_eq!(read.len(), readings.len());
            apart.extend(read.iter().zip(readings).map(|(a, b)| (a - b).abs()));
        }
        // Readings go from -15 to 9. A piece in doubt may tip by a rounding; most do not move.
        let (most, mean) =
            (apart.iter().copied().fold(0.0, f32::max), apart.iter().sum::<f32>() / apart.len() as f32);
        assert!(most < 1.5 && mean < 0.2, "{}: up to {most} apart, {mean} in the mean", kernel.name());
    }
}

#[test]
fn an_answer_is_found_anywhere_in_a_long_section() {
    let reader = Reader::open().unwrap();
    let answer = "The boiler is serviced every October by Thermo Sauer.";
    for before in [0, 30, 90] {
        let other = |at| format!("Shelf number {at} in the cellar holds empty jars and old paint.");
        let mut pieces: Vec<String> = (0..before).map(other).collect();
        pieces.push(answer.to_owned());
        pieces.extend((0..10).map(other));
        let readings = read(&reader, "When is the heating boiler serviced?", "House > Heating", &pieces);
        let best = (0..pieces.len()).max_by(|a, b| readings[*a].total_cmp(&readings[*b])).unwrap();
        assert_eq!(pieces[best], answer, "{before}: {readings:?}");
        assert!(readings[best] > 0.0);
    }
}

#[test]
fn odd_texts_do_the_reader_no_harm() {
    let reader = Reader::open().unwrap();
    let long = "honey ".repeat(20_000);
    let odd = ["", &long, "[SEP] [CLS]", "\u{0}"].map(str::to_owned);
    for question in &odd {
        for context in &odd {
            let readings = read(&reader, question, context, &odd);
            assert!(readings.len() == odd.len() && readings.iter().all(|value| value.is_finite()));
        }
    }
    assert!(reader.read("bees", "", &[]).is_empty());
}

#[test]
fn the_readers_hash_is_that_of_its_weights() {
    let weights = include_bytes!("../model/reader.int8.safetensors");
    let hash: String = Sha256::digest(weights).iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(hash, Reader::HASH);
}
