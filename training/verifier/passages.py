#!/usr/bin/env python3
"""Passages with sentences of their own, from the records that the encoder is trained on.

    passages.py RECORDS OUT.jsonl.bz2 [MOST]

Prose: a section, and those of its sentences that say something. Code: a function without its comment, and the comment's sentences.
"""

import bz2
import json
import random
import re
import sys

SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z`\"'(\[*])")


def sentences(text: str) -> list:
    out = []
    for block in re.split(r"\n\s*\n|\n(?=\s*[-*+\d])", re.sub(r"```.*?(```|$)", "\n\n", text, flags=re.S)):
        block = re.sub(r"\s+", " ", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", re.sub(r"^\s*([-*+>]|\d+[.)])\s+", "", block))).strip()
        out += [part.strip() for part in SENTENCE.split(block)]
    return [part for part in out if 5 <= len(part.split()) <= 40 and re.search(r"[a-z]{3}", part) and part.count("|") < 2 and not part.endswith("?")]


def passage(record: dict):
    if record["t"] == "note":
        text, own = record["b"].strip(), sentences(record["b"])
        head = " > ".join(record.get("h") or [])
        return {"k": "note", "p": (f"{head}\n{text}" if head else text)[:1800], "s": own} if len(own) >= 2 else None
    if record["t"] == "code" and record.get("c"):
        own = sentences(record["c"])[:2]
        return {"k": "code", "p": record["b"][:1500], "s": own} if own and len(record["b"]) > 80 else None
    return None


def main() -> int:
    source, target, most = sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 10**9
    rng = random.Random(1)
    found = {"note": [], "code": []}
    with open(source, encoding="utf8") as lines:
        for line in lines:
            made = passage(json.loads(line))
            if made and len(made["p"]) >= 120:
                found[made["k"]].append(made)
    for kind, rows in found.items():
        rng.shuffle(rows)
        print(kind, len(rows), sum(len(row["s"]) for row in rows))
    rows = found["note"][: most * 3 // 4] + found["code"][: most // 4]
    rng.shuffle(rows)
    with bz2.open(target, "wt", encoding="utf8") as out:
        for row in rows:
            out.write(json.dumps(row, ensure_ascii=False) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
