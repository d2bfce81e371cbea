#!/usr/bin/env python3
"""Trains the encoder: first a six-layer teacher, then the three-layer student that ships.

    train.py teacher --base MODEL --tokenizer FILE --records FILE --out DIR --seconds 200
    train.py student --base OUT/teacher --tokenizer FILE --records FILE --out DIR --seconds 330

The teacher is the base model tuned on the pairs and tied to the base model's own vectors. The student starts from layers 1, 3 and 6
of the teacher, is tied to the teacher's vectors, and rounds weights, activations and word table from 70 % of the time on.
`--start DIR` goes on from a checkpoint instead.
"""

import argparse
import bz2
import json
import random
import sys
import time
from pathlib import Path

import torch
import torch.nn.functional as F

import evaluate
import sampling
from model import Encoder, Packed, Texts, best_attention, cosine_schedule, read_weights, write_checkpoint, write_int8, write_reference_vectors

HERE = Path(__file__).parent
STUDENT_LAYERS = [0, 2, 5]
SCALE = 20.0  # inverse temperature of the contrastive loss
TIE = 5.0  # weight of the tie to the base model's vectors (teacher)
CHECK_EVERY = 50


def read_records(path: Path) -> list:
    opened = bz2.open(path, "rt", encoding="utf8") if path.suffix == ".bz2" else open(path, encoding="utf8")
    with opened as lines:
        return [json.loads(line) for line in lines]


def contrast(queries, passages, mask):
    """In-batch negatives, both ways. `mask`: pairs that must not count as negatives."""
    scores = (queries @ passages.T * SCALE).masked_fill(mask, -1e4)
    right = torch.arange(len(queries), device=queries.device)
    return (F.cross_entropy(scores, right) + F.cross_entropy(scores.T, right)) / 2


def same_answer(texts: list, identity, vectors):
    """Where a passage also answers another query of the batch: same query, same note, or nearly the same text."""
    numbers = {}
    asked = torch.tensor([numbers.setdefault(text.lower(), len(numbers)) for text in texts], device=vectors.device)
    owner = torch.from_numpy(identity).to(vectors.device)
    mask = (asked[:, None] == asked[None, :]) | (owner[:, None] == owner[None, :]) | (vectors @ vectors.T > 0.97)
    return mask.fill_diagonal_(False)


