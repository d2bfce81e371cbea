#!/usr/bin/env python3
"""Builds the evaluation sets: sets.py OUT [--code FOLDER] [--cosqa-test QUERIES.json CODES.txt] [--vault NAME FOLDER]... [--held-out FILE]

code      questions and the functions that answer them (queries.jsonl, functions.jsonl)
vault     known-item search: the text of a link is the query, the note that it points at is the answer
held-out  records of sources that are not trained on (pairs.py): comments, link texts, headings, questions

Nothing of these sets is in the training data: `pairs.py` is given the same files.
"""

import argparse
import gzip
import json
import random
import re
import sys
from pathlib import Path

import extract
import sampling

LARGEST_VAULT = 2500  # notes


def one_each(passages: list, queries: list, answers: list) -> dict:
    return {"units": len(passages), "passages": passages, "owner": list(range(len(passages))), "queries": queries, "answers": answers}


def code_set(folder: Path) -> dict:
    read = lambda name: [json.loads(line) for line in (folder / name).read_text().splitlines()]
    functions, queries = read("functions.jsonl"), read("queries.jsonl")
    place = {row["id"]: at for at, row in enumerate(functions)}
    return one_each([row["code"] for row in functions], [row["query"] for row in queries], [[place[row["id"]]] for row in queries])


def cosqa_test(queries: Path, codes: Path) -> dict:
    numbers, rows = json.loads(codes.read_text()), json.loads(queries.read_text())
    functions = [code for code, _ in sorted(numbers.items(), key=lambda item: item[1])]
    return one_each(functions, [row["doc"] for row in rows], [[row["retrieval_idx"]] for row in rows])


def pieces(title: str, trail: list, body: str, limit: int = 1000):
    """A section in passages of at most `limit` characters, each under its headings."""
    head = title + "".join(" > " + name for name in trail if name != title) + "\n"
    current = ""
    for block in re.split(r"\n{2,}", body):
        if current and len(current) + len(block) > limit:
            yield head + current
            current = ""
        current += ("\n\n" if current else "") + block
    if current:
        yield head + current


def whole_sections(text: str):
    """Like extract.sections, but short and long sections stay whole."""
    text = re.sub(r"^---\s*\n.*?\n---\s*\n", "", text, flags=re.S)
    trail, current, fenced = [], [], False
    for line in text.split("\n") + ["# end"]:
        fenced = not fenced if line.lstrip().startswith(("```", "~~~")) else fenced
        match = None if fenced else extract.HEADING.match(line)
        if match is None:
            current.append(line)
            continue
        body = extract.plain("\n".join(current)).strip()
        if body:
            yield [name for _, name in trail], body
        current, level = [], len(match.group(1))
        trail = [entry for entry in trail if entry[0] < level] + [(level, extract.heading(match.group(2)))]


def vault_set(folder: Path) -> dict:
    paths = sorted(folder.rglob("*.md"))
    random.Random(1).shuffle(paths)
    notes = {path.relative_to(folder).as_posix(): path.read_text("utf8", "replace") for path in sorted(paths[:LARGEST_VAULT])}
    names, passages, owner = {}, [], []
    for at, (path, text) in enumerate(notes.items()):
        names.setdefault(path.rsplit("/", 1)[-1][:-3].lower(), []).append(at)
        names.setdefault(path[:-3].lower(), []).append(at)
        front = re.match(r"^---\s*\n(.*?)\n---", text, re.S)
        found = re.search(r"^title:\s*[\"']?(.+?)[\"']?\s*$", front.group(1), re.M) if front else None
        title = found.group(1) if found else path.rsplit("/", 1)[-1][:-3]
        for trail, body in list(whole_sections(text)) or [([], title)]:
            for piece in pieces(title, trail, body):
                passages.append(piece)
                owner.append(at)
    asked = {}
    for text in notes.values():
        for target, label in re.findall(r"(?<!!)\[\[([^\[\]|#\n]+)(?:#[^\[\]|\n]*)?\\?\|([^\[\]\n]+)\]\]", text):
            fits = names.get(re.sub(r"\.md$", "", target.strip("/ ").rstrip("\\")).lower()) or names.get(target.strip("/ ").rsplit("/", 1)[-1].lower(), [])
            label = extract.heading(label)
            if len(set(fits)) == 1 and len(label) > 3:
                asked.setdefault(label, set()).add(fits[0])
    asked = {label: targets for label, targets in asked.items() if len(targets) == 1}
    picked = sorted(asked)
    random.Random(0).shuffle(picked)
    picked = picked[:1000]
    return {"units": len(notes), "passages": passages, "owner": owner, "queries": picked, "answers": [sorted(asked[label]) for label in picked]}


def held_out_sets(path: Path) -> dict:
    rnd, out = random.Random(5), {}
    records = [json.loads(line) for line in path.read_text().splitlines()]
    for name, languages in (("held-out code", ("py", "rs", "go", "java", "c")), ("held-out typescript", ("ts", "js"))):
        code = [record for record in records if record["t"] == "code" and record["l"] in languages]
        rnd.shuffle(code)
        code = code[:4000]
        asked = [at for at, record in enumerate(code) if len(record["c"].split()) >= 5][:600]
        out[name] = one_each([record["b"] for record in code], [re.split(r"(?<=[.!?])\s", code[at]["c"])[0] for at in asked], [[at] for at in asked])
    notes = [record for record in records if record["t"] == "note"]
    rnd.shuffle(notes)
    notes = notes[:5000]
    units, texts = {}, {}
    for record in notes:
        units.setdefault((record["g"], record["T"]), len(units))
    for record in notes:
        for text in record.get("a", []):
            texts.setdefault(text.lower(), set()).add(units[record["g"], record["T"]])
    links = [text for text in sorted(texts) if len(texts[text]) == 1][:500]
    owner = [units[record["g"], record["T"]] for record in notes]
    out["held-out links"] = {"units": len(units), "passages": [sampling.with_headings(r) for r in notes], "owner": owner, "queries": links, "answers": [list(texts[text]) for text in links]}
    titled = [at for at, record in enumerate(notes) if record["h"] and len(record["h"][-1].split()) > 2 and record["h"][-1] != record["T"]][:600]
    out["held-out headings"] = one_each([r["b"] for r in notes], [f"{notes[at]['T']} {notes[at]['h'][-1]}".lower() for at in titled], [[at] for at in titled])
    return {name: data for name, data in out.items() if len(data["queries"]) >= 20}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--code", type=Path)
    parser.add_argument("--cosqa-test", type=Path, nargs=2)
    parser.add_argument("--vault", nargs=2, action="append", default=[])
    parser.add_argument("--held-out", type=Path)
    options = parser.parse_args()
    sets = {}
    if options.code:
        sets["code"] = code_set(options.code)
    if options.cosqa_test:
        sets["code, test part"] = cosqa_test(*options.cosqa_test)
    for name, folder in options.vault:
        sets[name] = vault_set(Path(folder))
    if options.held_out:
        sets |= held_out_sets(options.held_out)
    for name, data in sets.items():
        print(f"{name}: {len(data['queries'])} queries, {data['units']} units, {len(data['passages'])} passages")
    with gzip.open(options.out, "wt", encoding="utf8") as file:
        json.dump(sets, file)
    return 0


if __name__ == "__main__":
    sys.exit(main())
