#!/usr/bin/env python3
"""Trains the verifier further, from the one that ships: on written sentences with their own and the teachers' labels, on sampled ones with the
teachers' alone, and on a few made ones.

    verifier_student.py --model FOLDER --tokenizer FILE --written FILE --pool FILE --labels FILE... --sampled FILE... --seconds S --seed N --out DIR
    verifier_student.py --model FOLDER --tokenizer FILE --written FILE --mean STATE... --out DIR

The second form measures the shipped verifier, each student and the mean of their weights on all parts, and exports the mean.
--model has the shipped verifier.int8.safetensors and the encoder's model.int8.safetensors, whose word table it uses and leaves as it is.
"""

import argparse
import importlib.util
import json
import multiprocessing
import random
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "verifier"), str(HERE.parent)]
import edits
from model import EMBEDDINGS, best_attention, padded_attention, read_weights
from verifier_teacher import LOCKED, read_lines, report

# There is a train.py for each model: this one is the verifier's.
spec = importlib.util.spec_from_file_location("verifier_train", HERE.parent / "verifier" / "train.py")
V = importlib.util.module_from_spec(spec)
spec.loader.exec_module(V)

HARD = 0.6  # the share of the written label in a written sentence's target
MADE = 0.12  # the share of steps on made sentences
DROPOUT, ROUND_FROM = 0.1, 0.6


def shipped(folder):
    """The shipped verifier with its heads, over the encoder's word table."""
    weights = read_weights(folder / "verifier.int8.safetensors")
    weights[EMBEDDINGS] = read_weights(folder / "model.int8.safetensors")[EMBEDDINGS]
    model = V.Verifier(weights, None)
    with torch.no_grad():
        for name, part in (("head", model.head), ("token", model.token)):
            part.weight.copy_(weights[f"verifier.{name}.weight"])
            part.bias.copy_(weights[f"verifier.{name}.bias"])
    return model


class Passages:
    """Token ids of passages, kept."""

    def __init__(self, words):
        self.words, self.kept = words, {}

    def __call__(self, text, keep):
        if not keep:
            return self.words.encode(text[:2400], add_special_tokens=False).ids
        if text not in self.kept:
            self.kept[text] = np.array(self.words.encode(text[:2400], add_special_tokens=False).ids[: V.LONGEST], np.int32)
        return list(self.kept[text])


def vary(sentence, passage, target, others, words, passages, rng, share):
    """As in the verifier's train.py, with the target as three shares."""
    whole = True
    if rng.random() < 0.05:
        passage, target = others[rng.randrange(len(others))], (0.01, 0.04, 0.95)
    elif rng.random() < share / 2:
        more = others[rng.randrange(len(others))][: rng.randint(60, 400)]
        passage, whole = (f"{more}\n\n{passage}" if rng.random() < 0.4 else f"{passage}\n\n{more}"), False
    draft = edits.Draft(sentence)
    if rng.random() < share:
        edits.soften_lightly(draft, passage, rng)
    sequence, length, marks = V.pair_ids(words, [(word, False) for word in draft.words], passages(passage, whole))
    if rng.random() < share:
        hidden = np.array([rng.random() < 0.08 for _ in range(len(sequence) - length)])
        tail = sequence[length:]
        tail[hidden & (tail != 102)] = 103
    return sequence, length, marks, target


def produce(rows, texts, written_share, tokenizer, seed, size, share, queue):
    """Batches of written and sampled sentences. `rows` has both as lists of (sentence, number of its passage, target)."""
    rng, words = random.Random(seed), V.tokenizer(tokenizer)
    passages, orders = Passages(words), [[], []]

    def next_of(which):
        if not orders[which]:
            orders[which] = rng.sample(range(len(rows[which])), len(rows[which]))
        return rows[which][orders[which].pop()]

    while True:
        batch = []
        for _ in range(size):
            sentence, passage, target = next_of(0 if not rows[1] or rng.random() < written_share else 1)
            batch.append(vary(sentence, texts[passage], target, texts, words, passages, rng, share))
        queue.put(batch)


def produce_made(pool, tokenizer, seed, size, queue):
    """Batches of made sentences, as in the verifier's train.py, over the passages of the pool."""
    rng, words = random.Random(seed), V.tokenizer(tokenizer)
    while True:
        batch = []
        while len(batch) < size:
            row = rng.choice(pool)
            sentence, stray = rng.choice(row["s"]), rng.choice(rng.choice(pool)["s"])
            passage = row["p"] if row["k"] == "code" else V.around(row["p"], sentence, rng)
            if rng.random() < 0.35 and len(row["s"]) > 2:
                gone = rng.choice(row["s"])
                if gone != sentence and gone in passage:
                    passage, stray = passage.replace(gone, ""), gone
            draft = edits.make(sentence, passage, stray, rng)
            if draft:
                ids = words.encode(passage[:2400], add_special_tokens=False).ids
                batch.append((*V.pair_ids(words, draft.pieces(), ids), draft.label, 0.0 if row["k"] == "code" else 1.0))
        queue.put(batch)


