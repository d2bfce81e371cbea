"""Data for the reader's distillation: settings, documents and questions in both models' tokens, groups, batches, and held-out tests.

Settings come from the environment (see run_reader.sh). Moments (`UNTIL_*`) are seconds from the start, `T0`. The folder DATA has documents.jsonl.bz2,
extra.jsonl.bz2, written.jsonl.bz2 and tokenizer.json; what they are stands in README.md.
"""

import ctypes
import importlib.util
import json
import multiprocessing
import os
import pickle
import random
import sys
import time
import traceback
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

HERE = Path(__file__).resolve().parent
# There is a train.py for each model: this one is the reader's. It has a name, so that its documents can be pickled.
spec = importlib.util.spec_from_file_location("reader_train", HERE.parent / "reader" / "train.py")
R = importlib.util.module_from_spec(spec)
sys.modules["reader_train"] = R
spec.loader.exec_module(R)
from model import Texts

SETTINGS = {
    "SECONDS_TEACHER": 720,
    "UNTIL_TEACHER": 790,
    "WORKERS_TEACHER": 3,
    "SECONDS_GENERATOR": 75,
    "UNTIL_GENERATED": 790,
    "MOST_GENERATED": 120_000,
    "SECONDS_STUDENT": 480,
    "UNTIL_STUDENT": 1300,
    "WORKERS_STUDENT": 5,
    "UNTIL_ALL": 1390,
    "TESTS": 2000,
    "TEST_NOTES": 400,
}
T0 = float(os.environ.get("T0", time.time()))
TOY = os.environ.get("TOY", "0") == "1"
DATA, SMOLLM2, MODEL, OUT, WORK = (Path(os.environ.get(name.upper(), name)) for name in ("data", "smollm2", "model", "out_reader", "work_reader"))
MOST_T_QUESTION, MOST_T_CONTEXT, MOST_T_PIECE = 120, 36, 120


def setting(name):
    return float(os.environ.get(name, SETTINGS[name]))


def say(*what):
    print(f"[{time.time() - T0:6.1f}s]", *what, flush=True)


def left(until):
    """Seconds to a moment that is counted from T0."""
    return until - (time.time() - T0)


TEXTS = SMOL_TOKENIZER = NEWLINE = None


def tokenizers_once():
    global TEXTS, SMOL_TOKENIZER, NEWLINE
    if TEXTS is None:
        TEXTS = Texts(DATA / "tokenizer.json")
        SMOL_TOKENIZER = Tokenizer.from_file(str(SMOLLM2 / "tokenizer.json"))
        SMOL_TOKENIZER.no_padding()
        SMOL_TOKENIZER.no_truncation()
        NEWLINE = smol("\n")[0]


def smol(text):
    return SMOL_TOKENIZER.encode(text, add_special_tokens=False).ids


def make_documents(rows):
    """The documents of rows; each section with its words and with its tokens for the teacher."""
    tokenizers_once()
    out = []
    for row in rows:
        document = R.Document(row, TEXTS)
        document.kinds, document.extra = [kind for kind, _ in row["pieces"]], row.get("extra", False)
        for section in document.sections:
            texts = [text for _, _, text in section["pieces"]]
            section["words"] = frozenset(R.words_of(section["heading"] + " " + " ".join(texts)))
            section["t"] = {number: smol(text)[:MOST_T_PIECE] for number, _, text in section["pieces"]}
            section["tc"] = smol(section["name"])[:MOST_T_CONTEXT]
        out.append(document)
    return out


def toy_subset(written):
    """A few vaults, groups and pages, for a test."""
    kept, seen = [], {}
    for row in written:
        held = row["held_out"]
        group = ("vault", row["source"]) if row.get("whole_source") else ("group", row["collection"]) if "collection" in row else ("page", row["document"])
        groups = seen.setdefault((group[0], held), [])
        if group not in groups and len(groups) < {"vault": 3, "group": 2, "page": 20}[group[0]]:
            groups.append(group)
        if group in groups:
            kept.append(row)
    return kept


class Data:
    """All documents, the entries to train on, those that are held out, and everything indexed."""


