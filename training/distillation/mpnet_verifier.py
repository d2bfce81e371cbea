#!/usr/bin/env python3
"""Trains the verifier further with MPNet as its teacher: first the teacher on written sentences, then the student on those and on what only
the teacher has judged.

    mpnet_verifier.py --model FOLDER --mpnet FOLDER --tokenizer FILE --written FILE --documents FILE --out DIR --teacher S --student S

--model has the shipped verifier and the encoder, --written is the verifier's written.jsonl.bz2, whose rows with a text are used, and --documents
has the reader's documents in pieces.
"""

import argparse
import importlib.util
import multiprocessing
import random
import sys
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "verifier"), str(HERE.parent)]
import edits
import mpnet
from model import best_attention, read_weights

spec = importlib.util.spec_from_file_location("verifier_train", HERE.parent / "verifier" / "train.py")
V = importlib.util.module_from_spec(spec)
spec.loader.exec_module(V)

HARD, TEMPERATURE = 0.4, 1.0


def shipped(folder):
    weights = read_weights(folder / "verifier.int8.safetensors")
    weights[V.EMBEDDINGS] = read_weights(folder / "model.int8.safetensors")[V.EMBEDDINGS]
    model = V.Verifier(weights, None)
    with torch.no_grad():
        for name, part in (("head", model.head), ("token", model.token)):
            part.weight.copy_(weights[f"verifier.{name}.weight"])
            part.bias.copy_(weights[f"verifier.{name}.bias"])
    return model


class Material:
    def __init__(self, options):
        self.words = V.tokenizer(options.tokenizer)
        rows = [row for row in V.read_lines(options.written) if "text" in row]
        self.train = [row for row in rows if row.get("part") in (None, "second")]
        pair = lambda row, entry: {"s": entry["s"], "text": row["text"], "label": 0 if entry["y"] else (1 if entry.get("c", 1) else 2)}
        self.pairs = [pair(row, entry) for row in self.train for entry in row["rows"]]
        self.tests = {}
        for row in rows:
            if row.get("part") in ("test", "second test"):
                ids = self.words.encode(row["text"], add_special_tokens=False).ids
                for entry in row["rows"]:
                    made = V.pair_ids(self.words, [(word, False) for word in entry["s"].split()], ids)
                    label = 0 if entry["y"] else (1 if entry.get("c", 1) else 2)
                    self.tests.setdefault(row["part"], []).append((*made, label, entry.get("k", "?"), "", len(ids)))
        self.pool = []
        for document in V.read_lines(options.documents):
            current = []
            for kind, text in document["pieces"] + [["h1", ""]]:
                if kind[0] == "h" or len(current) >= 9:
                    said = [one for one in current if len(one.split()) > 4]
                    if len(said) > 1:
                        self.pool.append({"p": " ".join(current), "s": said, "k": "note"})
                    current = [text] if text else []
                else:
                    current.append(text)
        self.near = self.neighbors()

    def neighbors(self):
        """For each passage others that share rare words with it."""
        words = [{word[:6] for word in row["text"].lower().split() if len(word) > 4} for row in self.train]
        places = {}
        for at, own in enumerate(words):
            for word in own:
                places.setdefault(word, []).append(at)
        near = []
        for at, own in enumerate(words):
            scores = {}
            for word in own:
                if 1 < len(places[word]) < 60:
                    for other in places[word]:
                        scores[other] = scores.get(other, 0) + 1 / len(places[word])
            scores.pop(at, None)
            near.append(sorted(scores, key=scores.get, reverse=True)[:6])
        return near


def judged_pair(material, sentence, passage, rng, share):
    draft = edits.Draft(sentence)
    if rng.random() < share:
        edits.soften_lightly(draft, passage, rng)
    return V.pair_ids(material.words, [(word, False) for word in draft.words], material.words.encode(passage[:2400], add_special_tokens=False).ids)


