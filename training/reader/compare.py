#!/usr/bin/env python3
"""Teaches the reader to compare: the best pieces of several notes side by side, and which of them answers the question.

    compare.py --base READER_FILE --table ENCODER_FILE --tokenizer FILE --documents FILE --questions FILE --out DIR

First the reader that there is chooses the best pieces for each question, as the program does. Then it learns from these, in any order,
each with the names above it, and from its own readings of sections, which must stay as they are.
"""

import argparse
import json
import multiprocessing
import random
import sys
import time
from pathlib import Path

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).parent.parent))
sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parent.parent / "distillation"))
from model import EMBEDDINGS, Texts, best_attention, read_weights, start_from
from train import LONGEST, Batch, Pool, Reader, evaluate, evaluate_notes, export, load, mask, note_group, question_group, step, vary_question, windows, with_labels

MOST_SECTIONS, KEPT = 18, 20
# As the program cuts them, in characters: the names above a piece, the piece, and all of them together.
LONGEST_NAMES, LONGEST_TEXT, ROOM, MOST_PIECES = 60, 220, 900, 8
CONTEXT = "compare"


def line(names: str, text: str) -> str:
    return f"{names[:LONGEST_NAMES]}: {text[:LONGEST_TEXT]}"


class Material:
    """Everything that is read before the other processes begin, which inherit it."""

    def __init__(self, options):
        self.texts = Texts(options.tokenizer)
        self.documents, self.questions = load(options, self.texts)
        self.asked = [entry for entry in self.questions if "additions" not in entry]
        self.pool = Pool(self.documents, 0)
        held = {entry["document"].id for entry in self.questions if entry["held_out"]}
        self.train_pool = Pool([document for document in self.documents if document.id not in held], 0)
        self.lines = {(document.id, number): (section["name"], text) for document, section in self.pool.sections for number, _, text in section["pieces"]}
        self.sources = {document.id: document.source for document in self.documents}


def sections_for(entry, pool: Pool) -> list:
    """Those that a search would find: the document's own, and others of its source that share words with the question."""
    own = [(entry["document"], section) for section in entry["document"].sections]
    near = pool.alike(entry["question"], entry["document"], MOST_SECTIONS, True, entry["in_view"] or None)
    return own[:10] + [pool.sections[at] for at in near]


def is_known(entry, document_id: str, source: str) -> bool:
    in_view = entry["in_view"] or {entry["document"].id}
    return document_id in in_view or source != entry["document"].source or entry["whole_source"]


def produce_sections(material, part, parts, queue):
    texts, questions, pool = material.texts, material.asked, material.pool
    own = list(range(part, len(questions), parts))
    for start in range(0, len(own), 24):
        groups, keys = [], []
        for at in own[start : start + 24]:
            ids = texts.tokenizer.encode(questions[at]["question"], add_special_tokens=False).ids
            made = [(document.id, *made) for document, section in sections_for(questions[at], pool) for made in windows(ids, document, section)]
            groups.append([with_labels(window) for _, *window in made])
            keys.append((at, [(document, number) for document, _, _, ranges in made for number, _, _ in ranges]))
        queue.put((Batch([group for group in groups if group]), keys))
    queue.put(None)


@torch.no_grad()
def choose_candidates(model, material, options, device) -> dict:
    """The best pieces for each question in the eyes of the reader, best first."""
    model.eval()
    queue = multiprocessing.Queue(maxsize=64)
    makers = [multiprocessing.Process(target=produce_sections, args=(material, part, options.workers, queue), daemon=True) for part in range(options.workers)]
    [maker.start() for maker in makers]
    out, left = {}, options.workers
    while left:
        made = queue.get()
        if made is None:
            left -= 1
            continue
        batch, keys = made
        logits = model(batch, device).float().cpu().numpy()
        first = 0
        for at, own in keys:
            scores = {}
            for key, score in zip(own, logits[first : first + len(own)]):
                scores[key] = max(float(score), scores.get(key, -99.0))
            first += len(own)
            out[at] = sorted(scores.items(), key=lambda pair: -pair[1])[:KEPT]
    model.train()
    return out


