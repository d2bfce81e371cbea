//! The weights of a model in their file: one JSON header, then the numbers, which are read when they are asked for.
//!
//! Reads by position and never maps the file into memory. Nothing in the header is believed before it was checked.

use std::collections::HashMap;
use std::fs::File;
use std::path::Path;

use serde::Deserialize;
use wellread_core::{Error, Result};

use crate::platform::read_exact_at;

/// No header of a model that we read comes near.
const LARGEST_HEADER: u64 = 16 << 20;

pub(super) struct Weights {
    file: File,
    tensors: HashMap<String, Tensor>,
    /// What stands before every name, as in `bert.encoder…`.
    prefix: &'static str,
}

/// Where a tensor's numbers are.
#[derive(Clone, Copy)]
struct TensorPlace {
    start: u64,
    count: usize,
    format: Format,
}

#[derive(Deserialize)]
struct Tensor {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: (u64, u64),
}

#[derive(Clone, Copy)]
enum Format {
    F32,
    F16,
    Bf16,
}

impl Format {
    fn bytes(self) -> usize {
        match self {
            Self::F32 => 4,
            Self::F16 | Self::Bf16 => 2,
        }
    }
}

impl Weights {
    pub(super) fn open(path: &Path) -> Result<Self> {
        let unreadable = |error: std::io::Error| {
            Error::failed(format!("the model's weights can't be read: {error}"))
                .with_path(path.display().to_string())
        };
        let file = File::open(path).map_err(unreadable)?;
        let size = file.metadata().map_err(unreadable)?.len();
        let mut length = [0; 8];
        read_exact_at(&file, &mut length, 0).map_err(unreadable)?;
        let length = u64::from_le_bytes(length);
        if length > LARGEST_HEADER.min(size.saturating_sub(8)) {
            return Err(broken_weights_error("their header is longer than the file"));
        }
        let mut header = vec![0; length as usize];
        read_exact_at(&file, &mut header, 8).map_err(unreadable)?;
        let mut named: HashMap<String, serde_json::Value> = serde_json::from_slice(&header)
            .map_err(|error| broken_weights_error(format!("their header is not JSON: {error}")))?;
        named.remove("__metadata__");
        let mut tensors = HashMap::new();
        for (name, value) in named {
            let mut tensor: Tensor = serde_json::from_value(value)
                .map_err(|error| broken_weights_error(format!("{name} in their header: {error}")))?;
            let offsets = &mut tensor.data_offsets;
            let from_the_start = |offset: u64| offset.checked_add(8 + length).filter(|end| *end <= size);
            match (from_the_start(offsets.0), from_the_start(offsets.1)) {
                (Some(start), Some(end)) if start <= end => *offsets = (start, end),
                _ => {
                    return Err(broken_weights_error(format!(
                        "{name} lies outside the file, which may be truncated"
                    )));
                }
            }
            tensors.insert(name, tensor);
        }
        let prefix =
            if tensors.contains_key("bert.embeddings.word_embeddings.weight") { "bert." } else { "" };
        Ok(Self { file, tensors, prefix })
    }

    /// A whole tensor of exactly this shape.
    pub(super) fn tensor(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>> {
        let place = self.place(name, shape)?;
        let mut values = vec![0.0; place.count];
        self.read(place, 0, &mut values)?;
        Ok(values)
    }

    /// A table that stays in the file, of which single rows are read.
    pub(super) fn table(&self, name: &str, shape: [usize; 2]) -> Result<TensorTable> {
        Ok(TensorTable { place: self.place(name, &shape)?, rows: shape[0] })
    }

    /// Reads one row of a table.
    pub(super) fn row(&self, table: &TensorTable, row: usize, values: &mut [f32]) -> Result<()> {
        if row >= table.rows {
            return Err(broken_weights_error(format!(
                "there is no word {row}: the tokenizer belongs to another model"
            )));
        }
        self.read(table.place, row * values.len(), values)
    }

    fn place(&self, name: &str, shape: &[usize]) -> Result<TensorPlace> {
        let name = format!("{}{name}", self.prefix);
        let tensor =
            self.tensors.get(&name).ok_or_else(|| broken_weights_error(format!("there is no {name}")))?;
        if tensor.shape != shape {
            return Err(broken_weights_error(format!(
                "{name} has the shape {:?} and not {shape:?}",
                tensor.shape
            )));
        }
        let format = match tensor.dtype.as_str() {
            "F32" => Format::F32,
            "F16" => Format::F16,
            "BF16" => Format::Bf16,
            other => return Err(broken_weights_error(format!("{name} contains numbers of type {other}"))),
        };
        let count: usize = shape.iter().product();
        let (start, end) = tensor.data_offsets;
        if end - start != (count * format.bytes()) as u64 {
            return Err(broken_weights_error(format!(
                "{name} has {} bytes, which does not match its shape",
                end - start
            )));
        }
        Ok(TensorPlace { start, count, format })
    }

    fn read(&self, place: TensorPlace, skip: usize, values: &mut [f32]) -> Result<()> {
        let width = place.format.bytes();
        let mut bytes = vec![0; width * values.len().min(1 << 16)];
        let mut at = place.start + (skip * width) as u64;
        for part in values.chunks_mut(1 << 16) {
            let bytes = &mut bytes[..part.len() * width];
            read_exact_at(&self.file, bytes, at).map_err(|error| broken_weights_error(error.to_string()))?;
            at += bytes.len() as u64;
            match place.format {
                Format::F32 => fill(part, bytes, f32::from_le_bytes),
                Format::F16 => fill(part, bytes, |two| f32_from_half(u16::from_le_bytes(two))),
                Format::Bf16 => {
                    fill(part, bytes, |two| f32::from_bits(u32::from(u16::from_le_bytes(two)) << 16));
                }
            }
        }
        Ok(())
    }
}

pub(super) struct TensorTable {
    place: TensorPlace,
    rows: usize,
}

fn fill<const N: usize>(values: &mut [f32], bytes: &[u8], number: impl Fn([u8; N]) -> f32) {
    for (value, bytes) in values.iter_mut().zip(bytes.as_chunks::<N>().0) {
        *value = number(*bytes);
    }
}

/// A number of 16 bits with five for the exponent.
fn f32_from_half(half: u16) -> f32 {
    let sign = u32::from(half & 0x8000) << 16;
    let rest = u32::from(half & 0x7fff);
    // Put in place, the exponent is 112 too small; a product puts that right, for the smallest numbers, too.
    let size = match rest >> 10 {
        31 => f32::from_bits(0x7f80_0000 | ((rest & 0x3ff) << 13)),
        _ => f32::from_bits(rest << 13) * f32::from_bits((127 + 112) << 23),
    };
    f32::from_bits(size.to_bits() | sign)
}

fn broken_weights_error(what: impl std::fmt::Display) -> Error {
    Error::failed(format!("the model's weights are not usable: {what}"))
        .hint("install the model again with `wellread model install`")
}

#[cfg(test)]
mod tests {
    use super::f32_from_half;

    #[test]
    fn halves_are_read() {
        let known = [
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x3555, 0.333_251_95),
            (0x0001, 5.960_464_5e-8),
            (0x7bff, 65504.0),
        ];
        for (half, number) in known {
            assert_eq!(f32_from_half(half), number);
        }
        assert!(f32_from_half(0x7c00).is_infinite());
        assert!(f32_from_half(0x7e00).is_nan());
    }
}
