//! Lays out the weights as the kernels read them, and an index of the vocabulary, so that nothing is left to do at the start.
//!
//! Reads `model/`. The result holds the same numbers: weights without sign in panels of 16 outputs, queries, keys and values
//! as one layer, positions as f32 with the token's kind added.

use std::error::Error;
use std::path::PathBuf;
use std::{env, fs};

use serde_json::Value;

#[path = "src/shape.rs"]
mod shape;

use shape::{
    ALIGNMENT, ENCODER_LAYERS, FREE, GROUP, LANES, LONGEST, OFFSET, PIECES, READER_INPUTS, READER_LAYERS,
    SLOTS, STEP, VERIFIER_INPUTS, VERIFIER_LAYERS, VERIFIER_OUTPUTS, WIDE, WIDTH, first_slot,
};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    let vocabulary = "model/vocab.txt";
    for source in [vocabulary, "src/shape.rs"] {
        println!("cargo::rerun-if-changed={source}");
    }
    if env::var_os("CARGO_FEATURE_WEIGHTS").is_none() {
        return Ok(());
    }
    let folder = PathBuf::from(env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?);
    let file = read_weights("model")?;
    let mut out = lay_out_encoder(&Tensors::read(&file)?)?;
    index_pieces(&fs::read_to_string(vocabulary)?, &mut out)?;
    fs::write(folder.join("encoder.bin"), out.bytes)?;
    let file = read_weights("verifier")?;
    let out = lay_out_verifier(&Tensors::read(&file)?)?;
    fs::write(folder.join("verifier.bin"), out.bytes)?;
    let file = read_weights("reader")?;
    let out = lay_out_reader(&Tensors::read(&file)?)?;
    fs::write(folder.join("reader.bin"), out.bytes)?;
    Ok(())
}

/// The file of a model. A package of Cargo's registry may not be that large: there, each half comes with a package of its own
/// (`packaging/crates.py`).
fn read_weights(name: &str) -> Result<Vec<u8>> {
    let whole = PathBuf::from(format!("model/{name}.int8.safetensors"));
    if whole.exists() {
        println!("cargo::rerun-if-changed={}", whole.display());
        return Ok(fs::read(whole)?);
    }
    let mut content = Vec::new();
    for half in 1..=2 {
        let variable = format!("DEP_WELLREAD_WEIGHTS_{}_{half}_FILE", name.to_uppercase());
        let file =
            env::var_os(&variable).ok_or(format!("there is no {} and no ${variable}", whole.display()))?;
        content.extend(fs::read(file)?);
    }
    Ok(content)
}

/// Where each piece ends, and a table that finds a piece by its hash.
fn index_pieces(vocabulary: &str, out: &mut PackedFile) -> Result<()> {
    let mut slots = vec![FREE; SLOTS];
    let mut ends = Vec::new();
    let mut end = 0_u32;
    for (number, piece) in vocabulary.lines().enumerate() {
        let mut slot = first_slot(piece);
        while slots[slot] != FREE {
            slot = (slot + 1) % SLOTS;
        }
        slots[slot] = u16::try_from(number)?;
        end += u32::try_from(piece.len())?;
        ends.extend(end.to_le_bytes());
        end += 1;
    }
    if ends.len() != PIECES * 4 {
        return Err(format!("the vocabulary has {} pieces", ends.len() / 4).into());
    }
    out.add(&ends);
    out.add(&slots.into_iter().flat_map(u16::to_le_bytes).collect::<Vec<u8>>());
    Ok(())
}

fn lay_out_encoder(tensors: &Tensors) -> Result<PackedFile> {
    let mut out = PackedFile::default();
    lay_out_trunk(tensors, 1, ENCODER_LAYERS, &mut out)?;
    let words = "embeddings.word_embeddings.weight";
    out.add(tensors.bytes(&format!("{words}.scale"), "F16", &[PIECES, WIDTH / GROUP])?);
    out.add(tensors.bytes(&format!("{words}.q4"), "U8", &[PIECES, WIDTH / 2])?);
    Ok(out)
}

/// It has no words of its own: they are the encoder's.
fn lay_out_verifier(tensors: &Tensors) -> Result<PackedFile> {
    let mut out = PackedFile::default();
    lay_out_trunk(tensors, 2, VERIFIER_LAYERS, &mut out)?;
    out.add(tensors.bytes("verifier.token.weight", "F32", &[1, WIDTH])?);
    out.add(tensors.bytes("verifier.token.bias", "F32", &[1])?);
    out.add(tensors.bytes("verifier.head.weight", "F32", &[VERIFIER_OUTPUTS, VERIFIER_INPUTS])?);
    out.add(tensors.bytes("verifier.head.bias", "F32", &[VERIFIER_OUTPUTS])?);
    Ok(out)
}

/// Its words are the encoder's, too.
fn lay_out_reader(tensors: &Tensors) -> Result<PackedFile> {
    let mut out = PackedFile::default();
    lay_out_trunk(tensors, 2, READER_LAYERS, &mut out)?;
    out.add(tensors.bytes("reader.head.weight", "F32", &[1, READER_INPUTS])?);
    out.add(tensors.bytes("reader.head.bias", "F32", &[1])?);
    Ok(out)
}

