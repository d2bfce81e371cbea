#!/usr/bin/env python3
"""Makes the training records from the downloaded sources, without what is measured on.

    pairs.py extract                       reads data/packages and data/repos, writes data/extracted, a file for each source
    pairs.py select EVALUATION_TEXTS...    reads data/extracted, writes data/records.jsonl and data/held_out.jsonl

`extract` goes on where it stopped. Every EVALUATION_TEXTS is a file or folder; a record that shares text with one of them is left
out. Whole sources are held out as development sets by their name.
"""

import collections
import hashlib
import json
import random
import re
import sys
import tarfile
import zipfile
import zlib
from pathlib import Path

import collect
import extract

NOTE_SUFFIXES = (".md", ".mdx", ".rst")
SKIP = re.compile(
    r"(^|/)(reference/(5\.1|7\.4|7\.6)|_?vendor(ed)?|third_party|node_modules|tests?|__tests__|testing|testdata|fixtures|site-packages|generated|locales?|i18n|translations?|l10n|snapshots|benchmarks?)/"
    r"|\.min\.|\.spec\.|\.test\.|_test\.|(^|/)test_|_pb2|\.pb\.|zz_generated|chang(e|elog)|history|news|release|licen[sc]e|contributors|authors|code_of_conduct|security\.md",
    re.I,
)
# Copies of excluded projects inside other packages.
COPIES = re.compile(r"(^|/)(django|sympy|matplotlib|sklearn|astropy|sphinx|xarray|seaborn|pylint|flask|requests|_?pytest|jinja2|click|httpx|tornado|numpy|pandas|fastapi|serde|tokio)/", re.I)
COMPILED = re.compile(r"_classPrivateField|__awaiter|__generator|_interopRequire|__webpack|_createClass|\bvoid 0\b.*\bvoid 0\b|sourceMappingURL")
HELD_OUT = {"dendronhq/dendron-site", "alphagov/govuk-developer-docs", "foambubble/foam", "denoland/std", "google/comprehensive-rust"}
TRANSLATED = re.compile(r"(^|/)(content|docs|src/content/docs|documentation|translations|pages\.)[/.]?(de|es|fr|hi|id|it|ja|ko|no|pl|pt|pt-br|pt_br|ru|uk|vi|zh|zh-cn|zh-tw|ar|bn|tr|copy)[/.]", re.I)
MOST = {"git": (4000, 6000), "pypi": (300, 250), "npm": (500, 300), "crate": (250, 40)}  # code, notes
MOST_NOTE_FILES = 1200
SHINGLE = 8
LONGEST = 820  # characters of a passage: about the 192 tokens that training reads


def words(text: str) -> list:
    return re.findall(r"[a-z0-9]+", text.lower())