def without_one(text, rng):
    parts = text.replace("\n", "\n ").split(". ")
    if len(parts) > 2:
        parts.pop(rng.randrange(len(parts)))
    return ". ".join(parts).replace("\n ", "\n")


def unlabeled(material, rng):
    """A sentence and a passage that nobody judged: cut, of something alike, or made from another text."""
    chance = rng.random()
    if chance < 0.45:
        at = rng.randrange(len(material.train))
        row = material.train[at]
        sentence = rng.choice(row["rows"])["s"]
        if rng.random() < 0.65 or not material.near[at]:
            return (*judged_pair(material, sentence, without_one(row["text"], rng), rng, 0.3), None)
        return (*judged_pair(material, sentence, material.train[rng.choice(material.near[at])]["text"], rng, 0.3), None)
    while True:
        row = rng.choice(material.pool)
        sentence, stray = rng.choice(row["s"]), rng.choice(rng.choice(material.pool)["s"])
        passage = V.around(row["p"], sentence, rng)
        if rng.random() < 0.35 and len(row["s"]) > 2:
            gone = rng.choice(row["s"])
            if gone != sentence and gone in passage:
                passage, stray = passage.replace(gone, ""), gone
        draft = edits.make(sentence, passage, stray, rng)
        if draft:
            return (*V.pair_ids(material.words, draft.pieces(), material.words.encode(passage[:2400], add_special_tokens=False).ids), None)


def produce(material, seed, size, labeled_share, queue):
    rng, order = random.Random(seed), []
    while True:
        batch = []
        for _ in range(size):
            if rng.random() < labeled_share:
                order = order or rng.sample(range(len(material.pairs)), len(material.pairs))
                batch.append(V.vary(material.pairs[order.pop()], material.pairs, material.words, rng, 0.4))
            else:
                batch.append(unlabeled(material, rng))
        queue.put(batch)


@torch.no_grad()
def judge_tests(teacher, rows, device):
    teacher.eval()
    out = [torch.softmax(teacher.judge([entry[0] for entry in rows[at : at + 128]], [entry[1] for entry in rows[at : at + 128]], device), 1).float().cpu().numpy() for at in range(0, len(rows), 128)]
    teacher.train()
    return np.concatenate(out)


def entailed_or_not(spread):
    """Logs of both chances."""
    return torch.stack([spread[:, 0], torch.logsumexp(spread[:, 1:], 1)], 1)