/// What all models begin with: positions for each kind of token, and the layers.
fn lay_out_trunk(tensors: &Tensors, kinds: usize, layers: usize, out: &mut PackedFile) -> Result<()> {
    for kind in 0..kinds {
        out.add(&positions(tensors, kind)?);
    }
    out.add_norm(tensors, "embeddings.LayerNorm")?;
    for layer in 0..layers {
        let name = |part: &str| format!("encoder.layer.{layer}.{part}");
        let three = ["query", "key", "value"].map(|part| name(&format!("attention.self.{part}")));
        out.add_linear(tensors, &three, WIDTH, WIDTH)?;
        out.add_linear(tensors, &[name("attention.output.dense")], WIDTH, WIDTH)?;
        out.add_norm(tensors, &name("attention.output.LayerNorm"))?;
        out.add_linear(tensors, &[name("intermediate.dense")], WIDTH, WIDE)?;
        out.add_linear(tensors, &[name("output.dense")], WIDE, WIDTH)?;
        out.add_norm(tensors, &name("output.LayerNorm"))?;
    }
    Ok(())
}

/// A row for each position that is used, with that of the token's kind added.
fn positions(tensors: &Tensors, kind: usize) -> Result<Vec<u8>> {
    let rows = tensors.bytes("embeddings.position_embeddings.weight", "F16", &[512, WIDTH])?;
    let kinds = tensors.bytes("embeddings.token_type_embeddings.weight", "F16", &[2, WIDTH])?;
    let mut out = Vec::new();
    for row in rows.chunks_exact(WIDTH * 2).take(LONGEST) {
        let kinds = kinds[kind * WIDTH * 2..].chunks_exact(2);
        for (value, kind) in row.chunks_exact(2).zip(kinds) {
            let sum =
                half(u16::from_le_bytes([value[0], value[1]])) + half(u16::from_le_bytes([kind[0], kind[1]]));
            out.extend(sum.to_le_bytes());
        }
    }
    Ok(out)
}

fn half(bits: u16) -> f32 {
    let sign = if bits >> 15 == 0 { 1.0 } else { -1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f32::from(bits & 1023));
    let size = if exponent == 0 {
        fraction / 1024.0 * 2_f32.powi(-14)
    } else {
        (1.0 + fraction / 1024.0) * 2_f32.powi(exponent - 15)
    };
    sign * size
}

#[derive(Default)]
struct PackedFile {
    bytes: Vec<u8>,
}

impl PackedFile {
    fn add(&mut self, part: &[u8]) {
        self.bytes.extend(part);
        self.bytes.resize(self.bytes.len().next_multiple_of(ALIGNMENT), 0);
    }

    fn add_norm(&mut self, tensors: &Tensors, name: &str) -> Result<()> {
        for part in ["weight", "bias"] {
            self.add(tensors.bytes(&format!("{name}.{part}"), "F32", &[WIDTH])?);
        }
        Ok(())
    }

    /// Weights, scales and biases. Several layers of one input side by side are one.
    fn add_linear(&mut self, tensors: &Tensors, names: &[String], from: usize, to: usize) -> Result<()> {
        let (mut rows, mut scales, mut biases) = (Vec::new(), Vec::new(), Vec::new());
        for name in names {
            rows.extend(tensors.bytes(&format!("{name}.weight.q8"), "I8", &[to, from])?);
            scales.extend(tensors.bytes(&format!("{name}.weight.scale"), "F32", &[to])?);
            biases.extend(tensors.bytes(&format!("{name}.bias"), "F32", &[to])?);
        }
        self.add(&pack(&rows, from));
        self.add(&scales);
        self.add(&biases);
        Ok(())
    }
}

/// Panels of [`LANES`] outputs; in each, [`STEP`] inputs of every output, then the next.
fn pack(rows: &[u8], depth: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(rows.len());
    for panel in rows.chunks_exact(LANES * depth) {
        for step in (0..depth).step_by(STEP) {
            for row in panel.chunks_exact(depth) {
                out.extend(row[step..step + STEP].iter().map(|weight| weight.wrapping_add(OFFSET as u8)));
            }
        }
    }
    out
}

struct Tensors<'a> {
    header: Value,
    data: &'a [u8],
}

impl<'a> Tensors<'a> {
    fn read(file: &'a [u8]) -> Result<Self> {
        let (length, rest) = file.split_first_chunk::<8>().ok_or("the weights are cut off")?;
        let length = usize::try_from(u64::from_le_bytes(*length))?;
        let (header, data) = rest.split_at_checked(length).ok_or("the weights are cut off")?;
        Ok(Self { header: serde_json::from_slice(header)?, data })
    }

    fn bytes(&self, name: &str, kind: &str, shape: &[usize]) -> Result<&'a [u8]> {
        let tensor = self.header.get(name).ok_or_else(|| format!("the weights have no {name}"))?;
        if tensor["dtype"] != kind || tensor["shape"] != Value::from(shape) {
            return Err(format!("{name} is not {kind} {shape:?} but {tensor}").into());
        }
        let offset =
            |at: usize| tensor["data_offsets"][at].as_u64().and_then(|offset| usize::try_from(offset).ok());
        let range = offset(0).zip(offset(1)).ok_or_else(|| format!("{name} has no offsets"))?;
        Ok(self.data.get(range.0..range.1).ok_or_else(|| format!("{name} is cut off"))?)
    }
}