def choose(entry, candidates, rng) -> list:
    """Which of the best pieces stand side by side: mostly the very best, always some that answers if there is any."""
    found = [key for key, _ in candidates]
    if rng is None:
        return found[:MOST_PIECES]
    right = [(entry["document"].id, number) for number in entry["answers"]]
    order = sorted(found, key=lambda key: found.index(key) + (6 * rng.random() if rng.random() < 0.6 else 0))
    order = order[: rng.randrange(4, MOST_PIECES + 1)]
    if right and not any(key in order for key in right):
        order[rng.randrange(len(order)) if order else 0 : None] = [rng.choice(right)]
    rng.shuffle(order)
    return order


def compared(entry, keys, material, rng):
    """One window with the chosen pieces, as `build_group` makes them."""
    texts, room, chosen = material.texts, ROOM, []
    for key in keys:
        if key in material.lines:
            names, text = material.lines[key]
            written = line(names, text)
            if chosen and len(written) > room:
                continue
            room -= len(written)
            chosen.append((key, texts.tokenizer.encode(written, add_special_tokens=False).ids[:120]))
    asked = vary_question(entry["question"], rng) if rng else entry["question"]
    ids = [101] + texts.tokenizer.encode(asked, add_special_tokens=False).ids[:96] + [102]
    second = len(ids)
    ids += texts.tokenizer.encode(CONTEXT, add_special_tokens=False).ids
    ranges, answers = [], {(entry["document"].id, number) for number in entry["answers"]}
    for key, tokens in chosen:
        if len(ids) + min(len(tokens), 24) > LONGEST - 1:
            continue
        end = min(len(ids) + len(tokens), LONGEST - 1)
        ranges.append((float(key in answers), is_known(entry, key[0], material.sources[key[0]]), len(ids), end, key))
        ids += tokens[: end - len(ids)]
    ids = np.array(ids + [102], np.int32)
    if rng and rng.random() < 0.5:
        ids = mask(ids, second, rng, 0.05)
    return ids, second, ranges


