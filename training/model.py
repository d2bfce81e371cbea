"""The encoder in PyTorch: BERT with mean pooling, quantisation in the loop, and the file formats.

Sequences are packed one after the other without padding. On a GPU attention runs over the packed tokens; elsewhere it is padded.
"""

import json
import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer

WIDTH, HEADS, GROUP = 384, 12, 32
PARTS = [
    ("attention.output.dense", "attention_out"),
    ("attention.output.LayerNorm", "attention_norm"),
    ("intermediate.dense", "up"),
    ("output.dense", "down"),
    ("output.LayerNorm", "norm"),
]
EMBEDDINGS = "embeddings.word_embeddings.weight"


class PassThrough(torch.autograd.Function):
    """Rounded values forward, the gradient of the unrounded ones backward."""

    @staticmethod
    def forward(_context, _exact, rounded):
        return rounded

    @staticmethod
    def backward(_context, gradient):
        return gradient, None


def round_rows(weight):
    """int8, one scale for an output row."""
    scale = weight.detach().abs().amax(1, keepdim=True).clamp_min(1e-8) / 127
    return PassThrough.apply(weight, (weight.detach() / scale).round().clamp(-127, 127) * scale)


def round_tokens(x):
    """int8, one scale for a token: what the engine does before every linear layer."""
    exact = x.detach().float()
    scale = exact.abs().amax(-1, keepdim=True).clamp_min(1e-8) / 127
    return PassThrough.apply(x, ((exact / scale).round() * scale).to(x.dtype))


def round_table(table):
    """int4 in -7..7, one f16 scale for 32 columns."""
    groups = table.detach().view(table.shape[0], -1, GROUP)
    scale = (groups.abs().amax(2, keepdim=True).clamp_min(1e-8) / 7).half().float()
    return PassThrough.apply(table, ((groups / scale).round().clamp(-7, 7) * scale).view_as(table))


@dataclass
class Packed:
    """Several token sequences in a row. `starts` has one entry more than there are sequences."""

    ids: torch.Tensor
    positions: torch.Tensor
    owner: torch.Tensor
    starts: torch.Tensor
    longest: int

    @staticmethod
    def of(sequences: list, device) -> "Packed":
        lengths = torch.tensor([len(sequence) for sequence in sequences], device=device)
        starts = torch.zeros(len(sequences) + 1, dtype=torch.int32, device=device)
        starts[1:] = lengths.cumsum(0)
        ids = torch.from_numpy(np.concatenate(sequences).astype(np.int32)).to(device, non_blocking=True)
        owner = torch.repeat_interleave(torch.arange(len(sequences), device=device), lengths)
        positions = torch.arange(len(ids), device=device) - starts.long()[owner]
        return Packed(ids, positions, owner, starts, max(len(sequence) for sequence in sequences))

    def first(self, count: int) -> "Packed":
        end = int(self.starts[count])
        return Packed(self.ids[:end], self.positions[:end], self.owner[:end], self.starts[: count + 1], self.longest)


def packed_attention(query, key, value, packed):
    from torch.nn.attention.varlen import varlen_attn

    return varlen_attn(query, key, value, packed.starts, packed.starts, packed.longest, packed.longest)


def padded_attention(query, key, value, packed):
    count, longest = packed.starts.numel() - 1, packed.longest

    def pad(x):
        padded = x.new_zeros(count, longest, *x.shape[1:])
        padded[packed.owner, packed.positions] = x
        return padded.transpose(1, 2)

    mask = torch.zeros(count, longest, dtype=torch.bool, device=query.device)
    mask[packed.owner, packed.positions] = True
    out = F.scaled_dot_product_attention(pad(query), pad(key), pad(value), attn_mask=mask[:, None, None, :])
    return out.transpose(1, 2)[packed.owner, packed.positions]


