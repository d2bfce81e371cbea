#!/usr/bin/env python3
"""all-mpnet-base-v2 (Apache-2.0) as a teacher: packs its weights for the way to the GPU machine, and its layers in plain PyTorch.

    mpnet.py pack MODEL.safetensors OUT_FOLDER    int8 by row, in two files
    mpnet.py join FOLDER                          checks that both files are there, and counts what they hold

Its word pieces are BERT's with four others before them, so texts that were tokenized for the small models are only renumbered.
"""

import math
import sys
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from safetensors.torch import load_file, save_file

WIDTH, HEADS, LAYERS = 768, 12, 12
# What BERT calls them, and where they are here: padding, unknown, begin, end, hidden.
SPECIAL = {0: 1, 100: 3, 101: 0, 102: 2, 103: 30526}
SHIFT = 4
FIRST_POSITION = 2
PARTS = ("attention.attn.q", "attention.attn.k", "attention.attn.v", "attention.attn.o", "attention.LayerNorm", "intermediate.dense", "output.dense", "output.LayerNorm")


def pack(source: Path, out: Path) -> None:
    stored = {name: value.float() for name, value in load_file(str(source)).items() if "pooler" not in name and "position_ids" not in name}
    files, sizes = [{}, {}], [0, 0]
    for name, value in sorted(stored.items(), key=lambda item: -item[1].numel()):
        at = sizes.index(min(sizes))
        sizes[at] += value.numel()
        if value.dim() == 2 and value.shape[1] == WIDTH or value.dim() == 2 and value.shape[1] == 4 * WIDTH:
            scale = value.abs().amax(1).clamp_min(1e-8) / 127
            files[at][name + ".q8"], files[at][name + ".scale"] = (value / scale[:, None]).round().clamp(-127, 127).to(torch.int8), scale
        else:
            files[at][name] = value.contiguous()
    out.mkdir(parents=True, exist_ok=True)
    for at, tensors in enumerate(files):
        save_file(tensors, str(out / f"mpnet.{at}.safetensors"))


def read(folder: Path) -> dict:
    stored = {name: value for at in range(2) for name, value in load_file(str(folder / f"mpnet.{at}.safetensors")).items()}
    out = {name: value.float() for name, value in stored.items() if not name.endswith((".q8", ".scale"))}
    for name in (name.removesuffix(".q8") for name in stored if name.endswith(".q8")):
        out[name] = stored[name + ".q8"].float() * stored[name + ".scale"].float()[:, None]
    return out


def renumber(ids: torch.Tensor) -> torch.Tensor:
    out = ids.long() + SHIFT
    for theirs, ours in SPECIAL.items():
        out[ids == theirs] = ours
    return out


def distance_buckets(length: int, device) -> torch.Tensor:
    """As T5 counts distances: 16 numbers for each direction, the farther the coarser."""
    places = torch.arange(length, device=device)
    away = places[:, None] - places[None, :]
    side = (away < 0).long() * 16
    away = away.abs()
    far = 8 + (torch.log(away.float().clamp_min(1) / 8) / math.log(128 / 8) * 8).long()
    return side + torch.where(away < 8, away, far.clamp_max(15))


