#!/usr/bin/env python3
"""Measures an encoder on the evaluation sets: bare vectors, cosine, the best passage counts for its note or function.

    evaluate.py SETS MODEL --tokenizer FILE [--int8] [--against MODEL [--against-int8]] [--only NAME...]

MODEL is a safetensors file (plain or int8) or a folder with a checkpoint. `--int8` rounds the activations as the engine does.
`--against` adds the difference to a second model with a 95 % interval (paired bootstrap, 2,000 draws, seed 0).
"""

import argparse
import gzip
import json
import math
import random
import sys
from pathlib import Path

import torch

from model import Encoder, Texts, best_attention, embed, read_weights


def scores_of(encoder, tokenizer, data: dict) -> dict:
    """For every query: reciprocal rank, nDCG at 10 and recall at 10."""
    passages = embed(encoder, tokenizer.ids(data["passages"], 256))
    queries = embed(encoder, tokenizer.ids(data["queries"], 128))
    owner = torch.tensor(data["owner"], device=passages.device)
    best = torch.full((len(queries), data["units"]), -1.0, device=passages.device)
    best.scatter_reduce_(1, owner.expand(len(queries), -1), queries @ passages.T, "amax")
    top = best.topk(min(100, data["units"]), 1).indices.tolist()
    out = {"mrr": [], "ndcg": [], "recall": []}
    for ranked, right in zip(top, data["answers"]):
        right = set(right)
        out["mrr"].append(next((1 / (at + 1) for at, unit in enumerate(ranked) if unit in right), 0.0))
        ideal = sum(1 / math.log2(at + 2) for at in range(min(10, len(right))))
        out["ndcg"].append(sum(1 / math.log2(at + 2) for at, unit in enumerate(ranked[:10]) if unit in right) / ideal)
        out["recall"].append(sum(unit in right for unit in ranked[:10]) / len(right))
    return out


def read_sets(path: Path, only: list | None = None) -> dict:
    with gzip.open(path, "rt", encoding="utf8") as file:
        sets = json.load(file)
    return {name: data for name, data in sets.items() if not only or name in only}


def mean(values: list) -> float:
    return sum(values) / len(values)


def run(encoder, tokenizer, path: Path, only: list | None = None) -> dict:
    return {name: {key: round(mean(values), 4) for key, values in scores_of(encoder, tokenizer, data).items()} for name, data in read_sets(path, only).items()}


def show(title: str, results: dict) -> None:
    print(f"{title} (MRR / nDCG@10 / recall@10)")
    for name, values in results.items():
        print(f"  {name:24} {values['mrr']:.4f} / {values['ndcg']:.4f} / {values['recall']:.3f}", flush=True)


def interval(differences: list) -> tuple:
    rnd = random.Random(0)
    means = sorted(mean(rnd.choices(differences, k=len(differences))) for _ in range(2000))
    return means[49], means[1949]


def load(path: Path, int8: bool) -> Encoder:
    encoder = best_attention(Encoder(read_weights(path)), torch.device("cuda" if torch.cuda.is_available() else "cpu"))
    encoder.dtype = torch.float16 if torch.cuda.is_available() else torch.float32
    encoder.activations_int8 = int8
    return encoder


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", type=Path)
    parser.add_argument("model", type=Path)
    parser.add_argument("--int8", action="store_true")
    parser.add_argument("--against", type=Path)
    parser.add_argument("--against-int8", action="store_true")
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--tokenizer", type=Path, required=True, help="tokenizer.json of the base model")
    options = parser.parse_args()
    tokenizer = Texts(options.tokenizer)
    encoder = load(options.model, options.int8)
    other = load(options.against, options.against_int8) if options.against else None
    for name, data in read_sets(options.sets, options.only).items():
        ours = scores_of(encoder, tokenizer, data)
        line = f"{name:24} queries {len(data['queries']):4}  MRR {mean(ours['mrr']):.4f}  nDCG@10 {mean(ours['ndcg']):.4f}  recall@10 {mean(ours['recall']):.3f}"
        if other:
            theirs = scores_of(other, tokenizer, data)
            low, high = interval([a - b for a, b in zip(ours["mrr"], theirs["mrr"])])
            line += f"  against MRR {mean(theirs['mrr']):.4f}  difference {mean(ours['mrr']) - mean(theirs['mrr']):+.4f} [{low:+.3f}, {high:+.3f}]"
        print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
