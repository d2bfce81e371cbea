#!/usr/bin/env python3
"""Trains the reader: a question and a passage in pieces in, how well each piece answers the question out.

    train.py --base MODEL --table ENCODER_FILE --tokenizer FILE --documents FILE --questions FILE --out DIR

First on headings: which section is it the heading of? Then on questions that were written about documents, with the pieces that
answer them. The word table is the encoder's, as it lies in the program, and is not trained.
"""

import argparse
import bz2
import json
import multiprocessing
import random
import re
import sys
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from safetensors.torch import save_file

sys.path.insert(0, str(Path(__file__).parent.parent))
from model import EMBEDDINGS, WIDTH, Encoder, Packed, Texts, best_attention, int8_layers, padded_attention, read_weights, start_from

LONGEST = 256
MOST_QUESTION = 96
MOST_CONTEXT = 32
UNKNOWN_ABOVE = 1.5
EMPTY_WORDS = set("a an the is are was were do does did can could should would will i my me you your it its of to in on for with and or by be how what when where which who why there that this if from at as have has had".split())


def read_lines(path) -> list:
    opened = bz2.open(path, "rt", encoding="utf8") if str(path).endswith(".bz2") else open(path, encoding="utf8")
    with opened as lines:
        return [json.loads(line) for line in lines]


class Document:
    """Sections of a document: the names above them, and their pieces as tokens."""

    def __init__(self, row: dict, texts: Texts):
        self.source, self.id, self.is_invented = row["source"], row["id"], row.get("is_invented", False)
        self.sections, headings, title = [], [], row["title"]
        self.title, self.texts = row.get("name", title), [text for at, (_, text) in enumerate(row["pieces"]) if at or text != title][:24]
        self.opening = f"{self.title} {' '.join(self.texts)}"[:600]
        current = []
        encoded = [entry.ids for entry in texts.tokenizer.encode_batch([text for _, text in row["pieces"]], add_special_tokens=False)]
        for number, (kind, text) in enumerate(row["pieces"], 1):
            if kind[0] == "h":
                self.close(current, title, headings, texts)
                current, level = [], int(kind[1:])
                headings = [entry for entry in headings if entry[0] < level] + [(level, text)]
            else:
                current.append((number, encoded[number - 1][:120], text))
        self.close(current, title, headings, texts)

    def close(self, pieces, title, headings, texts):
        if not pieces:
            return
        names = [text for _, text in headings]
        nearest = names[-1] if names else ""
        without = names[-2] if len(names) > 1 else ""
        ids = lambda text: texts.tokenizer.encode(text, add_special_tokens=False).ids[:MOST_CONTEXT]
        self.sections.append({"name": f"{title} > {nearest}", "heading": nearest, "context": ids(f"{title} > {nearest}"), "above": ids(f"{title} > {without}"), "pieces": pieces})


def window(question: list, context: list, pieces: list, first: int) -> tuple:
    """Token ids, where the second kind begins, and for each piece that has room its number and range."""
    ids = [101] + question[:MOST_QUESTION] + [102]
    second = len(ids)
    ids = ids + context
    ranges = []
    for number, tokens, _ in pieces[first:]:
        if len(ids) + min(len(tokens), 24) > LONGEST - 1:
            break
        end = min(len(ids) + len(tokens), LONGEST - 1)
        if end > len(ids):
            ranges.append((number, len(ids), end))
        ids = ids + tokens[: end - len(ids)]
    return np.array(ids + [102], np.int32), second, ranges