class Mpnet(torch.nn.Module):
    """Rows for all tokens of packed sequences, as the small encoder's `hidden` gives them."""

    def __init__(self, weights: dict):
        super().__init__()
        name = lambda layer, part, end: f"encoder.layer.{layer}.{part}.{end}"
        self.own = torch.nn.ParameterDict()
        keep = lambda key: self.own.__setitem__(key.replace(".", "_"), torch.nn.Parameter(weights[key].clone()))
        for key in ("embeddings.word_embeddings.weight", "embeddings.position_embeddings.weight", "embeddings.LayerNorm.weight", "embeddings.LayerNorm.bias", "encoder.relative_attention_bias.weight"):
            keep(key)
        for layer in range(LAYERS):
            for part in PARTS:
                for end in ("weight", "bias"):
                    keep(name(layer, part, end))
        self.own["embeddings_word_embeddings_weight"].requires_grad_(False)
        self.dtype = torch.float32

    def of(self, layer: int, part: str, end: str):
        return self.own[f"encoder.layer.{layer}.{part}.{end}".replace(".", "_")]

    def linear(self, x, layer, part):
        return F.linear(x, self.of(layer, part, "weight").to(self.dtype), self.of(layer, part, "bias").to(self.dtype))

    def norm(self, x, layer, part):
        return F.layer_norm(x, (WIDTH,), self.of(layer, part, "weight").to(self.dtype), self.of(layer, part, "bias").to(self.dtype), 1e-5)

    def hidden(self, packed, dropout: float = 0.0):
        own, drop = self.own, lambda value: F.dropout(value, dropout, dropout > 0)
        count, longest = packed.starts.numel() - 1, packed.longest
        x = F.embedding(renumber(packed.ids), own["embeddings_word_embeddings_weight"]) + F.embedding(packed.positions + FIRST_POSITION, own["embeddings_position_embeddings_weight"])
        x = drop(F.layer_norm(x, (WIDTH,), own["embeddings_LayerNorm_weight"], own["embeddings_LayerNorm_bias"], 1e-5)).to(self.dtype)
        padded = x.new_zeros(count, longest, WIDTH)
        padded[packed.owner, packed.positions] = x
        there = torch.zeros(count, longest, dtype=torch.bool, device=x.device)
        there[packed.owner, packed.positions] = True
        bias = F.embedding(distance_buckets(longest, x.device), own["encoder_relative_attention_bias_weight"]).permute(2, 0, 1)[None]
        bias = (bias + torch.where(there, 0.0, -1e4)[:, None, None, :]).to(self.dtype)
        x, split = padded, lambda value: value.view(count, longest, HEADS, WIDTH // HEADS).transpose(1, 2)
        for layer in range(LAYERS):
            query, key, value = (split(self.linear(x, layer, f"attention.attn.{part}")) for part in "qkv")
            mixed = F.scaled_dot_product_attention(query, key, value, attn_mask=bias).transpose(1, 2).reshape(count, longest, WIDTH)
            x = self.norm(x + drop(self.linear(mixed, layer, "attention.attn.o")), layer, "attention.LayerNorm")
            up = F.gelu(self.linear(x, layer, "intermediate.dense"))
            x = self.norm(x + drop(self.linear(up, layer, "output.dense")), layer, "output.LayerNorm")
        return x[packed.owner, packed.positions].float()


class Teacher(torch.nn.Module):
    """A logit for each piece of a window, as the reader gives it, and three for a sentence with a passage, as the verifier does."""

    def __init__(self, weights: dict):
        super().__init__()
        self.trunk, self.dropout = Mpnet(weights), 0.0
        self.piece, self.sentence = torch.nn.Linear(2 * WIDTH, 1), torch.nn.Linear(2 * WIDTH, 3)
        for head in (self.piece, self.sentence):
            torch.nn.init.normal_(head.weight, std=0.01)
            torch.nn.init.zeros_(head.bias)

    def rows(self, sequences, device):
        from model import Packed

        packed = Packed.of(sequences, device)
        return packed, self.trunk.hidden(packed, self.dropout if self.training else 0.0)

    def forward(self, batch, device):
        """The logits of all pieces of a batch of windows."""
        tensor = lambda values, kind=torch.long: torch.as_tensor(np.asarray(values), dtype=kind).to(device)
        packed, x = self.rows(batch.ids, device)
        counts = tensor(batch.counts, torch.float32)
        mean = torch.zeros(len(counts), WIDTH, device=device).index_add(0, tensor(batch.pieces), x[tensor(batch.rows)]) / counts[:, None]
        return self.piece(torch.cat([x[packed.starts[:-1].long()][tensor(batch.owners)], mean], 1))[:, 0]

    def judge(self, sequences, lengths, device):
        """Entailed, contradicted or not there, for each sentence with its passage."""
        packed, x = self.rows(sequences, device)
        lengths = torch.tensor(lengths, device=device)
        inside = packed.positions < lengths[packed.owner]
        mean = torch.zeros(len(sequences), WIDTH, device=device).index_add(0, packed.owner[inside], x[inside]) / lengths[:, None]
        return self.sentence(torch.cat([x[packed.starts[:-1].long()], mean], 1))


def main() -> int:
    if sys.argv[1] == "pack":
        pack(Path(sys.argv[2]), Path(sys.argv[3]))
    weights = read(Path(sys.argv[-1]))
    print(len(weights), "tensors,", sum(value.numel() for value in weights.values()), "numbers")
    return 0


if __name__ == "__main__":
    sys.exit(main())
