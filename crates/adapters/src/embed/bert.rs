//! A BERT encoder: token numbers in, one vector for each sequence out.
//!
//! Sequences of a batch are laid end to end and never padded. All weights but the table of words are in memory; of
//! that, the rows which a batch needs are read from the file. Knows nothing of text, names or prefixes.

use std::path::Path;

use pulp::Arch;
use serde::Deserialize;
use wellread_core::{Error, Result};
use wellread_encoder::{Norm, gelu, normalize, softmax};

use super::product::{Blocks, MatrixRows, PackedMatrix, multiply};
use super::weights::{TensorTable, Weights};

/// What `config.json` says of the model's shape.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct BertConfig {
    pub hidden_size: usize,
    pub num_hidden_layers: usize,
    pub num_attention_heads: usize,
    pub intermediate_size: usize,
    pub max_position_embeddings: usize,
    pub vocab_size: usize,
    #[serde(default = "two")]
    pub type_vocab_size: usize,
    #[serde(default = "tiny")]
    pub layer_norm_eps: f32,
    #[serde(default)]
    pub hidden_act: String,
    #[serde(default)]
    pub position_embedding_type: String,
    #[serde(default)]
    pub model_type: String,
}

fn two() -> usize {
    2
}

fn tiny() -> f32 {
    1e-12
}

impl BertConfig {
    pub(super) fn check(&self) -> Result<()> {
        let Self { hidden_size: hidden, num_attention_heads: heads, .. } = *self;
        let wrong = if !["", "bert"].contains(&self.model_type.as_str()) {
            format!("it is a {}, not a BERT", self.model_type)
        } else if !["", "gelu"].contains(&self.hidden_act.as_str()) {
            format!("its activation is {}, not gelu", self.hidden_act)
        } else if !["", "absolute"].contains(&self.position_embedding_type.as_str()) {
            format!("its positions are {}, not absolute", self.position_embedding_type)
        } else if heads == 0 || hidden == 0 || hidden % heads != 0 {
            format!("{hidden} numbers can't be shared by {heads} heads")
        } else if [hidden, self.intermediate_size, self.max_position_embeddings]
            .iter()
            .any(|size| *size > 1 << 15)
        {
            "it is larger than the built-in encoder supports".to_owned()
        } else {
            return Ok(());
        };
        Err(Error::invalid(format!("this model can't be used: {wrong}")))
    }
}

/// How the vectors of the tokens become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pooling {
    Mean,
    First,
}

pub(super) struct Encoder {
    weights: Weights,
    words: TensorTable,
    /// A row for each position, with that of the first token type added.
    positions: Vec<f32>,
    norm: Norm,
    layers: Vec<Layer>,
    shape: BertConfig,
    pooling: Pooling,
}

struct Layer {
    attention: Linear,
    joined: Linear,
    joined_norm: Norm,
    wide: Linear,
    narrow: Linear,
    narrow_norm: Norm,
}

struct Linear {
    weight: PackedMatrix,
    bias: Vec<f32>,
}

/// The memory of one call, made as large as its largest batch needs.
#[derive(Default)]
pub(super) struct EncoderBuffers {
    hidden: Vec<f32>,
    /// What a layer makes of it: queries, keys and values side by side, or the wide layer.
    wide: Vec<f32>,
    more: Vec<f32>,
    scores: Vec<f32>,
    keys: PackedMatrix,
    values: PackedMatrix,
    blocks: Blocks,
}

impl Encoder {
    pub(super) fn open(weights: &Path, shape: BertConfig, pooling: Pooling) -> Result<Self> {
        shape.check()?;
        let weights = Weights::open(weights)?;
        let hidden = shape.hidden_size;
        let words = weights.table("embeddings.word_embeddings.weight", [shape.vocab_size, hidden])?;
        let mut positions = weights
            .tensor("embeddings.position_embeddings.weight", &[shape.max_position_embeddings, hidden])?;
        let types =
            weights.tensor("embeddings.token_type_embeddings.weight", &[shape.type_vocab_size, hidden])?;
        for row in positions.chunks_exact_mut(hidden) {
            add(row, &types[..hidden]);
        }
        let norm = norm(&weights, "embeddings.LayerNorm", &shape)?;
        let layers = (0..shape.num_hidden_layers).map(|at| Layer::open(&weights, at, &shape));
        let layers = layers.collect::<Result<_>>()?;
        Ok(Self { weights, words, positions, norm, layers, shape, pooling })
    }

    pub(super) fn config(&self) -> &BertConfig {
        &self.shape
    }

    /// A vector of length one for each sequence. None may be empty or longer than the model has positions.
    pub(super) fn run(&self, sequences: &[&[u32]], room: &mut EncoderBuffers) -> Result<Vec<Vec<f32>>> {
        let hidden = self.shape.hidden_size;
        self.look_up(sequences, room)?;
        for layer in &self.layers {
            layer.run(sequences, &self.shape, room);
        }
        let mut rest = room.hidden.as_slice();
        let vectors = sequences.iter().map(|sequence| {
            let (own, others) = rest.split_at(sequence.len() * hidden);
            rest = others;
            let mut vector = own[..hidden].to_vec();
            if self.pooling == Pooling::Mean {
                own[hidden..].chunks_exact(hidden).for_each(|row| add(&mut vector, row));
            }
            normalize(&mut vector);
            vector
        });
        Ok(vectors.collect())
    }