def loss_of(stage: str, encoder, guide, batch, device):
    """`guide`: the base model for the teacher, the teacher for the student."""
    _, texts, query_ids, passage_ids, identity = batch
    query_pack, passage_pack = Packed.of(query_ids, device), Packed.of(passage_ids, device)
    queries, passages = encoder(query_pack), encoder(passage_pack)
    with torch.no_grad():
        part = len(texts) if stage == "student" else max(1, len(texts) // 5)
        guide_queries, guide_passages = guide(query_pack), guide(passage_pack.first(part))
        mask = same_answer(texts, identity, guide_passages if stage == "student" else passages.detach())
    loss = contrast(queries, passages, mask)
    loss = loss + 0.2 * contrast(F.normalize(queries[:, :256], dim=1), F.normalize(passages[:, :256], dim=1), mask)
    tie = (1 - (queries * guide_queries).sum(1)).mean() + (1 - (passages[:part] * guide_passages).sum(1)).mean()
    if stage == "teacher":
        return loss + TIE * tie
    wanted = F.log_softmax(guide_queries @ guide_passages.T * SCALE, 1)
    spread = F.kl_div(F.log_softmax(queries @ passages.T * SCALE, 1), wanted, log_target=True, reduction="batchmean")
    return 0.3 * loss + 4.0 * tie + spread


def fit(options, encoder, guide, pairs, device) -> None:
    rate = options.rate or {"teacher": 5e-5, "student": 5e-4}[options.stage]
    parameters = list(encoder.parameters())
    optimizer = torch.optim.AdamW(parameters, lr=rate, betas=(0.9, 0.98), weight_decay=0.01, fused=device.type == "cuda")
    weights = {"note": 1.6, "py": 0.8, "ts": 1.3, "faq": 1.5, "abstract": 0.6, "claim": 0.6, "medical": 0.6}
    size, began, saved, seen, sums, step = options.batch, time.time(), time.time(), 0, {}, 0
    stream = pairs.stream(size, options.seed, weights, options.workers)
    while True:
        fraction = max(step / options.steps if options.steps else 0, (time.time() - began) / options.seconds)
        if fraction >= 1:
            break
        for group in optimizer.param_groups:
            group["lr"] = rate * min(1, (step + 1) / 40) * cosine_schedule(fraction)
        if options.stage == "student" and fraction >= 0.7:
            encoder.quantized()
        batch = next(stream)
        try:
            optimizer.zero_grad(set_to_none=True)
            loss = loss_of(options.stage, encoder, guide, (batch[0], *(part[:size] for part in batch[1:])), device)
            loss.backward()
        except torch.cuda.OutOfMemoryError:
            size = min(size, len(batch[1])) * 3 // 4
            print("out of memory, batches of", size, flush=True)
            loss = None
            torch.cuda.empty_cache()
            continue
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        step, seen = step + 1, seen + min(size, len(batch[1]))
        total = sums.setdefault(batch[0], [0.0, 0])
        total[0], total[1] = total[0] + loss.detach(), total[1] + 1
        if step % CHECK_EVERY == 1:
            means = " ".join(f"{name} {float(value) / count:.2f}" for name, (value, count) in sorted(sums.items()))
            print(f"{options.stage} step {step} {fraction:.2f} {time.time() - began:.0f} s, {seen / (time.time() - began):.0f} pairs/s: {means}", flush=True)
            sums = {}
        if time.time() - saved > 120:
            write_checkpoint(encoder, options.out / options.stage)
            saved = time.time()
    stream.close()
    encoder.quantized(False)
    print(f"{options.stage}: {step} steps, {seen} pairs, {time.time() - began:.0f} s", flush=True)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stage", choices=["teacher", "student"])
    parser.add_argument("--base", type=Path, required=True, help="file or folder with the weights to start from: the base model, or the teacher's checkpoint")
    parser.add_argument("--start", type=Path, help="checkpoint of this stage to go on from")
    parser.add_argument("--records", type=Path, required=True)
    parser.add_argument("--sets", type=Path, help="evaluation sets (sets.py)")
    parser.add_argument("--tokenizer", type=Path, required=True, help="tokenizer.json of the base model")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--steps", type=int, default=0)
    parser.add_argument("--batch", type=int, default=4096)
    parser.add_argument("--longest", type=int, default=192, help="tokens of a passage in training")
    parser.add_argument("--rate", type=float, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=12)
    return parser.parse_args()


def finish(options, encoder, tokenizer, device) -> None:
    write_checkpoint(encoder, options.out / options.stage)
    if options.stage == "student":
        size = write_int8(encoder, options.out / "model.int8.safetensors")
        texts = json.loads((HERE / "reference_texts.json").read_text())
        least = write_reference_vectors(encoder, texts, tokenizer, options.out / "reference_vectors.json")
        print(f"int8 file {size} bytes, least cosine of int8 to float activations {least:.5f}", flush=True)
    if options.sets:
        if device.type == "cuda":
            encoder.dtype = torch.float16
        results = {"float": evaluate.run(encoder, tokenizer, options.sets)}
        evaluate.show(f"{options.stage}, float", results["float"])
        if options.stage == "student":
            results["w8a8"] = evaluate.run(encoder.quantized(), tokenizer, options.sets)
            evaluate.show(f"{options.stage}, w8a8", results["w8a8"])
        (options.out / f"{options.stage}_evaluation.json").write_text(json.dumps(results, indent=1))


def main() -> int:
    options = parse()
    options.out.mkdir(parents=True, exist_ok=True)
    random.seed(options.seed)
    torch.manual_seed(options.seed)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    tokenizer = Texts(options.tokenizer)
    began = time.time()
    pairs = sampling.Pairs(read_records(options.records), tokenizer, options.longest)
    print(len(pairs.records), "records", {name: len(members) for name, members in sorted(pairs.strata.items())}, f"{time.time() - began:.0f} s", flush=True)
    guide = best_attention(Encoder(read_weights(options.base)), device)
    guide.requires_grad_(False)
    layers = STUDENT_LAYERS if options.stage == "student" and not options.start else None
    encoder = best_attention(Encoder(read_weights(options.start or options.base), layers), device)
    print("device", device, "attention", encoder.attention.__name__, encoder.dtype, flush=True)
    fit(options, encoder, guide, pairs, device)
    finish(options, encoder, tokenizer, device)
    return 0


if __name__ == "__main__":
    sys.exit(main())