def main() -> int:
    parser = argparse.ArgumentParser()
    for name in ("model", "mpnet", "tokenizer", "written", "documents", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--teacher", type=float, default=200)
    parser.add_argument("--student", type=float, default=300)
    parser.add_argument("--teacher-rate", type=float, default=3e-5)
    parser.add_argument("--rate", type=float, default=2.5e-4)
    parser.add_argument("--batch", type=int, default=192)
    parser.add_argument("--labeled", type=float, default=0.4)
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--round-from", type=float, default=0.6)
    parser.add_argument("--workers", type=int, default=6)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--taught", type=Path, help="a teacher to take instead of training one")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    random.seed(options.seed)
    torch.manual_seed(options.seed)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    material = Material(options)
    print(len(material.pairs), "written,", len(material.pool), "other passages,", {name: len(rows) for name, rows in material.tests.items()}, flush=True)
    student = shipped(options.model).to(device)
    best_attention(student.trunk, device)
    teacher = mpnet.Teacher(mpnet.read(options.mpnet)).to(device)
    teacher.trunk.dtype = torch.bfloat16 if device.type == "cuda" else torch.float32
    student.trunk.weights_int8 = student.trunk.activations_int8 = True
    for name, rows in material.tests.items():
        V.report("shipped " + name, rows, V.scores(student, rows, device))

    def begin(share, size, count):
        queue = multiprocessing.Queue(maxsize=48)
        makers = [multiprocessing.Process(target=produce, args=(material, options.seed * 100 + at, size, share, queue), daemon=True) for at in range(count)]
        [maker.start() for maker in makers]
        return queue, makers

    def run(what, parameters, rate, seconds, queue, loss_of, decay):
        optimizer = torch.optim.AdamW(parameters, lr=rate, betas=(0.9, 0.98), weight_decay=decay, fused=device.type == "cuda")
        batch = queue.get()
        began, steps, total, shown = time.time(), 0, 0.0, time.time()
        while (fraction := (time.time() - began) / seconds) < 1:
            for group in optimizer.param_groups:
                group["lr"] = rate * min(1, (steps + 1) / 100) * (1 - 0.95 * fraction)
            optimizer.zero_grad(set_to_none=True)
            loss = loss_of(batch or queue.get(), fraction)
            batch = None
            loss.backward()
            torch.nn.utils.clip_grad_norm_(parameters, 1.0)
            optimizer.step()
            steps, total = steps + 1, 0.98 * total + 0.02 * float(loss.detach())
            if time.time() - shown > 30:
                print(f"{what} step {steps} {fraction:.2f} loss {total / (1 - 0.98**steps):.3f} {steps * options.batch / (time.time() - began):.0f}/s", flush=True)
                shown = time.time()

    if options.taught:
        teacher.load_state_dict(torch.load(options.taught, map_location=device))
    else:
        queue, makers = begin(1.0, options.batch // 3, options.workers)

        def teach(batch, fraction):
            teacher.dropout = 0.1
            logits = teacher.judge([entry[0] for entry in batch], [entry[1] for entry in batch], device)
            labels = torch.tensor([entry[3] for entry in batch], device=device)
            spread = F.log_softmax(logits, 1)
            return F.nll_loss(entailed_or_not(spread), (labels != 0).long()) + 0.3 * F.cross_entropy(logits, labels, label_smoothing=0.05)

        run("teacher", [value for name, value in teacher.named_parameters() if value.requires_grad and "piece" not in name], options.teacher_rate, options.teacher, queue, teach, 0.01)
        [maker.terminate() for maker in makers]
        torch.save(teacher.state_dict(), options.out / "teacher.pt")
    for name, rows in material.tests.items():
        V.report("teacher " + name, rows, judge_tests(teacher, rows, device))
    if options.student > 0:
        queue, makers = begin(options.labeled, options.batch, options.workers)
        teacher.eval()
        student.train()
        student.dropout = options.dropout

        def learn(batch, fraction):
            student.trunk.weights_int8 = student.trunk.activations_int8 = fraction >= options.round_from
            sequences, lengths = [entry[0] for entry in batch], [entry[1] for entry in batch]
            with torch.no_grad():
                taught = F.softmax(teacher.judge(sequences, lengths, device) / TEMPERATURE, 1)
            logits, _, _ = student(sequences, lengths, device)
            spread = F.log_softmax(logits, 1)
            known = torch.tensor([entry[3] is not None for entry in batch], device=device)
            labels = torch.tensor([entry[3] or 0 for entry in batch], device=device)
            hard = torch.where(known, HARD, 0.0)[:, None]
            three = hard * F.one_hot(labels, 3) + (1 - hard) * taught
            two = torch.stack([three[:, 0], three[:, 1:].sum(1)], 1)
            return -(two * entailed_or_not(spread)).sum(1).mean() - 0.3 * (three * spread).sum(1).mean()

        run("student", [value for value in student.parameters() if value.requires_grad], options.rate, options.student, queue, learn, 0.01)
        [maker.terminate() for maker in makers]
    student.trunk.weights_int8 = student.trunk.activations_int8 = True
    for name, rows in material.tests.items():
        V.report("student " + name, rows, V.scores(student, rows, device))
    torch.save({name: value.half() for name, value in student.state_dict().items()}, options.out / "final.pt")
    V.export(student, options.out / "verifier.int8.safetensors")
    return 0


if __name__ == "__main__":
    sys.exit(main())