def windows(question: list, document: Document, section: dict, context: str = "context") -> list:
    """A section in windows that overlap by half."""
    pieces, out, first = section["pieces"], [], 0
    while True:
        made = window(question, section[context], pieces, first)
        if made[2]:
            out.append(made)
        reached = first + max(1, len(made[2]))
        if reached >= len(pieces):
            return out
        first += max(1, len(made[2]) // 2)


def vary_question(text: str, rng) -> str:
    words = text.split()
    if rng.random() < 0.15 and len(words) > 3:
        words = [word for word in words if word.lower().strip("?,.'") not in EMPTY_WORDS] or words
    if rng.random() < 0.25 and len(words) > 4:
        words.pop(rng.randrange(len(words)))
    if rng.random() < 0.1 and words:
        at = rng.randrange(len(words))
        if len(words[at]) > 4:
            cut = rng.randrange(1, len(words[at]) - 1)
            words[at] = words[at][:cut] + words[at][cut + 1 :]
    text = " ".join(words)
    return text.rstrip("?") if rng.random() < 0.5 else text


def words_of(text: str) -> set:
    return {word[:6] for word in re.findall(r"[a-z0-9]{3,}", text.lower())} - EMPTY_WORDS


class Pool:
    def __init__(self, documents: list, seed: int):
        self.documents, self.rng = documents, random.Random(seed)
        self.sections = [(document, section) for document in documents for section in document.sections]
        self.words = [words_of(section["heading"] + " " + " ".join(text for _, _, text in section["pieces"])) for _, section in self.sections]
        self.by_word = {}
        for at, words in enumerate(self.words):
            for word in words:
                self.by_word.setdefault(word, []).append(at)

    def alike(self, question: str, document: "Document", count: int, same_source: bool, among=None) -> list:
        """Sections of other documents that share rare words with a question: of the same source, as a search in it would find them (or of some of its documents), or of others."""
        scores = {}
        for word in words_of(question):
            found = self.by_word.get(word, ())
            if 0 < len(found) < 3000:
                for at in found if len(found) < 400 else self.rng.sample(found, 400):
                    scores[at] = scores.get(at, 0.0) + 1.0 / np.log(2 + len(found))
        best = sorted(scores, key=scores.get, reverse=True)
        fits = lambda other: other.id != document.id and (other.source == document.source) == same_source and (among is None or other.id in among)
        return [at for at in best if fits(self.sections[at][0])][:count]


def mask(ids, start, rng, share):
    hidden = np.array([rng.random() < share for _ in range(len(ids) - start)])
    tail = ids[start:]
    tail[hidden & (tail != 102)] = 103
    return ids


def heading_group(pool: Pool, texts: Texts, rng):
    """A heading, the section below it, and sections beside it; without the heading above any of them."""
    document, section = rng.choice(pool.sections)
    if len(section["heading"].split()) < 2 or sum(len(tokens) for _, tokens, _ in section["pieces"]) < 25:
        return None
    question = texts.tokenizer.encode(vary_question(section["heading"], rng), add_special_tokens=False).ids
    others = [other for other in document.sections if other is not section and other["heading"] != section["heading"]]
    rng.shuffle(others)
    chosen = [(True, document, section)] + [(False, document, other) for other in others[:4]]
    chosen += [(False, *pool.sections[at]) for at in pool.alike(section["heading"], document, 2, False)]
    return build_group(question, chosen, lambda number, own: own, rng, "above")


def build_group(question, chosen, is_right, rng, context="context", most=2, is_known=lambda document: True, is_doubtful=lambda document, number: False):
    """The windows of a group, each with its pieces: whether it answers, whether anybody knows that, and its range. Doubtful pieces are read and not judged."""
    group = []
    for own, document, section in chosen:
        made = windows(question, document, section, context)
        if own:
            with_answer = [entry for entry in made if any(is_right(number, True) for number, _, _ in entry[2])]
            made = with_answer or made
        rng.shuffle(made)
        for ids, second, ranges in made[:most]:
            group.append((mask(ids, second, rng, 0.05) if rng.random() < 0.5 else ids, second, [(float(own and is_right(number, True)), is_known(document), start, end) for number, start, end in ranges if not is_doubtful(document, number)]))
    return [entry for entry in group if entry[2]]


def question_group(entry, pool: Pool, texts: Texts, rng):
    document, answers = entry["document"], set(entry["answers"])
    question = texts.tokenizer.encode(vary_question(entry["question"], rng), add_special_tokens=False).ids
    own = [section for section in document.sections if any(number in answers for number, _, _ in section["pieces"])]
    others = [section for section in document.sections if section not in own]
    asked = words_of(entry["question"])
    others.sort(key=lambda section: -len(asked & words_of(section["heading"] + " " + " ".join(text for _, _, text in section["pieces"]))) - 2 * rng.random())
    chosen = [(True, document, section) for section in own] + [(False, document, section) for section in others[:4]]
    if "near" not in entry:
        entry["near"] = pool.alike(entry["question"], document, 10, True, entry["in_view"] or None)
        entry["alike"] = pool.alike(entry["question"], document, 6, False)
    near, alike = entry["near"], entry["alike"]
    chosen += [(False, *pool.sections[at]) for at in rng.sample(near, min(5, len(near))) + rng.sample(alike, min(1, len(alike)))]
    # Who wrote the question had this document in view, some of its project, or the whole vault; another page of the same project may answer it, too.
    in_view = entry["in_view"] or {document.id}
    is_known = lambda other: other.id in in_view or other.source != document.source or entry["whole_source"]
    return build_group(question, chosen, lambda number, _: number in answers, rng, is_known=is_known)


def note_group(entry, pool: Pool, texts: Texts, rng):
    """A note in place of a question, and sections of the other notes of its vault: a piece that is worth adding to the note answers it."""
    own, ids = entry["document"], lambda section: [number for number, _, _ in section["pieces"]]
    if "sections" not in entry:
        entry["sections"] = [(document, section) for document in entry["vault"] for section in document.sections]
        entry["alike"] = pool.alike(own.opening, own, 6, False)
    question = texts.tokenizer.encode(note_question(own, rng), add_special_tokens=False).ids
    is_marked = lambda document, number, mark: entry["additions"].get((document.id, number)) == mark
    has = lambda document, section: any(is_marked(document, number, "+") for number in ids(section))
    others = [place for place in entry["sections"] if not has(*place)]
    named = words_of(own.opening)
    others.sort(key=lambda place: -len(named & words_of(place[1]["heading"] + " " + " ".join(text for _, _, text in place[1]["pieces"]))) - 4 * rng.random())
    wanted = [place for place in entry["sections"] if has(*place)]
    rng.shuffle(wanted)
    group = []
    for document, section in wanted[:6]:
        group += build_group(question, [(True, document, section)], lambda number, _: is_marked(document, number, "+"), rng, is_doubtful=lambda document, number: is_marked(document, number, "~"))
    beside = [(False, *place) for place in others[:8]] + [(False, *pool.sections[at]) for at in rng.sample(entry["alike"], min(1, len(entry["alike"])))]
    return group + build_group(question, beside, lambda number, _: False, rng, is_doubtful=lambda document, number: is_marked(document, number, "~"))


def note_question(document: Document, rng=None) -> str:
    """A note as the reader gets it: what to do, its name, and how it begins. In training now and then without a piece of it."""
    opening = [text for text in document.texts if rng is None or rng.random() > 0.1]
    return f"add to note {document.title}: " + " ".join(opening)


def produce(kind, options, seed, queue):
    texts, rng = Texts(options.tokenizer), random.Random(seed)
    documents, questions = load(options, texts)
    train = [entry for entry in questions if not entry["held_out"]]
    train += [entry for entry in train if "additions" not in entry and (entry["whole_source"] or entry["in_view"])] * (options.vaults - 1)
    train += [entry for entry in train if "additions" in entry] * (options.notes - 1)
    held = {entry["document"].id for entry in questions if entry["held_out"]}
    pool = Pool([document for document in documents if document.id not in held], seed)
    if kind == "headings":
        while True:
            batch = []
            while len(batch) < options.batch:
                group = heading_group(pool, texts, rng)
                if group:
                    batch.append(group)
            queue.put(Batch(batch))
    while True:
        rng.shuffle(train)
        for start in range(0, len(train) - options.batch + 1, options.batch):
            groups = [(note_group if "additions" in entry else question_group)(entry, pool, texts, rng) for entry in train[start : start + options.batch]]
            queue.put(Batch([group for group in groups if group]))


def load(options, texts):
    """The documents, and the questions about those that are there. Invented documents stand beside their questions."""
    written = read_lines(options.questions)
    title = lambda pieces: pieces[0][1] if pieces[0][0][0] == "h" else ""
    rows = read_lines(options.documents)
    stem = lambda row: {"name": Path(row["path"]).stem} if row.get("whole_source") else {}
    rows += [{"is_invented": True, "id": row["document"], "source": row["source"], "title": title(row["pieces"]), "pieces": row["pieces"], **stem(row)} for row in written if "pieces" in row]
    documents = [Document(row, texts) for row in rows]
    by_id = {document.id: document for document in documents}
    questions, vaults = [], {}
    written = [row for row in written if row["document"] in by_id]
    for row in written:
        if "additions" in row or "collection" in row:
            vaults.setdefault(row.get("collection", row["source"]), []).append(by_id[row["document"]])
    for row in written:
        in_view = {document.id for document in vaults[row["collection"]]} if "collection" in row else set()
        for question, answers, *elsewhere in row["questions"]:
            # Where other documents answer it, too, nobody says with which piece.
            entry = {"question": question, "answers": answers, "in_view": in_view - set(*elsewhere)}
            questions.append({"document": by_id[row["document"]], "held_out": row["held_out"], "whole_source": row.get("whole_source", False), **entry})
    for row in written:
        if "additions" in row:
            vault = [document for document in vaults[row.get("collection", row["source"])] if document.id != row["document"]]
            additions = {(document, number): mark for mark, document, number in row["additions"]}
            questions.append({"document": by_id[row["document"]], "vault": vault, "additions": additions, "held_out": row["held_out"], "whole_source": True})
    return documents, questions


class Batch:
    """Windows laid end to end, with the rows of their pieces: what a step needs, as plain arrays."""

    def __init__(self, groups: list):
        flat = [entry for group in groups for entry in group]
        self.ids = [entry[0] for entry in flat]
        self.seconds = np.array([entry[1] for entry in flat])
        rows, pieces, self.owners, self.counts, self.labels, self.known, base = [], [], [], [], [], [], 0
        for at, (ids, _, ranges) in enumerate(flat):
            for label, known, start, end in ranges:
                rows.append(np.arange(base + start, base + end))
                pieces.append(np.full(end - start, len(self.counts)))
                self.owners.append(at)
                self.counts.append(end - start)
                self.labels.append(label)
                self.known.append(known)
            base += len(ids)
        self.rows, self.pieces = np.concatenate(rows), np.concatenate(pieces)
        self.groups = [at for at, group in enumerate(groups) for entry in group for _ in entry[2]]
        self.size = len(groups)


class Reader(torch.nn.Module):
    """A logit for each piece: whether it answers the question. It reads the mean of the piece's tokens and the first token."""

    def __init__(self, weights: dict, layers):
        super().__init__()
        self.dropout = 0.0
        self.trunk = Encoder(weights, layers)
        self.trunk.words.requires_grad_(False)
        self.head = torch.nn.Linear(2 * WIDTH, 1)
        torch.nn.init.normal_(self.head.weight, std=0.02)
        if "reader.head.weight" in weights:
            self.head.weight.data, self.head.bias.data = weights["reader.head.weight"].clone(), weights["reader.head.bias"].clone()

    def forward(self, batch: Batch, device):
        """The logits of all pieces in a row."""
        tensor = lambda values, kind=torch.long: torch.as_tensor(np.asarray(values), dtype=kind).to(device, non_blocking=True)
        packed = Packed.of(batch.ids, device)
        x = self.trunk.hidden(packed, (packed.positions >= tensor(batch.seconds)[packed.owner]).long(), self.dropout if self.training else 0.0)
        counts = tensor(batch.counts, torch.float32)
        mean = torch.zeros(len(counts), WIDTH, device=device).index_add(0, tensor(batch.pieces), x[tensor(batch.rows)]) / counts[:, None]
        first = x[packed.starts[:-1].long()][tensor(batch.owners)]
        return self.head(torch.cat([first, mean], 1))[:, 0]


def step(model, batch: Batch, device, by_section: bool):
    """The best piece of a group is one that answers; each piece that answers is above zero, and all others below, the highest of them first."""
    logits = model(batch, device)
    right = torch.as_tensor(batch.labels, device=device) > 0.5
    group = torch.as_tensor(batch.groups, device=device)
    zeros = lambda fill=0.0: torch.full((batch.size,), fill, device=device)
    best = zeros(-1e4).scatter_reduce(0, group, torch.where(right, logits.detach(), -1e4), "amax")
    # Where nobody looked, what seems to answer clearly better may well answer.
    limit = torch.where(best > -1e3, best + UNKNOWN_ABOVE, UNKNOWN_ABOVE)
    counts = torch.as_tensor(batch.known, device=device) | (logits.detach() < limit[group])
    top = zeros(-1e4).scatter_reduce(0, group, torch.where(counts, logits.detach(), -1e4), "amax")
    spread = (logits - top[group]).clamp_max(0).exp() * counts
    everything = zeros().index_add(0, group, spread)
    answers = zeros().index_add(0, group, spread * right)
    has_answer = zeros().index_add(0, group, right.float()) > 0
    listwise = torch.where(has_answer, everything.clamp_min(1e-12).log() - answers.clamp_min(1e-12).log(), 0.0)
    loss = listwise.mean()
    if not by_section:
        count = zeros().index_add(0, group, right.float()).clamp_min(1)
        hard = spread.detach() * ~right
        hard = hard / zeros().index_add(0, group, hard).clamp_min(1e-12)[group]
        wrong = zeros().index_add(0, group, hard * F.softplus(logits))
        found = zeros().index_add(0, group, right / count[group] * F.softplus(-logits))
        loss = loss + 1.5 * (wrong + found).mean()
    return loss, ((best >= top) & has_answer).sum()


def with_labels(window: tuple) -> tuple:
    """A window that is only read: no labels are needed."""
    ids, second, ranges = window
    return ids, second, [(0.0, True, start, end) for _, start, end in ranges]


@torch.no_grad()
def evaluate(model, questions, pool, texts, device) -> dict:
    model.eval()
    first, mrr, best_right, best_none, certain = 0, 0.0, [], [], []
    for entry in questions:
        ids = texts.tokenizer.encode(entry["question"], add_special_tokens=False).ids
        chosen = [(entry["document"], section) for section in entry["document"].sections]
        chosen += [pool.sections[at] for at in entry["alike"]]
        made = [(document is entry["document"], *made) for document, section in chosen for made in windows(ids, document, section)]
        logits = model(Batch([[with_labels(window) for _, *window in made]]), device).float().cpu().numpy()
        keys = [(own, number) for own, _, _, ranges in made for number, _, _ in ranges]
        scores = {}
        for key, score in zip(((own, number) if own else (own, at) for at, (own, number) in enumerate(keys)), logits):
            scores[key] = max(score, scores.get(key, -99.0))
        order = sorted(scores, key=scores.get, reverse=True)
        if entry["answers"]:
            right = [own and number in entry["answers"] for own, number in order]
            rank = right.index(True) if True in right else 999
            first += rank == 0
            mrr += 1 / (rank + 1)
            best_right.append(scores[order[0]])
            certain.append((scores[order[0]], rank == 0))
        else:
            best_none.append(scores[order[0]])
    model.train()
    a, b = np.array(best_right), np.array(best_none)
    auc = (a[:, None] > b[None]).mean() if len(a) and len(b) else 0
    certain.sort(reverse=True)
    half = certain[: len(certain) // 2]
    return {"first": round(first / len(a), 3), "mrr": round(mrr / len(a), 3), "answerable": round(float(auc), 3), "first in the surer half": round(float(np.mean([ok for _, ok in half])), 3), "n": (len(a), len(b))}


@torch.no_grad()
def evaluate_notes(model, entries, texts, device) -> dict:
    """Every piece of a note's vault: how many of the first for each note are worth adding, and the mean precision over all of them together."""
    model.eval()
    all_scores, firsts = [], []
    for entry in entries:
        ids = texts.tokenizer.encode(note_question(entry["document"]), add_special_tokens=False).ids
        made = [(document.id, *made) for document in entry["vault"] for section in document.sections for made in windows(ids, document, section)]
        logits = model(Batch([[with_labels(window) for _, *window in made]]), device).float().cpu().numpy()
        scores = {}
        for key, score in zip(((own, number) for own, _, _, ranges in made for number, _, _ in ranges), logits):
            scores[key] = max(score, scores.get(key, -99.0))
        marked = [(score, entry["additions"].get(key)) for key, score in scores.items()]
        marked.sort(key=lambda pair: -pair[0])
        firsts += [mark for _, mark in marked[:2]]
        all_scores += marked
    model.train()
    all_scores.sort(key=lambda pair: -pair[0])
    marks = [mark for _, mark in all_scores]
    wanted, found, precision = sum(mark == "+" for mark in marks), 0, 0.0
    for at, mark in enumerate(marks, 1):
        if mark == "+":
            found += 1
            precision += found / at
    share = lambda part, mark: round(sum(entry == mark for entry in part) / max(1, len(part)), 3)
    best = marks[: 2 * len(entries)]
    return {"mean precision": round(precision / max(1, wanted), 3), "first two": (share(firsts, "+"), share(firsts, "~")), "best two a note": (share(best, "+"), share(best, "~"), round(all_scores[len(best) - 1][0].item(), 2)), "n": (len(entries), wanted, len(marks))}


def export(model, path) -> None:
    """The file that the engine reads."""
    out = int8_layers(model.trunk)
    out["reader.head.weight"] = model.head.weight.detach().float().cpu().contiguous()
    out["reader.head.bias"] = model.head.bias.detach().float().cpu().contiguous()
    save_file(out, str(path))


def write_reference(model, questions, texts, path) -> None:
    """Sections with the logits that an engine compares itself with, computed in f32 on the CPU: one section that fits into a window for each question."""
    model.to("cpu").eval()
    model.trunk.dtype, model.trunk.attention = torch.float32, padded_attention
    model.trunk.weights_int8 = model.trunk.activations_int8 = True
    out = []
    for entry in questions:
        ids = texts.tokenizer.encode(entry["question"], add_special_tokens=False).ids
        for section in entry["document"].sections:
            made = windows(ids, entry["document"], section)
            whole = len(made) == 1 and len(made[0][2]) == len(section["pieces"])
            if whole and 2 < len(section["pieces"]) and len(made[0][0]) < LONGEST:
                with torch.no_grad():
                    logits = model(Batch([[with_labels(window) for window in made]]), torch.device("cpu"))
                pieces = [text for _, _, text in section["pieces"]]
                out.append({"question": entry["question"], "context": section["name"], "pieces": pieces, "readings": [round(float(value), 4) for value in logits]})
                break
        if len(out) == 24:
            break
    path.write_text(json.dumps(out, ensure_ascii=False, indent=1))


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--table", type=Path, required=True)
    parser.add_argument("--tokenizer", type=Path, required=True)
    parser.add_argument("--documents", type=Path, required=True)
    parser.add_argument("--questions", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--layers", type=lambda text: [int(at) for at in text.split(",")])
    parser.add_argument("--seconds", type=float, default=60, help="on headings")
    parser.add_argument("--rate", type=float, default=2e-4)
    parser.add_argument("--epochs", type=float, default=10, help="on questions")
    parser.add_argument("--tune-seconds", type=float, help="on questions, instead of epochs")
    parser.add_argument("--tune-rate", type=float, default=1.5e-4)
    parser.add_argument("--vaults", type=int, default=3, help="how often a question about a whole vault or several pages comes, compared with one about a page")
    parser.add_argument("--notes", type=int, default=6, help="how often a note with what is worth adding to it comes, compared with a question about a page")
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--round-from", type=float, default=0.6)
    parser.add_argument("--workers", type=int, default=12)
    parser.add_argument("--tests", type=int, default=800)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--start", type=Path, nargs="*", default=[], help="states to go on from; of several the mean")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    random.seed(options.seed)
    torch.manual_seed(options.seed)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    weights = read_weights(options.base)
    weights[EMBEDDINGS] = read_weights(options.table)[EMBEDDINGS]
    model = Reader(weights, options.layers)
    start_from(model, options.start)
    model.to(device)
    best_attention(model.trunk, device)
    texts = Texts(options.tokenizer)
    documents, questions = load(options, texts)
    pool = Pool(documents, 0)
    tests = [entry for entry in questions if entry["held_out"] and "additions" not in entry]
    notes = [entry for entry in questions if entry["held_out"] and "additions" in entry]
    tests = random.sample(tests, min(options.tests, len(tests)))
    notes = random.sample(notes, min(options.tests // 3, len(notes)))
    for entry in tests:
        entry["alike"] = pool.alike(entry["question"], entry["document"], 10, True, entry["in_view"] or None)
    kind = lambda entry: "vaults" if entry["whole_source"] else "projects" if entry["in_view"] else "pages"
    parts = {name: [entry for entry in tests if kind(entry) == name] for name in ("vaults", "projects", "pages")}
    measure = lambda: {name: evaluate(model, part, pool, texts, device) for name, part in parts.items() if part} | ({"notes": evaluate_notes(model, notes, texts, device)} if notes else {})
    train_count = sum(not entry["held_out"] for entry in questions)
    print(len(documents), "documents;", train_count, "questions;", len(tests), "held out; on", device, model.trunk.attention.__name__, "layers", len(model.trunk.layers), flush=True)
    print("before:", measure(), flush=True)
    parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]

    def train(kind, rate, fraction_of, rounding, dropout):
        queue = multiprocessing.Queue(maxsize=64)
        own = [multiprocessing.Process(target=produce, args=(kind, options, 100 * options.seed + at, queue), daemon=True) for at in range(options.workers)]
        [maker.start() for maker in own]
        optimizer = torch.optim.AdamW(parameters, lr=rate, betas=(0.9, 0.98), weight_decay=0.01, fused=device.type == "cuda")
        queue_first = queue.get()
        model.dropout = dropout
        began, steps, total, right, seen, shown = time.time(), 0, 0.0, 0, 0, time.time()
        while (fraction := fraction_of(began, steps)) < 1:
            for group in optimizer.param_groups:
                group["lr"] = rate * min(1, (steps + 1) / 60) * (1 - 0.95 * fraction)
            model.trunk.weights_int8 = model.trunk.activations_int8 = fraction >= rounding
            batch = queue_first or queue.get()
            queue_first = None
            optimizer.zero_grad(set_to_none=True)
            loss, ok = step(model, batch, device, kind == "headings")
            loss.backward()
            torch.nn.utils.clip_grad_norm_(parameters, 1.0)
            optimizer.step()
            steps, total, right, seen = steps + 1, total + loss.detach(), right + ok, seen + batch.size
            if time.time() - shown > 15:
                print(f"{kind} step {steps} {fraction:.2f} loss {float(total) / steps:.3f} first {int(right) / seen:.3f} {seen / (time.time() - began):.0f}/s", flush=True)
                shown = time.time()
        [maker.terminate() for maker in own]
        print(kind, steps, "steps", f"{time.time() - began:.0f} s", measure(), flush=True)

    if options.seconds > 0:
        train("headings", options.rate, lambda began, _: (time.time() - began) / options.seconds, 2.0, 0.0)
        torch.save(model.state_dict(), options.out / "headings.pt")
    by_time = lambda began, _: (time.time() - began) / options.tune_seconds
    by_epochs = lambda _, steps: steps * options.batch / (options.epochs * train_count)
    if options.epochs > 0:
        train("questions", options.tune_rate, by_time if options.tune_seconds else by_epochs, options.round_from, options.dropout)
    model.trunk.weights_int8 = model.trunk.activations_int8 = True
    print("int8:", measure(), flush=True)
    torch.save(model.state_dict(), options.out / "final.pt")
    export(model, options.out / "reader.int8.safetensors")
    # Pages are somebody's text: what the engine is compared with is invented.
    invented = [entry for entry in questions if entry["held_out"] and entry["document"].is_invented and "additions" not in entry]
    write_reference(model, random.sample(invented, len(invented)), texts, options.out / "reference_answers.json")
    return 0


if __name__ == "__main__":
    sys.exit(main())