def load():
    data = Data()
    written = R.read_lines(DATA / "written.jsonl.bz2")
    rows = R.read_lines(DATA / "documents.jsonl.bz2")
    extra = R.read_lines(DATA / "extra.jsonl.bz2")
    if TOY:
        written, extra = toy_subset(written), extra[:20]
        wanted = {row["document"] for row in written}
        rows = [row for row in rows if row["id"] in wanted]
    say("read", len(written), "rows,", len(rows), "documents and", len(extra), "more")
    title = lambda pieces: pieces[0][1] if pieces[0][0][0] == "h" else ""
    stem = lambda row: {"name": Path(row["path"]).stem} if row.get("whole_source") else {}
    rows += [{"is_invented": True, "id": row["document"], "source": row["source"], "title": title(row["pieces"]), "pieces": row["pieces"], **stem(row)} for row in written if "pieces" in row]
    rows = list({row["id"]: row for row in rows + extra}.values())
    chunks = [rows[at : at + 40] for at in range(0, len(rows), 40)]
    with multiprocessing.Pool(2 if TOY else 8) as pool:
        documents = [document for chunk in pool.imap(make_documents, chunks) for document in chunk]
    tokenizers_once()
    say("tokenized", len(documents), "documents")
    by_id = {document.id: document for document in documents}
    written = [row for row in written if row["document"] in by_id]
    held_ids = {row["document"] for row in written if row["held_out"]}
    vaults = {}
    for row in written:
        if "additions" in row or "collection" in row:
            vaults.setdefault(row.get("collection", row["source"]), []).append(by_id[row["document"]])
    questions = []
    for row in written:
        in_view = {document.id for document in vaults[row["collection"]]} if "collection" in row else set()
        for question, answers, *elsewhere in row["questions"]:
            entry = {"question": question, "answers": answers, "in_view": in_view - set(*elsewhere)}
            questions.append({"document": by_id[row["document"]], "held_out": row["held_out"], "whole_source": row.get("whole_source", False), **entry})
    for row in written:
        if "additions" in row:
            vault = [document for document in vaults[row.get("collection", row["source"])] if document.id != row["document"]]
            additions = {(document, number): mark for mark, document, number in row["additions"]}
            questions.append({"document": by_id[row["document"]], "vault": vault, "additions": additions, "held_out": row["held_out"], "whole_source": True})
    data.documents, data.by_id = documents, by_id
    data.known = [document for document in documents if not document.extra]
    data.held = [entry for entry in questions if entry["held_out"]]
    # A document may be held out in one row and not in another: then it is held out.
    train = [entry for entry in questions if not entry["held_out"] and entry["document"].id not in held_ids]
    for entry in train:
        if "vault" in entry:
            entry["vault"] = [document for document in entry["vault"] if document.id not in held_ids]
    data.notes = [entry for entry in train if "additions" in entry]
    data.questions = [entry for entry in train if "additions" not in entry]
    data.free = [document for document in documents if document.id not in held_ids]
    data.index, data.index_ids = Index(data.free), {document.id for document in data.free}
    left_out = sum(not entry["held_out"] for entry in questions) - len(train)
    say(len(data.questions), "questions and", len(data.notes), "notes to train on;", len(data.held), "held out;", left_out, "left out, as their document is held out in another row")
    return data


class Index:
    """Sections by word, for a source and for all."""

    def __init__(self, documents):
        self.documents = documents
        self.sections = [(document, section) for document in documents for section in document.sections]
        self.sources, self.words = {}, {}
        for at, (document, section) in enumerate(self.sections):
            own = self.sources.setdefault(document.source, {})
            for word in section["words"]:
                own.setdefault(word, []).append(at)
                self.words.setdefault(word, []).append(at)

    def best(self, words, index, rng, most, fits, count):
        scores = {}
        for word in words:
            found = index.get(word, ())
            if found:
                worth = 1.0 / np.log(2 + len(found))
                for at in found if len(found) < most else rng.sample(found, most):
                    scores[at] = scores.get(at, 0.0) + worth
        out = []
        for at in sorted(scores, key=scores.get, reverse=True):
            if fits(self.sections[at][0]):
                out.append(at)
                if len(out) == count:
                    break
        return out

    def near(self, words, document, rng, count=10, among=None):
        return self.best(words, self.sources.get(document.source, {}), rng, 400, lambda other: other.id != document.id and (not among or other.id in among), count)

    def alike(self, words, document, rng, count=4):
        rare = sorted((word for word in words if 0 < len(self.words.get(word, ())) < 3000), key=lambda word: len(self.words[word]))[:4]
        return self.best(rare, self.words, rng, 120, lambda other: other.source != document.source, count)