def produce(material, options, seed, candidates, queue):
    rng = random.Random(seed)
    own = [(entry, candidates[at]) for at, entry in enumerate(material.asked) if not entry["held_out"] and candidates.get(at)]
    own += [pair for pair in own if pair[0]["whole_source"]] * (options.vaults - 1)
    read = [entry for entry in material.questions if not entry["held_out"]]
    turn = 0
    while True:
        rng.shuffle(own)
        for start in range(0, len(own) - options.batch + 1, options.batch):
            turn += 1
            groups = []
            for entry, found in own[start : start + options.batch]:
                ids, second, ranges = compared(entry, choose(entry, found, rng), material, rng)
                groups.append([(ids, second, [row[:4] for row in ranges])] if ranges else [])
            queue.put(("compare", Batch([group for group in groups if group])))
            if turn % options.every == 0:
                chosen = rng.sample(read, max(1, options.batch // 8))
                groups = [(note_group if "additions" in entry else question_group)(entry, material.train_pool, material.texts, rng) for entry in chosen]
                queue.put(("read", Batch([group for group in groups if group])))


@torch.no_grad()
def measure_comparing(model, entries, material, device) -> dict:
    """Among the same pieces: how often the first is right by the readings, and by comparing; and whether the best tells questions that have an answer from others."""
    model.eval()
    groups, kept = [], []
    for entry, found in entries:
        ids, second, ranges = compared(entry, choose(entry, found, None), material, None)
        if ranges:
            groups.append([(ids, second, [row[:4] for row in ranges])])
            kept.append((entry, dict(found), ranges))
    logits = []
    for start in range(0, len(groups), 64):
        logits += model(Batch(groups[start : start + 64]), device).float().cpu().tolist()
    first, read, both, possible, yes, no, yes_read, no_read = 0, 0, 0, 0, [], [], [], []
    for entry, scores, ranges in kept:
        own, logits = np.array(logits[: len(ranges)]), logits[len(ranges) :]
        before = np.array([scores.get(row[4], -9.0) for row in ranges])
        if entry["answers"]:
            right = [row[0] > 0 for row in ranges]
            possible += any(right)
            first += right[int(own.argmax())]
            read += right[int(before.argmax())]
            both += right[int((own + before).argmax())]
            yes.append(own.max())
            yes_read.append(before.max())
        else:
            no.append(own.max())
            no_read.append(before.max())
    model.train()
    area = lambda a, b: round(float((np.array(a)[:, None] > np.array(b)[None]).mean()), 3) if a and b else None
    share = lambda count: round(count / max(1, len(yes)), 3)
    return {"there": share(possible), "read": share(read), "compared": share(first), "both": share(both), "area read": area(yes_read, no_read), "area compared": area(yes, no), "n": (len(yes), len(no))}


def chances(logits, batch, device):
    """For each window the chance of each piece to be the answer, as its log, and that of none of them."""
    group = torch.as_tensor(batch.groups, device=device)
    top = torch.zeros(batch.size, device=device).scatter_reduce(0, group, logits.detach(), "amax").clamp_min(0)
    everything = (-top).exp().index_add(0, group, (logits - top[group]).exp()).log() + top
    return logits - everything[group], -everything


def learn_from(logits, taught, batch, device):
    """How far the student's chances are from the teacher's."""
    own, own_none = chances(logits, batch, device)
    theirs, their_none = chances(taught, batch, device)
    apart = (theirs.exp() * (theirs - own)).sum() + (their_none.exp() * (their_none - own_none)).sum()
    single = torch.nn.functional.binary_cross_entropy_with_logits(logits, torch.sigmoid(taught), reduction="sum")
    return (apart + 0.5 * single) / batch.size


def main() -> int:
    parser = argparse.ArgumentParser()
    for name in ("base", "table", "tokenizer", "documents", "questions", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--rate", type=float, default=1.5e-4)
    parser.add_argument("--batch", type=int, default=128, help="questions whose pieces are compared, in a step")
    parser.add_argument("--every", type=int, default=2, help="a step of readings that must stay as they are comes after so many")
    parser.add_argument("--candidates", type=Path, help="the best pieces for each question, as another run has left them")
    parser.add_argument("--mpnet", type=Path, help="a folder with MPNet's weights, which learns first and then teaches")
    parser.add_argument("--teacher", type=float, default=240, help="seconds for the teacher")
    parser.add_argument("--teacher-rate", type=float, default=3e-5)
    parser.add_argument("--taught", type=Path, help="a teacher that has learned already")
    parser.add_argument("--hard", type=float, default=0.4, help="how much the labels count beside the teacher")
    parser.add_argument("--tie", type=float, default=1.0, help="how much the readings count")
    parser.add_argument("--vaults", type=int, default=2)
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--round-from", type=float, default=0.6)
    parser.add_argument("--workers", type=int, default=12)
    parser.add_argument("--tests", type=int, default=1500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--start", type=Path, nargs="*", default=[], help="states to go on from; of several the mean")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    random.seed(options.seed)
    torch.manual_seed(options.seed)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    weights = read_weights(options.base)
    weights[EMBEDDINGS] = read_weights(options.table)[EMBEDDINGS]
    frozen, model = Reader(weights, None), Reader(weights, None)
    start_from(model, options.start)
    for one in (frozen, model):
        one.to(device)
        best_attention(one.trunk, device)
    frozen.trunk.weights_int8 = frozen.trunk.activations_int8 = True
    frozen.eval()
    began = time.time()
    material = Material(options)
    print(f"{len(material.documents)} documents, {len(material.questions)} questions, {time.time() - began:.0f} s", flush=True)
    kept = options.out / "candidates.json" if options.candidates is None else options.candidates
    if kept.exists():
        candidates = {int(at): [(tuple(key), score) for key, score in own] for at, own in json.loads(kept.read_text()).items()}
    else:
        candidates = choose_candidates(frozen, material, options, device)
        kept.write_text(json.dumps(candidates))
    print(f"{len(candidates)} questions with candidates, {time.time() - began:.0f} s", flush=True)
    texts, pool = material.texts, material.pool
    asked = [(entry, candidates[at]) for at, entry in enumerate(material.asked) if entry["held_out"] and candidates.get(at)]
    asked = random.sample(asked, min(options.tests, len(asked)))
    kind = lambda entry: "vaults" if entry["whole_source"] else "projects" if entry["in_view"] else "pages"
    names = ("vaults", "projects", "pages")
    parts = {name: [pair for pair in asked if kind(pair[0]) == name] for name in names}
    measure = lambda: {name: measure_comparing(model, part, material, device) for name, part in parts.items() if part}
    sections = {name: [entry for entry, _ in part][: options.tests // 5] for name, part in parts.items()}
    for entry in (entry for part in sections.values() for entry in part):
        entry["alike"] = pool.alike(entry["question"], entry["document"], 10, True, entry["in_view"] or None)
    notes = [entry for entry in material.questions if entry["held_out"] and "additions" in entry][: options.tests // 8]
    read = lambda: {name: evaluate(model, part, pool, texts, device) for name, part in sections.items() if part} | ({"notes": evaluate_notes(model, notes, texts, device)} if notes else {})
    print(device, "before:", measure(), flush=True)
    print("reading before:", read(), flush=True)
    queue = multiprocessing.Queue(maxsize=64)
    makers = [multiprocessing.Process(target=produce, args=(material, options, 100 * options.seed + at, candidates, queue), daemon=True) for at in range(options.workers)]
    [maker.start() for maker in makers]

    def train(what, one, rate, seconds, loss_of, report):
        parameters = [parameter for parameter in one.parameters() if parameter.requires_grad]
        optimizer = torch.optim.AdamW(parameters, lr=rate, betas=(0.9, 0.98), weight_decay=0.01, fused=device.type == "cuda")
        batch = queue.get()
        one.train()
        one.dropout = options.dropout
        began, shown, steps, sums, told = time.time(), time.time(), {}, {}, 0
        while (fraction := (time.time() - began) / seconds) < 1:
            for group in optimizer.param_groups:
                group["lr"] = rate * min(1, (sum(steps.values()) + 1) / 100) * (1 - 0.95 * fraction)
            name, own = batch or queue.get()
            batch = None
            loss = loss_of(name, own, fraction)
            if loss is None:
                continue
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(parameters, 1.0)
            optimizer.step()
            steps[name] = steps.get(name, 0) + 1
            sums[name] = 0.99 * sums.get(name, 0.0) + 0.01 * float(loss.detach())
            if time.time() - shown > 30:
                print(what, f"{fraction:.2f}", {name: (count, round(sums[name] / (1 - 0.99**count), 4)) for name, count in steps.items()}, flush=True)
                shown = time.time()
            if int(fraction * 4) != told:
                told = int(fraction * 4)
                print(what, report(), flush=True)
        print(what, "done", report(), flush=True)

    teacher = None
    if options.mpnet:
        import mpnet

        teacher = mpnet.Teacher(mpnet.read(options.mpnet)).to(device)
        teacher.trunk.dtype = torch.bfloat16 if device.type == "cuda" else torch.float32
        measure_teacher = lambda: {name: measure_comparing(teacher, part, material, device) for name, part in parts.items() if part}
        if options.taught:
            teacher.load_state_dict(torch.load(options.taught, map_location=device))
        else:
            train("teacher", teacher, options.teacher_rate, options.teacher, lambda name, own, _: step(teacher, own, device, False)[0] if name == "compare" else None, measure_teacher)
            torch.save(teacher.state_dict(), options.out / "teacher.pt")
        teacher.eval()

    def learn(name, own, fraction):
        model.trunk.weights_int8 = model.trunk.activations_int8 = fraction >= options.round_from
        if name == "read":
            with torch.no_grad():
                before = frozen(own, device)
            return options.tie * torch.nn.functional.smooth_l1_loss(model(own, device), before)
        if teacher is None:
            return step(model, own, device, False)[0]
        with torch.no_grad():
            taught = teacher(own, device)
        logits = model(own, device)
        return options.hard * step(lambda *_: logits, own, device, False)[0] + (1 - options.hard) * learn_from(logits, taught, own, device)

    if options.seconds > 0:
        train("student", model, options.rate, options.seconds, learn, measure)
    [maker.terminate() for maker in makers]
    model.eval()
    model.trunk.weights_int8 = model.trunk.activations_int8 = True
    print("int8:", measure(), flush=True)
    print("reading:", read(), flush=True)
    torch.save({name: value.half() for name, value in model.state_dict().items()}, options.out / "final.pt")
    export(model, options.out / "reader.int8.safetensors")
    return 0


if __name__ == "__main__":
    sys.exit(main())
