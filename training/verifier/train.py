#!/usr/bin/env python3
"""Trains the verifier: a sentence and a passage in, whether the passage bears the sentence out.

    train.py --base MODEL --table ENCODER_FILE --tokenizer FILE --passages FILE --written FILE... --tests FILE --out DIR --seconds 200 --tune 60

First on sentences that `edits.py` makes of the passages' own, endlessly; then on sentences that people wrote about passages, with some of
the first kind among them. The word table is the encoder's, as it lies in the program, and is not trained.
"""

import argparse
import bz2
import json
import multiprocessing
import random
import sys
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from safetensors.torch import save_file

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent)]
import edits
from model import EMBEDDINGS, WIDTH, Encoder, Packed, best_attention, int8_layers, padded_attention, read_weights, start_from
from tokenizers import Tokenizer

LONGEST = 256
MOST_SENTENCE = 80


def tokenizer(path):
    made = Tokenizer.from_file(str(path))
    made.no_padding()
    made.no_truncation()
    return made


def pair_ids(words: Tokenizer, pieces: list, passage_ids: list) -> tuple:
    """Ids, the number of the sentence's tokens, and a mark for each of those: `pieces` are words with their marks."""
    ids, marks = [101], [False]
    for encoded, (_, mark) in zip(words.encode_batch([word for word, _ in pieces], add_special_tokens=False), pieces):
        ids += encoded.ids
        marks += [mark] * len(encoded.ids)
    ids, marks = ids[:MOST_SENTENCE] + [102], marks[:MOST_SENTENCE] + [False]
    sentence = len(ids)
    ids = ids + passage_ids[: LONGEST - 1 - sentence] + [102]
    return np.array(ids, np.int32), sentence, np.array(marks, np.float32)


def read_lines(path) -> list:
    opened = bz2.open(path, "rt", encoding="utf8") if str(path).endswith(".bz2") else open(path, encoding="utf8")
    with opened as lines:
        return [json.loads(line) for line in lines]


def around(text: str, sentence: str, rng) -> str:
    """Part of a passage that has the sentence: a shorter context half of the time."""
    at = text.find(sentence[:30])
    if at < 0 or rng.random() < 0.4:
        return text[:1000] if at < 700 else text[at - 300 : at + 700]
    start = max(0, at - rng.randint(0, 400))
    return text[start : at + len(sentence) + rng.randint(0, 400)]


def produce(path, words_path, seed, size, queue):
    rng, words, rows = random.Random(seed), tokenizer(words_path), read_lines(path)
    rng.shuffle(rows)
    while True:
        batch = []
        while len(batch) < size:
            row = rng.choice(rows)
            sentence = rng.choice(row["s"])
            stray = rng.choice(rng.choice(rows)["s"])
            passage = row["p"] if row["k"] == "code" else around(row["p"], sentence, rng)
            if rng.random() < 0.35 and len(row["s"]) > 2:
                # A neighbor that the passage no longer has.
                gone = rng.choice(row["s"])
                if gone != sentence and gone in passage:
                    passage, stray = passage.replace(gone, ""), gone
            draft = edits.make(sentence, passage, stray, rng)
            if draft:
                ids = words.encode(passage, add_special_tokens=False).ids
                batch.append((*pair_ids(words, draft.pieces(), ids), draft.label, 0.0 if row["k"] == "code" else 1.0))
        queue.put(batch)


class Verifier(torch.nn.Module):
    """Logits for entailed, contradicted and not there; and one for each token of the sentence, whether it makes it wrong."""

    def __init__(self, weights: dict, layers):
        super().__init__()
        self.dropout = 0.0
        self.trunk = Encoder(weights, layers)
        self.trunk.words.requires_grad_(False)
        self.token = torch.nn.Linear(WIDTH, 1)
        self.head = torch.nn.Linear(2 * WIDTH + 1, 3)
        torch.nn.init.normal_(self.head.weight, std=0.02)
        torch.nn.init.normal_(self.token.weight, std=0.02)

    def forward(self, sequences, lengths, device):
        packed = Packed.of(sequences, device)
        lengths = torch.tensor(lengths, device=device)
        inside = packed.positions < lengths[packed.owner]
        x = self.trunk.hidden(packed, (~inside).long(), self.dropout if self.training else 0.0)
        own = packed.owner[inside]
        y = x[inside]
        count = len(sequences)
        first = x[packed.starts[:-1].long()]
        mean = torch.zeros(count, WIDTH, device=device).index_add(0, own, y) / lengths[:, None]
        token = self.token(y)[:, 0]
        worst = torch.full((count,), -1e9, device=device).scatter_reduce(0, own, token, "amax")
        return self.head(torch.cat([first, mean, worst[:, None]], 1)), token, own


def load_written(path, words) -> list:
    out = []
    for row in read_lines(path):
        ids = words.encode(row["text"], add_special_tokens=False).ids
        for entry in row["rows"]:
            label = 0 if entry["y"] else (1 if entry.get("c", 1) else 2)
            sequence, sentence, marks = pair_ids(words, [(word, False) for word in entry["s"].split()], ids)
            out.append((sequence, sentence, marks, label, entry.get("k", "?"), row["id"], len(ids)))
    return out


