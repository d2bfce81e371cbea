#!/usr/bin/env python3
"""Sentences about passages, by the generator that verifier_teacher.py has fitted, until the time is up.

    verifier_generator.py --smollm2 FOLDER --model FILE --written FILE --pool FILE --share I OF --seconds S --out FILE.jsonl

The passages are the written sentences' and those of the pool. Kinds are drawn as often as they were written, right and wrong.
A sentence's label is what was asked for; the student does not use it, only the teachers' probabilities.
"""

import argparse
import json
import random
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).parent))
from llama import sample
from verifier_teacher import LABELS, STOP, Words, load_judge, read_lines

MOST, TEMPERATURE, ROUNDS, CHUNK = 56, 0.9, 3, 8192


def is_sentence(text: str) -> bool:
    return len(text) >= 12 and "\n" not in text and "\ufffd" not in text and len(text.split()) >= (3 if text.isascii() else 1)


class Generator:
    def __init__(self, options, written, device):
        self.words, self.device, self.toy = Words(options.smollm2), device, options.toy
        counts = Counter((entry[2], entry[1]) for row in written for entry in row["rows"])
        self.kinds, self.weights = zip(*sorted(counts.items()))
        self.headers = {key: self.words.header(key[0], LABELS[key[1]]) for key in self.kinds}
        self.longest = max(map(len, self.headers.values()))
        judge = load_judge(options.smollm2, options.model, options.toy)
        self.model = judge.lm.to(device, torch.bfloat16 if device.type == "cuda" else torch.float32).eval()

    def text_ids(self, ids, key):
        """What was written after the header; nothing where it did not end in time."""
        begin = len(self.headers[key])
        return ids[begin : ids.index(STOP)] if STOP in ids else ids[begin:] if self.toy else []

    def sentences(self, passages, per, rng):
        """For each passage of tokens its distinct sentences, with label and kind."""
        longest = max(map(len, passages))
        prompts = np.full((len(passages), longest), STOP, np.int64)
        for row, ids in enumerate(passages):
            prompts[row, : len(ids)] = ids
        chosen = rng.choices(self.kinds, self.weights, k=len(passages) * per)
        forced = np.full((len(chosen), self.longest), -1, np.int64)
        for row, key in enumerate(chosen):
            forced[row, : len(self.headers[key])] = self.headers[key]
        put = lambda values: torch.from_numpy(values).to(self.device)
        lengths = torch.tensor([len(ids) for ids in passages], device=self.device)
        got = sample(self.model, put(prompts), lengths, put(forced), MOST, STOP, TEMPERATURE).cpu().tolist()
        texts = [text.strip() for text in self.words.tokenizer.decode_batch([self.text_ids(ids, key) for ids, key in zip(got, chosen)])]
        if self.toy:
            # A random model writes no sentences.
            texts = ["Toy " + " ".join(text.replace("\ufffd", "x").split())[:80] + " of words" for text in texts]
        out = []
        for start in range(0, len(chosen), per):
            found = {}
            for text, (kind, label) in zip(texts[start : start + per], chosen[start : start + per]):
                if is_sentence(text):
                    found.setdefault(text, [text, label, kind])
            out.append(list(found.values()))
        return out


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--smollm2", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--written", type=Path, required=True)
    parser.add_argument("--pool", type=Path, required=True)
    parser.add_argument("--share", type=int, nargs=2, default=[0, 1], help="which share of the passages, of how many")
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--per", type=int, default=8, help="sentences for each passage and round")
    parser.add_argument("--batch", type=int, default=384, help="passages at a time")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--toy", action="store_true", help="a tiny random model and few passages, for a test")
    options = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    began = shown = time.time()
    until, name = began + options.seconds, f"sample {options.share[0]}"
    written = [row for row in read_lines(options.written) if row["part"] == "train"]
    pool = [row["p"] for row in written] + [row["p"] for row in read_lines(options.pool)]
    random.Random(5).shuffle(pool)
    pool = pool[: 200 if options.toy else None][options.share[0] :: options.share[1]]
    rng = random.Random(options.share[0])
    torch.manual_seed(10 + options.share[0])
    generator = Generator(options, written, device)
    print(f"{name}: {len(pool)} passages, {time.time() - began:.0f} s to begin", flush=True)
    made = kept = 0
    with open(options.out, "w", encoding="utf8") as out:
        for start in [start for _ in range(ROUNDS) for start in range(0, len(pool), CHUNK)]:
            if time.time() > until:
                break
            part = pool[start : start + CHUNK]
            ids = generator.words.passages(part)
            order = sorted(range(len(part)), key=lambda at: len(ids[at]))
            batches = [order[at : at + options.batch] for at in range(0, len(order), options.batch)]
            rng.shuffle(batches)
            for batch in batches:
                if time.time() > until:
                    break
                for at, rows in zip(batch, generator.sentences([ids[at] for at in batch], options.per, rng)):
                    if rows:
                        out.write(json.dumps({"p": part[at], "rows": rows}, ensure_ascii=False) + "\n")
                    kept += len(rows)
                made += len(batch) * options.per
                if time.time() - shown > (2 if options.toy else 10):
                    shown = time.time()
                    print(f"{name} {time.time() - began:.0f} s: {made} made, {kept} kept, {made / (time.time() - began):.0f}/s", flush=True)
    print(f"{name}: {made} made, {kept} kept in {time.time() - began:.0f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