    fn look_up(&self, sequences: &[&[u32]], room: &mut EncoderBuffers) -> Result<()> {
        let hidden = self.shape.hidden_size;
        let count: usize = sequences.iter().map(|sequence| sequence.len()).sum();
        room.hidden.resize(count * hidden, 0.0);
        room.more.clear();
        let mut rows = room.hidden.chunks_exact_mut(hidden);
        for sequence in sequences {
            for (token, row) in sequence.iter().zip(&mut rows) {
                self.weights.row(&self.words, *token as usize, row)?;
            }
            room.more.extend_from_slice(&self.positions[..sequence.len() * hidden]);
        }
        self.norm.add_and_norm(Arch::new(), &mut room.hidden, &room.more);
        Ok(())
    }
}

impl Layer {
    fn open(weights: &Weights, at: usize, shape: &BertConfig) -> Result<Self> {
        let (hidden, wide) = (shape.hidden_size, shape.intermediate_size);
        let name = |part: &str| format!("encoder.layer.{at}.{part}");
        let three = ["query", "key", "value"].map(|part| name(&format!("attention.self.{part}")));
        let linear = |part: &str, from: usize, to: usize| Linear::open(weights, &[name(part)], from, to);
        Ok(Self {
            attention: Linear::open(weights, &three, hidden, hidden)?,
            joined: linear("attention.output.dense", hidden, hidden)?,
            joined_norm: norm(weights, &name("attention.output.LayerNorm"), shape)?,
            wide: linear("intermediate.dense", hidden, wide)?,
            narrow: linear("output.dense", wide, hidden)?,
            narrow_norm: norm(weights, &name("output.LayerNorm"), shape)?,
        })
    }

    fn run(&self, sequences: &[&[u32]], shape: &BertConfig, room: &mut EncoderBuffers) {
        let hidden = shape.hidden_size;
        self.attention.run(&room.hidden, &mut room.wide, &mut room.blocks);
        let mut first = 0;
        for sequence in sequences {
            attend(first, sequence.len(), shape, room);
            first += sequence.len();
        }
        // `more` holds what attention gathered; the wide room is free again.
        self.joined.run(&room.more[..first * hidden], &mut room.wide, &mut room.blocks);
        self.joined_norm.add_and_norm(Arch::new(), &mut room.hidden, &room.wide);
        self.wide.run(&room.hidden, &mut room.wide, &mut room.blocks);
        gelu(Arch::new(), &mut room.wide);
        self.narrow.run(&room.wide, &mut room.more, &mut room.blocks);
        self.narrow_norm.add_and_norm(Arch::new(), &mut room.hidden, &room.more);
    }
}

/// Attention within one sequence, whose tokens begin at `first`: from queries, keys and values in `wide` into `more`.
fn attend(first: usize, count: usize, shape: &BertConfig, room: &mut EncoderBuffers) {
    let hidden = shape.hidden_size;
    let size = hidden / shape.num_attention_heads;
    let own = &room.wide[first * 3 * hidden..][..count * 3 * hidden];
    room.scores.resize(count * count, 0.0);
    for head in 0..shape.num_attention_heads {
        let part = |row: usize, third: usize| &own[row * 3 * hidden + third * hidden + head * size..][..size];
        room.keys.reshape(size, count);
        room.values.reshape(count, size);
        for row in 0..count {
            room.keys.set_column(row, part(row, 1));
            room.values.set_row(row, part(row, 2));
        }
        let queries = MatrixRows { values: &own[head * size..], stride: 3 * hidden, count };
        multiply(queries, &room.keys, &[], &mut room.scores, count, &mut room.blocks);
        softmax(Arch::new(), &mut room.scores, count, 1.0 / (size as f32).sqrt());
        let scores = MatrixRows { values: &room.scores, stride: count, count };
        let out = &mut room.more[first * hidden + head * size..];
        multiply(scores, &room.values, &[], out, hidden, &mut room.blocks);
    }
}

impl Linear {
    /// Several layers of one input side by side are one.
    fn open(weights: &Weights, names: &[String], from: usize, to: usize) -> Result<Self> {
        let mut linear = Self { weight: PackedMatrix::default(), bias: Vec::new() };
        linear.weight.reshape(from, to * names.len());
        for (at, name) in names.iter().enumerate() {
            linear.weight.set_columns(at * to, &weights.tensor(&format!("{name}.weight"), &[to, from])?);
            linear.bias.extend(weights.tensor(&format!("{name}.bias"), &[to])?);
        }
        Ok(linear)
    }

    fn run(&self, input: &[f32], out: &mut Vec<f32>, blocks: &mut Blocks) {
        let (from, to) = (self.weight.depth(), self.weight.columns());
        let count = input.len() / from;
        out.resize(count * to, 0.0);
        multiply(
            MatrixRows { values: input, stride: from, count },
            &self.weight,
            &self.bias,
            out,
            to,
            blocks,
        );
    }
}

fn norm(weights: &Weights, name: &str, shape: &BertConfig) -> Result<Norm> {
    let part = |part: &str| weights.tensor(&format!("{name}.{part}"), &[shape.hidden_size]);
    Ok(Norm { gain: part("weight")?.into(), bias: part("bias")?.into(), epsilon: shape.layer_norm_eps })
}

fn add(row: &mut [f32], more: &[f32]) {
    for (value, more) in row.iter_mut().zip(more) {
        *value += *more;
    }
}