# Groups


def teacher_window(question, section, numbers):
    """A window's tokens for the teacher, and the range of each piece with its line break."""
    ids = [0] + question + [NEWLINE] + section["tc"] + [NEWLINE]
    spans = []
    for number in numbers:
        tokens = section["t"][number]
        spans.append((len(ids), len(ids) + len(tokens) + 1))
        ids = ids + tokens + [NEWLINE]
    return np.array(ids, np.int32), spans


def build(text, chosen, is_right, rng, most=2, is_known=lambda document: True, is_doubtful=lambda document, number: False, masks=True):
    """Windows as (ids, second, [(label, known, start, end, number)], teacher's ids, teacher's spans, document, section)."""
    question = TEXTS.tokenizer.encode(text, add_special_tokens=False).ids
    theirs = smol("Question: " + text)[:MOST_T_QUESTION]
    group = []
    for own, document, section in chosen:
        made = R.windows(question, document, section)
        if own:
            made = [entry for entry in made if any(is_right(number, True) for number, _, _ in entry[2])] or made
        rng.shuffle(made)
        for ids, second, ranges in made[: most if own else 1]:
            tids, spans = teacher_window(theirs, section, [number for number, _, _ in ranges])
            entries, kept = [], []
            for (number, start, end), span in zip(ranges, spans):
                if not is_doubtful(document, number):
                    entries.append((float(own and is_right(number, True)), is_known(document), start, end, number))
                    kept.append(span)
            if entries:
                group.append((R.mask(ids, second, rng, 0.05) if masks and rng.random() < 0.5 else ids, second, entries, tids, kept, document, section))
    return group


def question_group(entry, data, rng, light=False):
    document, answers, index = entry["document"], set(entry["answers"]), data.index
    own = [section for section in document.sections if any(number in answers for number, _, _ in section["pieces"])]
    others = [section for section in document.sections if section not in own]
    asked = R.words_of(entry["question"])
    others.sort(key=lambda section: -len(asked & section["words"]) - 2 * rng.random())
    chosen = [(True, document, section) for section in own] + [(False, document, section) for section in others[: 2 if light else 4]]
    if "near" not in entry:
        entry["near"] = index.near(asked, document, rng, 10, entry["in_view"] or None)
        entry["alike"] = index.alike(asked, document, rng)
    near, alike = entry["near"], entry["alike"]
    chosen += [(False, *index.sections[at]) for at in rng.sample(near, min(3 if light else 5, len(near))) + rng.sample(alike, min(1, len(alike))) * (not light or rng.random() < 0.3)]
    in_view = entry["in_view"] or {document.id}
    is_known = lambda other: other.id in in_view or other.source != document.source or entry["whole_source"]
    return build(R.vary_question(entry["question"], rng), chosen, lambda number, _: number in answers, rng, 1 if light else 2, is_known=is_known)


def note_group(entry, data, rng, light=False):
    own = entry["document"]
    if "sections" not in entry:
        entry["sections"] = [(document, section) for document in entry["vault"] for section in document.sections]
        entry["alike"] = data.index.alike(R.words_of(own.opening), own, rng)
    text = R.note_question(own, rng)
    is_marked = lambda document, number, mark: entry["additions"].get((document.id, number)) == mark
    has = lambda document, section: any(is_marked(document, number, "+") for number, _, _ in section["pieces"])
    others = [place for place in entry["sections"] if not has(*place)]
    named = R.words_of(own.opening)
    others.sort(key=lambda place: -len(named & place[1]["words"]) - 4 * rng.random())
    wanted = [place for place in entry["sections"] if has(*place)]
    rng.shuffle(wanted)
    is_doubtful = lambda document, number: is_marked(document, number, "~")
    group, most = [], 1 if light else 2
    for document, section in wanted[: 2 if light else 5]:
        group += build(text, [(True, document, section)], lambda number, _: is_marked(document, number, "+"), rng, most, is_doubtful=is_doubtful)
    beside = [(False, *place) for place in others[: 4 if light else 8]] + [(False, *data.index.sections[at]) for at in rng.sample(entry["alike"], min(1, len(entry["alike"])))]
    return group + build(text, beside, lambda number, _: False, rng, most, is_doubtful=is_doubtful)