class Layer(torch.nn.Module):
    def __init__(self, weights: dict, prefix: str):
        super().__init__()
        joined = {end: torch.cat([weights[f"{prefix}attention.self.{name}.{end}"].float() for name in ("query", "key", "value")]) for end in ("weight", "bias")}
        self.qkv_weight, self.qkv_bias = (torch.nn.Parameter(joined[end].clone()) for end in ("weight", "bias"))
        for theirs, ours in PARTS:
            for end in ("weight", "bias"):
                setattr(self, f"{ours}_{end}", torch.nn.Parameter(weights[f"{prefix}{theirs}.{end}"].float().clone()))


class Encoder(torch.nn.Module):
    """Token sequences in, unit vectors out.

    `weights_int8`, `activations_int8` and `table_int4` switch the rounding on; `dtype` is what the layers compute in.
    """

    def __init__(self, weights: dict, layers: list | None = None):
        super().__init__()
        count = 1 + max(int(name.split(".")[2]) for name in weights if name.startswith("encoder.layer."))
        keep = lambda name: torch.nn.Parameter(weights[name].float().clone())
        self.words, self.places, self.types = (keep(f"embeddings.{name}_embeddings.weight") for name in ("word", "position", "token_type"))
        self.norm_weight, self.norm_bias = keep("embeddings.LayerNorm.weight"), keep("embeddings.LayerNorm.bias")
        self.layers = torch.nn.ModuleList(Layer(weights, f"encoder.layer.{at}.") for at in (layers or range(count)))
        self.weights_int8 = self.activations_int8 = self.table_int4 = False
        self.dtype = torch.float32
        self.attention = padded_attention

    def quantized(self, on: bool = True) -> "Encoder":
        self.weights_int8 = self.activations_int8 = self.table_int4 = on
        return self

    def linear(self, x, weight, bias):
        x = round_tokens(x) if self.activations_int8 else x
        weight = round_rows(weight) if self.weights_int8 else weight
        return F.linear(x, weight.to(self.dtype), bias.to(self.dtype))

    def normalize(self, x, weight, bias):
        return F.layer_norm(x, (WIDTH,), weight.to(self.dtype), bias.to(self.dtype), 1e-12)

    def forward(self, packed: Packed):
        table = round_table(self.words) if self.table_int4 else self.words
        x = F.embedding(packed.ids, table) + F.embedding(packed.positions, self.places) + self.types[0]
        x = F.layer_norm(x, (WIDTH,), self.norm_weight, self.norm_bias, 1e-12).to(self.dtype)
        for layer in self.layers:
            query, key, value = self.linear(x, layer.qkv_weight, layer.qkv_bias).view(-1, 3, HEADS, WIDTH // HEADS).unbind(1)
            mixed = self.attention(query, key, value, packed).reshape(-1, WIDTH)
            x = self.normalize(x + self.linear(mixed, layer.attention_out_weight, layer.attention_out_bias), layer.attention_norm_weight, layer.attention_norm_bias)
            up = F.gelu(self.linear(x, layer.up_weight, layer.up_bias))
            x = self.normalize(x + self.linear(up, layer.down_weight, layer.down_bias), layer.norm_weight, layer.norm_bias)
        sums = torch.zeros(packed.starts.numel() - 1, WIDTH, device=x.device).index_add(0, packed.owner, x.float())
        return F.normalize(sums, dim=1)

    def hidden(self, packed: Packed, kinds, dropout: float = 0.0):
        """A row for every token; `kinds` has 0 or 1 for each. The word table is taken as it is."""
        drop = lambda value: F.dropout(value, dropout, dropout > 0)
        x = F.embedding(packed.ids, self.words) + F.embedding(packed.positions, self.places) + F.embedding(kinds, self.types)
        x = drop(F.layer_norm(x, (WIDTH,), self.norm_weight, self.norm_bias, 1e-12)).to(self.dtype)
        for layer in self.layers:
            query, key, value = self.linear(x, layer.qkv_weight, layer.qkv_bias).view(-1, 3, HEADS, WIDTH // HEADS).unbind(1)
            mixed = self.attention(query, key, value, packed).reshape(-1, WIDTH)
            x = self.normalize(x + drop(self.linear(mixed, layer.attention_out_weight, layer.attention_out_bias)), layer.attention_norm_weight, layer.attention_norm_bias)
            up = F.gelu(self.linear(x, layer.up_weight, layer.up_bias))
            x = self.normalize(x + drop(self.linear(up, layer.down_weight, layer.down_bias)), layer.norm_weight, layer.norm_bias)
        return x.float()

    def weights(self) -> dict:
        """All weights under the names that BERT files have, f32, on the CPU."""
        out = {EMBEDDINGS: self.words, "embeddings.position_embeddings.weight": self.places, "embeddings.token_type_embeddings.weight": self.types}
        out |= {"embeddings.LayerNorm.weight": self.norm_weight, "embeddings.LayerNorm.bias": self.norm_bias}
        for at, layer in enumerate(self.layers):
            prefix = f"encoder.layer.{at}."
            for which, name in enumerate(("query", "key", "value")):
                rows = slice(which * WIDTH, (which + 1) * WIDTH)
                out[f"{prefix}attention.self.{name}.weight"], out[f"{prefix}attention.self.{name}.bias"] = layer.qkv_weight[rows], layer.qkv_bias[rows]
            for theirs, ours in PARTS:
                out |= {f"{prefix}{theirs}.{end}": getattr(layer, f"{ours}_{end}") for end in ("weight", "bias")}
        return {name: value.detach().float().cpu().clone().contiguous() for name, value in out.items()}


def best_attention(encoder: Encoder, device) -> Encoder:
    """Packed attention where it runs and agrees with the padded one."""
    encoder.to(device)
    if str(device) == "cpu":
        return encoder
    encoder.dtype = torch.bfloat16
    packed = Packed.of([np.array([101, 2023, 2003, 102]), np.array([101, 7592, 102])], device)
    try:
        with torch.no_grad():
            padded = encoder(packed)
            encoder.attention = packed_attention
            least = float((encoder(packed) * padded).sum(1).min())
        if least > 0.999:
            return encoder
        print("packed attention differs, cosine", least)
    except Exception as error:
        print("packed attention does not run here:", error)
    encoder.attention = padded_attention
    return encoder


def read_weights(path: Path) -> dict:
    """Weights as f32 from a plain file, from one with int8 and int4 tables, or from a folder with a checkpoint in parts."""
    path = Path(path)
    files = sorted(path.glob("*.safetensors")) if path.is_dir() else [path]
    stored = {name: value for file in files for name, value in load_file(str(file)).items()}
    for name in sorted(name for name in stored if name.endswith(".part0")):
        base = name.removesuffix(".part0")
        stored[base] = torch.cat([stored.pop(name), stored.pop(base + ".part1")])
    out = {}
    for name, value in stored.items():
        base, end = name.rpartition(".")[::2]
        if end == "q8":
            out[base] = value.float() * stored[base + ".scale"].float()[:, None]
        elif end == "q4":
            table = torch.stack([(value & 15).to(torch.int8) - 8, (value >> 4).to(torch.int8) - 8], 2).view(len(value), -1, GROUP)
            out[base] = (table.float() * stored[base + ".scale"].float()[:, :, None]).view(len(value), -1)
        elif end != "scale":
            out[name] = value.float()
    return out


def write_checkpoint(encoder: Encoder, folder: Path, limit: int = 15_000_000) -> None:
    """f16 in files below 16 MiB each, so that they can be carried."""
    folder.mkdir(parents=True, exist_ok=True)
    pieces = []
    for name, value in encoder.weights().items():
        half = len(value) // 2
        pieces += [(name + ".part0", value[:half].half()), (name + ".part1", value[half:].half())] if name == EMBEDDINGS else [(name, value.half())]
    files, size = [{}], 0
    for name, value in pieces:
        if size + value.numel() * 2 > limit and files[-1]:
            files.append({})
            size = 0
        files[-1][name] = value.contiguous()
        size += value.numel() * 2
    for at, tensors in enumerate(files):
        save_file(tensors, str(folder / f"checkpoint.{at}.safetensors"))


def write_int8(encoder: Encoder, path: Path) -> int:
    """The file that the engine reads: int8 layers, int4 word table. Returns its size."""
    out = {}
    for name, value in encoder.weights().items():
        if name == EMBEDDINGS:
            groups = value.view(len(value), -1, GROUP)
            scale = (groups.abs().amax(2).clamp_min(1e-8) / 7).half()
            rounded = ((groups / scale.float()[..., None]).round().clamp(-7, 7) + 8).to(torch.uint8).view(len(value), -1)
            out[name + ".q4"], out[name + ".scale"] = (rounded[:, 0::2] | (rounded[:, 1::2] << 4)).contiguous(), scale
        elif value.dim() == 2 and name.startswith("encoder."):
            scale = value.abs().amax(1).clamp_min(1e-8) / 127
            out[name + ".q8"], out[name + ".scale"] = (value / scale[:, None]).round().clamp(-127, 127).to(torch.int8), scale
        else:
            out[name] = value.half() if value.dim() == 2 else value
    save_file(out, str(path))
    return path.stat().st_size


def int8_layers(encoder: Encoder) -> dict:
    """The layers as the engine reads them beside a word table that it has already: int8 by row, and no words."""
    out = {}
    for name, value in encoder.weights().items():
        if name == EMBEDDINGS:
            continue
        if value.dim() == 2 and name.startswith("encoder."):
            scale = value.abs().amax(1).clamp_min(1e-8) / 127
            out[name + ".q8"], out[name + ".scale"] = (value / scale[:, None]).round().clamp(-127, 127).to(torch.int8), scale
        else:
            out[name] = value.half() if value.dim() == 2 else value
    return out


def start_from(model: torch.nn.Module, states: list) -> None:
    """Goes on from the mean of saved states."""
    loaded = [torch.load(path, weights_only=True, map_location="cpu") for path in states]
    if loaded:
        model.load_state_dict({name: sum(state[name].float() for state in loaded) / len(loaded) for name in loaded[0]})


class Texts:
    """Texts to token ids, with the special tokens and cut at a length."""

    def __init__(self, tokenizer_file: Path):
        self.tokenizer = Tokenizer.from_file(str(tokenizer_file))
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()

    def ids(self, texts: list, longest: int = 256) -> list:
        encoded = self.tokenizer.encode_batch(texts, add_special_tokens=False)
        return [np.array([101] + entry.ids[: longest - 2] + [102], np.uint16) for entry in encoded]


@torch.no_grad()
def embed(encoder: Encoder, sequences: list, budget: int = 0) -> torch.Tensor:
    """One vector for every sequence. `budget`: tokens at a time."""
    device = encoder.words.device
    budget = budget or (8_000 if device.type == "cpu" else 300_000)
    order = sorted(range(len(sequences)), key=lambda at: len(sequences[at]))
    out, start = torch.empty(len(sequences), WIDTH, device=device), 0
    while start < len(order):
        end, tokens = start, 0
        while end < len(order) and (end == start or tokens + len(sequences[order[end]]) <= budget):
            tokens += len(sequences[order[end]])
            end += 1
        out[torch.tensor(order[start:end], device=device)] = encoder(Packed.of([sequences[at] for at in order[start:end]], device))
        start = end
    return out


def write_reference_vectors(encoder: Encoder, texts: list, tokenizer: Texts, path: Path) -> float:
    """Vectors that an engine compares itself with, computed in f32 on the CPU. Returns the least cosine between the two kinds."""
    plain = Encoder(encoder.weights(), None).quantized()
    ids = tokenizer.ids(texts)
    plain.activations_int8 = False
    exact = embed(plain, ids)
    plain.activations_int8 = True
    rounded = embed(plain, ids)
    digits = lambda rows: [[round(value, 7) for value in row] for row in rows.tolist()]
    note = "weights dequantised; f32: activations float32; w8a8: linear inputs rounded to int8 per token"
    path.write_text(json.dumps({"note": note, "quant": "waE", "texts": texts, "ids": [row.tolist() for row in ids], "f32": digits(exact), "w8a8": digits(rounded)}))
    return float((exact * rounded).sum(1).min())


def cosine_schedule(fraction: float) -> float:
    return 0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * min(1.0, fraction)))
