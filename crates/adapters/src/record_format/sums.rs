//! Small records with their checksums: vectors, sketches, suppressed topics, answers and events of agendas.
//!
//! A function that reads returns `None` if the record is not what was written.

use wellread_core::domain::corpus::Hash;
use wellread_core::domain::id::FindingId;
use wellread_core::ports::EmbeddingModel;
use wellread_core::ports::agenda::{AgendaEvent, SuppressedTopic};
use wellread_text::Sketch;

use super::checksum::Checksum;
use super::from_nanoseconds;

/// The stored identity of a model.
pub fn model_name(model: &EmbeddingModel) -> String {
    format!("{} {} {}", model.dimension, model.hash, model.name)
}

pub fn pack_vector(vector: &[f32]) -> Vec<u8> {
    vector.iter().flat_map(|part| part.to_le_bytes()).collect()
}

pub fn embedding_sum(finding: &str, model: &str, vector: &[u8]) -> Hash {
    Checksum::default().text(finding).text(model).bytes(vector).finish()
}

pub fn read_embedding(finding: &str, model: &str, vector: &[u8], sum: Hash) -> Option<(FindingId, Vec<f32>)> {
    if sum != embedding_sum(finding, model, vector) {
        return None;
    }
    let (parts, _) = vector.as_chunks::<4>();
    Some((FindingId::parse(finding).ok()?, parts.iter().map(|part| f32::from_le_bytes(*part)).collect()))
}

pub fn sketch_sum(finding: &str, bytes: &[u8]) -> Hash {
    Checksum::default().text(finding).bytes(bytes).finish()
}

pub fn read_sketch(finding: &str, bytes: &[u8], sum: Hash) -> Option<(FindingId, Sketch)> {
    if sum != sketch_sum(finding, bytes) {
        return None;
    }
    Some((FindingId::parse(finding).ok()?, Sketch::from_bytes(bytes)?))
}

pub fn topic_sum(topic: &str, at: i64, finding: Option<&str>) -> Hash {
    Checksum::default().text(topic).number(at).text_or_none(finding).finish()
}

pub fn read_topic(topic: &str, at: i64, finding: Option<&str>, sum: Hash) -> Option<SuppressedTopic> {
    if sum != topic_sum(topic, at, finding) {
        return None;
    }
    let finding_id = finding.map(FindingId::parse).transpose().ok()?;
    Some(SuppressedTopic { topic: topic.to_owned(), at: from_nanoseconds(at)?, finding_id })
}

pub fn answer_sum(key: &str, request: Hash, answer: Option<&str>) -> Hash {
    Checksum::default().text(key).bytes(request.as_bytes()).text_or_none(answer).finish()
}

pub fn agenda_event_sum(number: u64, event: &str) -> Hash {
    Checksum::default().number(number.cast_signed()).text(event).finish()
}

pub fn read_agenda_event(number: u64, event: &str, sum: Hash) -> Option<(u64, AgendaEvent)> {
    let happening = serde_json::from_str(event).ok()?;
    (sum == agenda_event_sum(number, event)).then_some((number, happening))
}