def vary(entry, others, words, rng, share: float):
    """The same pair in another form: with harmless edits, with more text around the passage, or with a passage of another subject."""
    sentence, passage, label = entry["s"], entry["text"], entry["label"]
    if rng.random() < 0.06:
        passage, label = rng.choice(others)["text"], 2
    elif rng.random() < share / 2:
        more = rng.choice(others)["text"][: rng.randint(60, 400)]
        passage = f"{more}\n\n{passage}" if rng.random() < 0.4 else f"{passage}\n\n{more}"
    draft = edits.Draft(sentence)
    if rng.random() < share:
        edits.soften_lightly(draft, passage, rng)
    sequence, length, marks = pair_ids(words, [(word, False) for word in draft.words], words.encode(passage, add_special_tokens=False).ids)
    if rng.random() < share:
        hidden = np.array([rng.random() < 0.08 for _ in range(len(sequence) - length)])
        tail = sequence[length:]
        tail[hidden & (tail != 102)] = 103
    return sequence, length, marks, label


def vary_batches(paths, words_path, seed, size, share, queue):
    """Epoch after epoch over the written pairs, each time in another form."""
    rng, words = random.Random(seed), tokenizer(words_path)
    rows = [row for path in paths for row in read_lines(path)]
    pairs = [{"s": entry["s"], "text": row["text"], "label": 0 if entry["y"] else (1 if entry.get("c", 1) else 2)} for row in rows for entry in row["rows"]]
    while True:
        rng.shuffle(pairs)
        for start in range(0, len(pairs) - size + 1, size):
            queue.put([vary(entry, pairs, words, rng, share) for entry in pairs[start : start + size]])


def step(model, batch, device, written: bool):
    logits, token, own = model([entry[0] for entry in batch], [entry[1] for entry in batch], device)
    labels = torch.tensor([entry[3] for entry in batch], device=device)
    # What matters most is entailed or not; which of the two others, less.
    spread = F.log_softmax(logits, 1)
    wrong = torch.logsumexp(spread[:, 1:], 1)
    entailed = labels == 0
    loss = -torch.where(entailed, spread[:, 0], wrong).mean() + 0.3 * F.cross_entropy(logits, labels, label_smoothing=0.05)
    if not written:
        marks = torch.from_numpy(np.concatenate([entry[2] for entry in batch])).to(device)
        counts = torch.tensor([entry[4] for entry in batch], device=device)[own]
        loss = loss + 2.0 * (F.binary_cross_entropy_with_logits(token, marks, reduction="none", pos_weight=torch.tensor(4.0, device=device)) * counts).mean()
    return loss, logits, labels


@torch.no_grad()
def scores(model, rows, device) -> np.ndarray:
    model.eval()
    out = []
    for start in range(0, len(rows), 256):
        batch = rows[start : start + 256]
        logits, _, _ = model([entry[0] for entry in batch], [entry[1] for entry in batch], device)
        out.append(torch.softmax(logits, 1).cpu().numpy())
    model.train()
    return np.concatenate(out)


def report(name, rows, probability) -> float:
    right = np.array([entry[3] == 0 for entry in rows])
    p = probability[:, 0]
    order = np.argsort(p)
    ranks = np.empty(len(p))
    ranks[order] = np.arange(len(p))
    auc = (ranks[right].mean() - (right.sum() - 1) / 2) / max(1, (~right).sum())
    line = f"  {name:10} n {len(rows)} AUC {auc:.3f} accuracy {((p > 0.5) == right).mean():.3f}"
    for keep in (0.9, 0.8, 0.7):
        cut = np.quantile(p[right], 1 - keep)
        line += f" | right {keep:.0%}: wrong {(p[~right] >= cut).mean():.3f} (p {cut:.2f})"
    print(line, flush=True)
    return auc