def made_group(made, data, rng, masks=True):
    """A question that a model wrote about a piece; sometimes without the section that it was written about."""
    at, section_at, _, text = made
    document = data.documents[at]
    section, asked = document.sections[section_at], R.words_of(text)
    others = [other for other in document.sections if other is not section]
    others.sort(key=lambda other: -len(asked & other["words"]) - 2 * rng.random())
    near, alike = data.index.near(asked, document, rng, 7), data.index.alike(asked, document, rng, 2)
    chosen = [(True, document, section)] * (not masks or rng.random() < 0.85) + [(False, document, other) for other in others[:3]]
    chosen += [(False, *data.index.sections[at]) for at in rng.sample(near, min(5, len(near))) + rng.sample(alike, min(1, len(alike)))]
    return build(R.vary_question(text, rng) if masks else text, chosen, lambda number, _: number == made[2], rng, 2, masks=masks)


def made_note_group(document, data, rng):
    """A note without marks, and sections of its source that share words with it."""
    near = data.index.near(R.words_of(document.opening), document, rng, 14)
    chosen = [(False, *data.index.sections[at]) for at in rng.sample(near, min(9, len(near)))]
    return build(R.note_question(document, rng), chosen, lambda number, _: False, rng, 1)


class Batch:
    """Windows laid end to end, for both models, with the rows of their pieces."""

    def __init__(self, groups, labeled=None, student=True, teacher=True):
        flat = [window for group in groups for window in group]
        self.size = len(groups)
        self.labeled = np.array(labeled if labeled is not None else [1.0] * len(groups), np.float32)
        self.labels = np.array([entry[0] for window in flat for entry in window[2]], np.float32)
        self.known = np.array([entry[1] for window in flat for entry in window[2]], bool)
        self.groups = np.array([at for at, group in enumerate(groups) for window in group for _ in window[2]], np.int64)
        self.owners = np.array([at for at, window in enumerate(flat) for _ in window[2]], np.int64)
        self.seconds = np.array([window[1] for window in flat], np.int64)
        if student:
            self.ids, self.lengths, self.rows, self.counts, _ = self.lay([(window[0], [(entry[2], entry[3]) for entry in window[2]]) for window in flat])
        if teacher:
            self.tids, self.tlengths, self.trows, self.tcounts, self.tends = self.lay([(window[3], window[4]) for window in flat])

    @staticmethod
    def lay(windows):
        base, rows, counts, ends = 0, [], [], []
        for ids, spans in windows:
            for start, end in spans:
                rows.append(np.arange(base + start, base + end, dtype=np.int32))
                counts.append(end - start)
                ends.append(base + end - 1)
            base += len(ids)
        return np.concatenate([ids for ids, _ in windows]).astype(np.int32), np.array([len(ids) for ids, _ in windows], np.int64), np.concatenate(rows), np.array(counts, np.int64), np.array(ends, np.int64)


# Producers


def end_with_parent():
    """A process that outlives its parent would hold the log open."""
    try:
        ctypes.CDLL(None).prctl(1, 9)
    except Exception:
        pass


def put_batches(kind, data, seed, queue, batch, made):
    """Batches without end: for `teacher` lighter groups, for `student` generated questions among them, for `alone` without the teacher's tokens."""
    end_with_parent()
    rng = random.Random(seed)
    light = kind == "teacher"
    twice = lambda entry: 2 if entry["whole_source"] or entry["in_view"] else 1
    questions = [entry for entry in data.questions for _ in range(twice(entry))]
    notes = data.notes
    sources = {}
    for document in data.free:
        sources.setdefault(document.source, []).append(document)
    as_notes = [document for source in sources.values() if len(source) > 5 for document in source]
    orders = {}

    def draw(name, of):
        order = orders.get(name)
        if not order:
            order = orders[name] = rng.sample(range(len(of)), len(of))
        return of[order.pop()]

    while True:
        groups, labeled = [], []
        while len(groups) < batch:
            chance = rng.random()
            try:
                if made and chance < 0.40:
                    if chance < 0.36:
                        group = made_group(draw("made", made), data, rng)
                    else:
                        group = made_note_group(draw("as notes", as_notes), data, rng)
                    label = 0.0
                else:
                    label = 1.0
                    if rng.random() < 0.15 and notes:
                        group = note_group(draw("notes", notes), data, rng, light)
                    else:
                        group = question_group(draw("questions", questions), data, rng, light)
            except Exception:
                traceback.print_exc()
                continue
            if group:
                groups.append(group)
                labeled.append(label)
        queue.put(Batch(groups, labeled, student=kind != "teacher", teacher=kind != "alone"))