def read_tests(path, words, toy):
    """The parts that are not trained on, as tokens and as texts; `test invented` is the part of `test` whose passages are invented."""
    tests, texts = {}, {}
    for row in read_lines(path):
        if row["part"] == "train":
            continue
        ids = words.encode(row["p"], add_special_tokens=False).ids
        for name in [row["part"]] + (["test invented"] if row["part"] == "test" and row["inv"] else []):
            for sentence, label, kind in row["rows"]:
                pair = V.pair_ids(words, [(word, False) for word in sentence.split()], ids)
                tests.setdefault(name, []).append((*pair, label, kind, "", len(ids)))
                texts.setdefault(name, []).append((sentence, row["p"]))
    most = 40 if toy else None
    return {name: rows[:most] for name, rows in tests.items()}, {name: rows[:most] for name, rows in texts.items()}


def measure(model, tests, device, name, parts):
    for part in parts:
        if part in tests:
            p = V.scores(model, tests[part], device)
            print(name + report(part, p[:, 0], np.array([entry[3] == 0 for entry in tests[part]])), flush=True)


def mean_labels(paths, name):
    """The mean of the teachers' probabilities for the sentences of a file, or None."""
    found = []
    for path in paths:
        with np.load(path) as data:
            if name in data:
                found.append(data[name])
    if not found:
        return None
    if len(found) > 1:
        print(f"{name}: correlation of the teachers {np.corrcoef(*[np.nan_to_num(own[:, 0], nan=0.5) for own in found[:2]])[0, 1]:.3f}", flush=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return np.nanmean(np.stack(found), 0)


def load_rows(options):
    """Written and sampled sentences with their targets, and passages by number."""
    texts, numbers = [], {}

    def place(passage):
        if passage not in numbers:
            numbers[passage] = len(texts)
            texts.append(passage)
        return numbers[passage]

    smooth, written, at = np.eye(3) * 0.94 + 0.02, [], 0
    soft = mean_labels(options.labels, options.written.name)
    has = lambda at: soft is not None and at < len(soft) and np.isfinite(soft[at, 0])
    for row in read_lines(options.written):
        if row["part"] == "train":
            for sentence, label, _ in row["rows"]:
                target = HARD * smooth[label] + (1 - HARD) * soft[at] if has(at) else smooth[label]
                written.append((sentence, place(row["p"]), tuple(map(float, target))))
                at += 1
    sampled, shown = [], []
    for path in options.sampled:
        soft, at = mean_labels(options.labels, path.name), 0
        for row in read_lines(path) if soft is not None else []:
            for sentence, label, kind in row["rows"]:
                if has(at):
                    sampled.append((sentence, place(row["p"]), tuple(map(float, soft[at]))))
                    if len(shown) < 4000:
                        shown.append({"kind": kind, "asked": "right" if label == 0 else "wrong", "teacher": [round(float(x), 3) for x in soft[at]], "sentence": sentence, "passage": row["p"]})
                at += 1
    random.Random(2).shuffle(shown)
    (options.out / "sampled.json").write_text(json.dumps(shown[:200], ensure_ascii=False, indent=1))
    for which in ("right", "wrong"):
        entailed = [row["teacher"][0] for row in shown if row["asked"] == which]
        if entailed:
            print(f"asked {which}: the teachers' mean share of entailed {np.mean(entailed):.3f} over {len(entailed)}", flush=True)
    return written, sampled, texts


def soft_loss(logits, targets):
    spread = F.log_softmax(logits, 1)
    wrong, entailed = torch.logsumexp(spread[:, 1:], 1), targets[:, 0]
    return -(entailed * spread[:, 0] + (1 - entailed) * wrong).mean() - 0.3 * (targets * spread).sum(1).mean()


def finish(model, folder):
    """The file that the engine reads, and the state from which the mean is made."""
    model.trunk.weights_int8 = model.trunk.activations_int8 = True
    V.export(model, folder / "verifier.int8.safetensors")
    torch.save({name: value.half() if value.dim() == 2 else value for name, value in model.state_dict().items() if name != "trunk.words"}, folder / "state.pt")


def write_reference(model, tests, texts, path):
    """Sentences with the shares that an engine compares itself with, computed in f32 on the CPU."""
    model.to("cpu")
    model.trunk.dtype, model.trunk.attention = torch.float32, padded_attention
    chosen = [at for at in range(0, len(texts["test"]), 16) if len(tests["test"][at][0]) < V.LONGEST][:24]
    shares = V.scores(model, [tests["test"][at] for at in chosen], torch.device("cpu"))
    made = [{"sentence": texts["test"][at][0], "passage": texts["test"][at][1], "shares": [round(float(x), 5) for x in row]} for at, row in zip(chosen, shares)]
    path.write_text(json.dumps(made, ensure_ascii=False, indent=1))


def mean_of_students(model, options, tests, texts, device):
    model.trunk.weights_int8 = model.trunk.activations_int8 = True
    measure(model, tests, device, "shipped", tests)
    states = [torch.load(path, weights_only=True, map_location="cpu") for path in options.mean]
    mean = {name: sum(state[name].float() for state in states) / len(states) for name in states[0]}
    for name, state in [(f"student {number}", state) for number, state in enumerate(states, 1)] + [("mean", mean)]:
        model.load_state_dict({key: value.float() for key, value in state.items()}, strict=False)
        measure(model, tests, device, name, tests)
    finish(model, options.out)
    write_reference(model, tests, texts, options.out / "reference_readings.json")


def train(model, options, tests, device):
    began = time.time()
    written, sampled, passages = load_rows(options)
    if options.toy:
        written = written[:600]
    share, name = options.written_share if sampled else 1.0, f"student {options.seed}"
    queue, made_queue = multiprocessing.Queue(maxsize=24), multiprocessing.Queue(maxsize=12)
    own = ((written, sampled), passages, share, options.tokenizer)
    makers = [multiprocessing.Process(target=produce, args=(*own, 500 + 20 * options.seed + at, options.batch, options.vary, queue), daemon=True) for at in range(max(1, options.workers - 1))]
    pool = [row for row in read_lines(options.pool) if len(row["s"]) >= 2][options.seed :: 300 if options.toy else 3]
    makers.append(multiprocessing.Process(target=produce_made, args=(pool, options.tokenizer, 900 + options.seed, options.batch, made_queue), daemon=True))
    [maker.start() for maker in makers]
    print(f"{name}: {len(written)} written, {len(sampled)} sampled sentences, {len(passages)} passages, {model.trunk.attention.__name__}", flush=True)
    parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(parameters, lr=options.rate, betas=(0.9, 0.98), weight_decay=0.01, fused=device.type == "cuda")
    model.train()
    model.dropout = DROPOUT
    rng, start, until = random.Random(options.seed), time.time(), began + options.seconds
    shown = measured = start
    steps = seen = done = 0
    total = 0.0
    try:
        while (fraction := (time.time() - start) / max(1, until - start)) < 1:
            for group in optimizer.param_groups:
                group["lr"] = options.rate * min(1, (steps + 1) / 100) * (1 - 0.97 * fraction)
            model.trunk.weights_int8 = model.trunk.activations_int8 = fraction >= ROUND_FROM
            optimizer.zero_grad(set_to_none=True)
            if rng.random() < MADE and not made_queue.empty():
                batch = made_queue.get()
                loss, _, _ = V.step(model, batch, device, False)
            else:
                batch = queue.get()
                logits, _, _ = model([entry[0] for entry in batch], [entry[1] for entry in batch], device)
                loss = soft_loss(logits, torch.tensor([entry[3] for entry in batch], device=device))
                total, done = total + float(loss.detach()), done + 1
            loss.backward()
            torch.nn.utils.clip_grad_norm_(parameters, 1.0)
            optimizer.step()
            steps, seen = steps + 1, seen + len(batch)
            if time.time() - shown > (2 if options.toy else 10):
                print(f"{name} {time.time() - began:.0f} s step {steps} {fraction:.2f} loss {total / max(1, done):.4f} {seen / (time.time() - start):.0f}/s", flush=True)
                shown, total, done = time.time(), 0.0, 0
            if time.time() - measured > (4 if options.toy else 60):
                measure(model, tests, device, f"{name} at {fraction:.2f}", ("test", "second test", "open"))
                measured = time.time()
                model.train()
    finally:
        [maker.terminate() for maker in makers]
        model.eval()
        finish(model, options.out)
    print(f"{name}: {steps} steps, {seen} sentences, {time.time() - began:.0f} s", flush=True)
    measure(model, tests, device, f"{name} int8", [part for part in tests if part not in LOCKED])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, required=True, help="the folder with the shipped files")
    parser.add_argument("--tokenizer", type=Path, required=True, help="the encoder's")
    parser.add_argument("--written", type=Path, required=True)
    parser.add_argument("--pool", type=Path, help="passages with sentences of their own")
    parser.add_argument("--labels", type=Path, nargs="*", default=[], help="what the teachers say, a file for each")
    parser.add_argument("--sampled", type=Path, nargs="*", default=[])
    parser.add_argument("--seconds", type=float, default=480)
    parser.add_argument("--batch", type=int, default=192)
    parser.add_argument("--rate", type=float, default=2.5e-4)
    parser.add_argument("--written-share", type=float, default=0.35)
    parser.add_argument("--vary", type=float, default=0.4, help="how often a pair comes in another form")
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--mean", type=Path, nargs="*", default=[], help="states of students: only their mean is measured and exported")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--toy", action="store_true", help="few sentences, for a test")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    random.seed(options.seed)
    torch.manual_seed(options.seed)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = shipped(options.model).to(device)
    best_attention(model.trunk, device)
    tests, texts = read_tests(options.written, V.tokenizer(options.tokenizer), options.toy)
    if options.mean:
        mean_of_students(model, options, tests, texts, device)
    else:
        train(model, options, tests, device)
    return 0


if __name__ == "__main__":
    sys.exit(main())