def strings(value):
    """All texts in a JSON value, names of fields included: some sets have the text there."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)):
        for part in value:
            yield from strings(part)
            if isinstance(value, dict):
                yield from strings(value[part])


class Evaluation:
    """What is measured on: shingles of its words, and its queries."""

    def __init__(self, paths: list):
        self.shingles, self.queries, self.beginnings = set(), set(), set()
        for path in paths:
            files = sorted(path.rglob("*")) if path.is_dir() else [path]
            for file in (file for file in files if file.is_file() and file.suffix in (".md", ".jsonl", ".json", ".html", ".txt", ".toml")):
                self.add(file)

    def add(self, file: Path) -> None:
        text = file.read_text("utf8", "replace")
        if file.suffix == ".jsonl":
            values = [json.loads(line) for line in text.splitlines() if line.strip()]
        elif file.suffix in (".json", ".txt") and text.lstrip()[:1] in ("{", "["):
            values = json.loads(text)
        else:
            values = extract.strip_tags(text) if file.suffix == ".html" else text
        for row in values if isinstance(values, list) else []:
            self.queries.update(row[key].lower() for key in ("query", "claim", "doc") if isinstance(row, dict) and isinstance(row.get(key), str))
        for part in strings(values):
            found = words(part)
            if len(found) >= SHINGLE:
                self.beginnings.add(" ".join(found[:25]))
                self.shingles.update(hash(" ".join(found[at : at + SHINGLE])) for at in range(len(found) - SHINGLE + 1))

    def overlaps(self, text: str) -> bool:
        found = words(text)
        if " ".join(found[:25]) in self.beginnings:
            return True
        total = max(0, len(found) - SHINGLE + 1)
        hits = sum(hash(" ".join(found[at : at + SHINGLE])) in self.shingles for at in range(total))
        return hits >= 3 and hits > 0.08 * total

    def clean(self, record: dict) -> bool:
        asked = record.get("q", []) + [record[key] for key in ("c", "D") if key in record]
        if any(text.lower().rstrip(".") in self.queries for text in asked):
            return False
        if "a" in record:
            record["a"] = [text for text in record["a"] if text.lower() not in self.queries]
        body = record.get("b") or record["d"]
        if record["t"] == "code" and COMPILED.search(body):
            return False
        return " ".join(words(body)[:25]) not in self.beginnings and not self.overlaps(record.get("c", "") + " " + body)


def source_path(row: dict) -> Path | None:
    """Where a source lies on disk; None when it was not taken."""
    if row["registry"] == "git":
        places = [collect.REPOS / (row["name"].replace("/", "+") + ".tar")]
    else:
        places = [collect.file_name(row["registry"], row["name"], suffix) for suffix in (".tar.gz", ".whl", ".zip", ".tgz", ".crate")]
    return next((path for path in places if path.exists()), None)


def source_records(row: dict):
    """All records of one source, before anything is left out."""
    name, notes, code_files, special = row["name"], [], [], []
    for path, data in collect.members(source_path(row)):
        inside = path if row["registry"] == "git" else path.partition("/")[2] or path
        suffix = "." + inside.rsplit(".", 1)[-1].lower() if "." in inside.rsplit("/", 1)[-1] else ""
        if name == "acl-org/acl-anthology":
            if re.search(r"data/xml/20[2-9]\d\.", path) and len(special) < 24_000:  # from 2020 on, all under CC BY 4.0
                special += extract.abstract_records(data.decode("utf8", "ignore"))
            continue
        if name == "abachaa/MedQuAD":
            special += extract.medical_records(data.decode("utf8", "ignore")) if suffix == ".xml" else []
            continue
        if suffix and suffix not in extract.LANGUAGES and suffix not in NOTE_SUFFIXES and name != "cheat/cheatsheets":
            continue
        if SKIP.search(inside) or COPIES.search(path) or TRANSLATED.search(inside) or not 150 < len(data) < 400_000 and name != "cheat/cheatsheets":
            continue
        text = data.decode("utf8", "ignore").replace("\r\n", "\n")
        if name == "cheat/cheatsheets" or name == "tldr-pages/tldr" or "awscli/examples/" in path or path.endswith("_help.py"):
            special += extract.command_records(path, text) if name != "tldr-pages/tldr" or re.search(r"(^|/)pages/", path) else []
        elif name == "python/peps" and "public domain" not in text:
            continue
        elif suffix in NOTE_SUFFIXES:
            notes.append((inside, text))
        elif suffix in extract.LANGUAGES and not path.endswith(".d.cts"):
            code_files.append((inside, text))
    rnd = random.Random(name)
    most_code, most_notes = MOST[row["registry"]]
    rnd.shuffle(code_files)
    code = []
    for path, text in code_files:
        code += extract.code_records(path, text)
        if len(code) > 1.5 * most_code:
            break
    rnd.shuffle(notes)
    found = list(extract.note_records(notes[:MOST_NOTE_FILES]))
    rnd.shuffle(code)
    rnd.shuffle(found)
    rnd.shuffle(special)
    return distinct(code)[:most_code] + found[:most_notes] + special[:30_000]


def distinct(records: list) -> list:
    """At most three records with one comment, so that boilerplate does not crowd out the rest."""
    counts, kept = collections.Counter(), []
    for record in records:
        counts[record["c"]] += 1
        if counts[record["c"]] <= 3:
            kept.append(record)
    return kept


def held_out(row: dict) -> bool:
    by_name = int(hashlib.sha256(row["name"].encode()).hexdigest(), 16) % 100 < 3
    return row["name"] in HELD_OUT or row["registry"] != "git" and by_name


def extracted_path(row: dict) -> Path:
    return collect.DATA / "extracted" / f"{row['registry']}-{row['name'].replace('/', '+').replace('@', '')}.jsonl"


def extract_all() -> int:
    """Every source that is on disk; repositories first, since they have the notes and questions."""
    (collect.DATA / "extracted").mkdir(parents=True, exist_ok=True)
    order = {"git": 0, "npm": 1, "pypi": 2, "crate": 3}
    rows = [{"registry": kind, "name": name} for kind, name in sorted(collect.wanted_sources(), key=lambda pair: order[pair[0]])]
    for row in rows:
        path = extracted_path(row)
        if path.exists() or not source_path(row) or collect.excluded(row["registry"], row["name"]):
            continue
        try:
            records = source_records(row)
        except (OSError, EOFError, zlib.error, tarfile.TarError, zipfile.BadZipFile) as error:
            print("not read:", row["registry"], row["name"], error, flush=True)
            continue
        path.with_suffix(".part").write_text("".join(json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n" for record in records))
        path.with_suffix(".part").rename(path)
        print(row["registry"], row["name"], len(records), flush=True)
    return 0


def select(paths: list) -> int:
    evaluation = Evaluation([Path(path) for path in paths])
    print(len(evaluation.shingles), "shingles,", len(evaluation.queries), "queries to keep out", flush=True)
    seen, stats, counts = set(), collections.Counter(), []
    with open(collect.DATA / "records.jsonl", "w") as train, open(collect.DATA / "held_out.jsonl", "w") as development:
        for row in collect.read_sources():
            used, path = 0, extracted_path(row)
            for line in path.read_text().splitlines() if path.exists() else []:
                record = json.loads(line)
                body = record.get("b") or record["d"]
                asked = record["q"][0] if "q" in record else ""
                key = hashlib.sha256((re.sub(r"\W+", "", body[:400]).lower() + asked).encode("utf8", "replace")).digest()[:8]
                if key in seen:
                    stats["duplicate"] += 1
                    continue
                seen.add(key)
                if not evaluation.clean(record):
                    stats["overlaps evaluation"] += 1
                    continue
                record["g"] = f"{row['registry']}:{row['name']}"
                record["b" if "b" in record else "d"] = body[:LONGEST]
                (development if held_out(row) else train).write(json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n")
                stats["held out" if held_out(row) else record["t"] + " " + record.get("l", record.get("k", ""))] += 1
                used += 1
            counts.append(f"{row['registry']}\t{row['name']}\t{used}")
    (collect.DATA / "counts.tsv").write_text("\n".join(counts) + "\n")
    print(dict(sorted(stats.items())))
    return 0


def main() -> int:
    if sys.argv[1:2] == ["extract"]:
        return extract_all()
    if sys.argv[1:2] == ["select"]:
        return select(sys.argv[2:])
    print(__doc__)
    return 2


if __name__ == "__main__":
    sys.exit(main())