def export(model, path) -> None:
    """The file that the engine reads."""
    out = int8_layers(model.trunk)
    for name, part in (("head", model.head), ("token", model.token)):
        out[f"verifier.{name}.weight"] = part.weight.detach().float().cpu().contiguous()
        out[f"verifier.{name}.bias"] = part.bias.detach().float().cpu().contiguous()
    save_file(out, str(path))


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--table", type=Path)
    parser.add_argument("--tokenizer", type=Path, required=True)
    parser.add_argument("--passages", type=Path, required=True)
    parser.add_argument("--written", type=Path, nargs="*", default=[])
    parser.add_argument("--tests", type=Path, nargs="*", default=[])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--layers", type=lambda text: [int(at) for at in text.split(",")])
    parser.add_argument("--seconds", type=float, default=200)
    parser.add_argument("--tune", type=float, default=60)
    parser.add_argument("--batch", type=int, default=1024)
    parser.add_argument("--rate", type=float, default=3e-4)
    parser.add_argument("--tune-rate", type=float, default=1e-4)
    parser.add_argument("--tune-batch", type=int, default=256)
    parser.add_argument("--epochs", type=float, default=6, help="over the written sentences; 0 only measures and exports")
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--vary", type=float, default=0.4)
    parser.add_argument("--mix", type=float, default=0.3)
    parser.add_argument("--round-from", type=float, default=0.6)
    parser.add_argument("--workers", type=int, default=14)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--start", type=Path, nargs="*", default=[], help="states to go on from; of several the mean")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    random.seed(options.seed)
    torch.manual_seed(options.seed)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    weights = read_weights(options.base)
    if options.table:
        weights[EMBEDDINGS] = read_weights(options.table)[EMBEDDINGS]
    model = Verifier(weights, options.layers)
    start_from(model, options.start)
    model.to(device)
    best_attention(model.trunk, device)
    words = tokenizer(options.tokenizer)
    tests = [(path.stem, load_written(path, words)) for path in options.tests]
    written = [entry for path in options.written for entry in load_written(path, words)]
    print(len(written), "written;", [(name, len(rows)) for name, rows in tests], "on", device, model.trunk.attention.__name__, "layers", len(model.trunk.layers), flush=True)

    queue = multiprocessing.Queue(maxsize=2 * options.workers)
    workers = options.workers if options.seconds > 0 or options.epochs > 0 else 0
    makers = [multiprocessing.Process(target=produce, args=(options.passages, options.tokenizer, 100 + at, options.batch, queue), daemon=True) for at in range(workers)]
    [maker.start() for maker in makers]
    parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]

    def train(seconds, rate, source, what, rounding):
        optimizer = torch.optim.AdamW(parameters, lr=rate, betas=(0.9, 0.98), weight_decay=0.01, fused=device.type == "cuda")
        began, steps, total, right, seen, shown = time.time(), 0, 0.0, 0, 0, time.time()
        while (fraction := source.fraction(began, seconds)) < 1:
            for group in optimizer.param_groups:
                group["lr"] = rate * min(1, (steps + 1) / 50) * (1 - 0.95 * fraction)
            model.trunk.weights_int8 = model.trunk.activations_int8 = fraction >= rounding
            batch, is_written = source.next()
            optimizer.zero_grad(set_to_none=True)
            loss, logits, labels = step(model, batch, device, is_written)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(parameters, 1.0)
            optimizer.step()
            steps, total, seen = steps + 1, total + float(loss.detach()), seen + len(batch)
            right += int(((logits.argmax(1) == 0) == (labels == 0)).sum())
            if time.time() - shown > 20:
                print(f"{what} step {steps} {fraction:.2f} loss {total / steps:.3f} accuracy {right / seen:.3f} {seen / (time.time() - began):.0f}/s", flush=True)
                shown, total, right, seen, steps, began_seen = time.time(), total, right, seen, steps, None
        for name, rows in tests:
            report(name, rows, scores(model, rows, device))

    class Made:
        def fraction(self, began, seconds):
            return (time.time() - began) / seconds

        def next(self):
            return queue.get(), False

    varied = multiprocessing.Queue(maxsize=64)
    if written and options.epochs > 0:
        makers += [multiprocessing.Process(target=vary_batches, args=(options.written, options.tokenizer, 500 + at, options.tune_batch, options.vary, varied), daemon=True) for at in range(4)]
        [maker.start() for maker in makers[-4:]]

    class Written:
        """Epochs over the written rows, with made ones in between."""

        def __init__(self):
            self.done, self.rng = 0, random.Random(options.seed)

        def fraction(self, _began, _seconds):
            return self.done / (options.epochs * len(written))

        def next(self):
            if self.rng.random() < options.mix:
                return queue.get()[: options.tune_batch], False
            self.done += options.tune_batch
            return varied.get(), True

    if options.seconds > 0:
        model.dropout = 0.0
        train(options.seconds, options.rate, Made(), "made", 2.0 if written else options.round_from)
        torch.save(model.state_dict(), options.out / "made.pt")
    if written and options.epochs > 0:
        model.dropout = options.dropout
        train(0, options.tune_rate, Written(), "written", options.round_from)
    model.trunk.weights_int8 = model.trunk.activations_int8 = True
    print("int8:")
    for name, rows in tests:
        probability = scores(model, rows, device)
        report(name, rows, probability)
        np.save(options.out / f"{name}.npy", probability)
    torch.save(model.state_dict(), options.out / "final.pt")
    export(model, options.out / "verifier.int8.safetensors")
    if tests:
        model.to("cpu")
        model.trunk.dtype, model.trunk.attention = torch.float32, padded_attention
        texts = [(entry["s"], row["text"]) for row in read_lines(options.tests[0]) for entry in row["rows"]]
        chosen = [at for at in range(0, len(texts), 16) if len(tests[0][1][at][0]) < LONGEST][:24]
        shares = scores(model, [tests[0][1][at] for at in chosen], torch.device("cpu"))
        reference = [{"sentence": texts[at][0], "passage": texts[at][1], "shares": [round(float(share), 5) for share in row]} for at, row in zip(chosen, shares)]
        (options.out / "reference_readings.json").write_text(json.dumps(reference, ensure_ascii=False, indent=1))
    [maker.terminate() for maker in makers]
    return 0


if __name__ == "__main__":
    sys.exit(main())