def start_producers(kind, data, count, batch, seed, made=()):
    queue = multiprocessing.Queue(maxsize=24)
    makers = [multiprocessing.Process(target=put_batches, args=(kind, data, seed + at, queue, batch, made), daemon=True) for at in range(count)]
    [maker.start() for maker in makers]
    return queue, makers


# Tests and generated questions


def plain_windows(question, theirs, chosen, key):
    windows, keys = [], []
    for document, section in chosen:
        for ids, second, ranges in R.windows(question, document, section):
            tids, spans = teacher_window(theirs, section, [number for number, _, _ in ranges])
            windows.append((ids, second, [(0.0, True, start, end, number) for number, start, end in ranges], tids, spans))
            keys += [key(document, number, len(keys) + at) for at, (number, _, _) in enumerate(ranges)]
    return windows, keys


def prepare_tests(data):
    """The held-out questions and notes as batches for both models, the same for every model. Sections beside them as train.py finds them."""
    rng = random.Random(1)
    tests = [entry for entry in data.held if "additions" not in entry]
    notes = [entry for entry in data.held if "additions" in entry]
    tests = rng.sample(tests, min(int(setting("TESTS")), len(tests)))
    notes = rng.sample(notes, min(int(setting("TEST_NOTES")), len(notes)))
    pool = R.Pool(data.known, 0)
    prepared = []
    for entry in tests:
        near = pool.alike(entry["question"], entry["document"], 10, True, entry["in_view"] or None)
        chosen = [(entry["document"], section) for section in entry["document"].sections] + [pool.sections[at] for at in near]
        kind = "vaults" if entry["whole_source"] else "projects" if entry["in_view"] else "pages"
        question, theirs = TEXTS.tokenizer.encode(entry["question"], add_special_tokens=False).ids, smol("Question: " + entry["question"])[:MOST_T_QUESTION]
        windows, keys = plain_windows(question, theirs, chosen, lambda document, number, at: (document is entry["document"], number if document is entry["document"] else at))
        answers = set(entry["answers"])
        prepared.append((kind, windows, keys, [own and number in answers for own, number in keys], bool(answers)))
    for entry in notes:
        text = R.note_question(entry["document"])
        chosen = [(document, section) for document in entry["vault"] for section in document.sections]
        question, theirs = TEXTS.tokenizer.encode(text, add_special_tokens=False).ids, smol("Question: " + text)[:MOST_T_QUESTION]
        windows, keys = plain_windows(question, theirs, chosen, lambda document, number, at: (document.id, number))
        prepared.append(("notes", windows, keys, [entry["additions"].get(key) for key in keys], True))
    # Batches of about as many windows each.
    out, current = [], []
    for test in prepared:
        if test[1]:
            current.append(test)
        if sum(len(test[1]) for test in current) > 250:
            out.append(current)
            current = []
    out += [current] if current else []
    out = [(Batch([test[1] for test in tests]), [(kind, keys, marks, has) for kind, _, keys, marks, has in tests]) for tests in out]
    with open(WORK / "tests.tmp", "wb") as file:
        pickle.dump(out, file, protocol=5)
    os.replace(WORK / "tests.tmp", WORK / "tests.pickle")
    say("prepared", len(prepared), "tests in", len(out), "batches;", sum(len(batch.ids) for batch, _ in out), "tokens")


def read_tests():
    with open(WORK / "tests.pickle", "rb") as file:
        return pickle.load(file)


def read_made(data):
    path = WORK / "made.jsonl"
    made = []
    if path.exists():
        for line in path.read_text().splitlines():
            try:
                made.append(tuple(json.loads(line)))
            except ValueError:
                pass
    return made
