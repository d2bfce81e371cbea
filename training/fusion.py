#!/usr/bin/env python3
"""Chooses the weights of the fusion: fusion.py SIGNALS...

SIGNALS is what `cargo bench -p wellread-adapters --bench quality -- FOLDER --signals FILE` wrote: a line for each question, with the signals of
its results. Every combination of weights is tried; the best is the one with the highest mean over all buckets, less twice
what a bucket loses against words alone. The weights stand in `crates/core/src/library/search/fusion.rs`.
"""

import itertools
import json
import sys

RELATED, BELOW, ABOVE = 0.38, 0.18, 0.32
NAMED, COMPLETE, FIELDS = 0.5, 0.05, 0.7


def read(paths):
    for path in paths:
        with open(path, encoding="utf8") as file:
            yield from map(json.loads, file)


def by_words(kind, words, all_words, named, cosine):
    return None if words is None else words + NAMED * named + COMPLETE * all_words


def by_meaning(kind, words, all_words, named, cosine):
    return cosine


def fused(complete, partial):
    def score(kind, words, all_words, named, cosine):
        share = complete if all_words else partial
        near = None if cosine is None else min(1.0, max(0.0, (cosine - RELATED + BELOW) / (BELOW + ABOVE)))
        bonus = NAMED * named + COMPLETE * all_words
        if words is not None:
            total = bonus + (words if near is None else share * words + (1 - share) * near)
        elif cosine is not None and cosine >= RELATED:
            total = (1 - share) * near
        else:
            return None
        return total * FIELDS if kind == "frontmatter" and not all_words else total

    return score


def reciprocal_ranks(questions, score):
    """The mean reciprocal rank in the first ten files of each bucket."""
    buckets = {}
    for question in questions:
        best = {}
        for path, *signals in question["rows"]:
            value = score(*signals)
            if value is not None and value > best.get(path, -1):
                best[path] = value
        order = sorted(best, key=lambda path: (-best[path], path))[:10]
        rank = 1 / (order.index(question["answer"]) + 1) if question["answer"] in order else 0
        buckets.setdefault((question["set"], question["bucket"]), []).append(rank)
    return {bucket: sum(ranks) / len(ranks) for bucket, ranks in buckets.items()}


def main() -> int:
    if len(sys.argv) < 2:
        print(__doc__)
        return 2
    questions = list(read(sys.argv[1:]))
    is_code = lambda question: question["bucket"] == "function"
    for kind, part in (("notes", [q for q in questions if not is_code(q)]), ("code", [q for q in questions if is_code(q)])):
        if not part:
            continue
        words, meaning = reciprocal_ranks(part, by_words), reciprocal_ranks(part, by_meaning)
        tried = []
        for complete, partial in itertools.product((0.35, 0.45, 0.55, 0.65, 0.8), (0.2, 0.3, 0.4, 0.5, 0.65)):
            found = reciprocal_ranks(part, fused(complete, partial))
            lost = sum(max(0.0, words[bucket] - found[bucket]) for bucket in words)
            tried.append((sum(found.values()) / len(found) - 2 * lost, complete, partial, found))
        tried.sort(key=lambda row: row[0], reverse=True)
        for value, complete, partial, _ in tried[:5]:
            print(f"{kind}: complete {complete}, partial {partial}: {value:.3f}")
        for bucket in sorted(words):
            print(f"  {bucket[0]}, {bucket[1]}: words {words[bucket]:.3f}, meaning {meaning[bucket]:.3f}, both {tried[0][3][bucket]:.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
