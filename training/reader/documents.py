#!/usr/bin/env python3
"""Documents in pieces, from packages and repositories that `collect.py` of the encoder's training has taken.

    documents.py OUT.jsonl

A piece is a heading, a sentence, a list item, a row of a table or a block of code, in plain text. A document is a file, or a part of
a longer one that begins at a heading: at most 60 pieces. Files that nobody asks about (change logs, licenses, tests) are left out.
"""

import hashlib
import json
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))
import collect

MOST_PIECES, ENOUGH_PIECES = 60, 30
LEFT_OUT = re.compile(r"change|history|news|release|licen|contribut|/tests?/|authors|node_modules|codes?_of|whatsnew|/api/|reference/api|security|credits|todo|/locale")
MARKS = "=-~^\"'#*+`.:_"
SENTENCE_END = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[A-Z`\"'(\[*0-9])")
ABBREVIATION = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|Mr|Dr|cf|No|approx|resp|Fig|St|ca|incl|min|max)\.|\b[A-Z]\.)$")
HIDDEN_BLOCK = re.compile(r"\s*\.\. (?:code-block|code|sourcecode|highlight|parsed-literal|literalinclude|image|figure|toctree|index|contents|auto\w+|currentmodule|module|_|\|)")
SHOWN_BLOCK = re.compile(r"^\s*\.\. (note|warning|tip|important|versionadded|versionchanged|deprecated|attention|caution|seealso|hint)::\s*")


def indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def is_underline(line: str) -> bool:
    line = line.strip()
    return len(line) >= 3 and len(set(line)) == 1 and line[0] in MARKS


def from_rst(text: str) -> str:
    """reStructuredText as Markdown, as far as headings, lists and sentences go."""
    lines, out, levels, at = text.split("\n"), [], [], 0
    while at < len(lines):
        line, below = lines[at], lines[at + 1] if at + 1 < len(lines) else ""
        if line.strip() and not line.startswith(" ") and is_underline(below) and len(below.strip()) >= len(line.strip()) - 2:
            mark = below.strip()[0]
            levels += [] if mark in levels else [mark]
            out += ["", "#" * min(4, levels.index(mark) + 1) + " " + line.strip(), ""]
            at += 2
        elif HIDDEN_BLOCK.match(line):
            depth = indent(line)
            at += 1
            while at < len(lines) and (not lines[at].strip() or indent(lines[at]) > depth):
                at += 1
            out.append("")
        else:
            at += 1
            line = SHOWN_BLOCK.sub("", line)
            if is_underline(line) or re.match(r"\s*\.\. ", line) or re.match(r"\s*:\w[\w -]*:(\s|$)", line):
                continue
            line = re.sub(r":[\w:+-]+:`~?([^`<]+?)(?:\s*<[^`]*>)?`", r"`\1`", line)
            line = re.sub(r"`([^`<]+?)\s*<[^`]*>`__?", r"\1", line).replace("``", "`")
            out.append(re.sub(r"::\s*$", ":", line))
    return "\n".join(out)


def split_sentences(text: str) -> list:
    out = []
    for part in SENTENCE_END.split(text):
        if out and ABBREVIATION.search(out[-1]):
            out[-1] += " " + part
        else:
            out.append(part)
    return [part.strip() for part in out if part.strip()]


def plain(text: str) -> str:
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)", "", text)
    text = re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"\[\[(?:[^\]|]*\|)?([^\]]+)\]\]", r"\1", text)
    text = re.sub(r"\[([^\]]+)\]\[[^\]]*\]", r"\1", text)
    text = re.sub(r"\{\{[^}]*\}\}|\{%[^%]*%\}|<[^>]+>", "", text)
    text = re.sub(r"\*\*|__|(?<!\w)\*(?=\w)|(?<=\w)\*(?!\w)|`", "", text)
    return re.sub(r"\s+", " ", text).strip()


class Pieces:
    """The pieces of a Markdown text: (kind, text), where kind is `h1` to `h6`, `p`, `i`, `i+`, `r` or `c`."""

    def __init__(self, text: str):
        self.out, self.lines, self.kind = [], [], "p"
        text = re.sub(r"<!--.*?-->", "", re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.S), flags=re.S)
        code = None
        for line in text.split("\n"):
            if re.match(r"\s*(```|~~~)", line):
                self.close()
                if code:
                    self.add_code(" ".join(code))
                code = [] if code is None else None
            elif code is not None:
                code += [line.strip()] if line.strip() else []
            else:
                self.read(line)
        self.close()
        self.out = [(kind, text[:600]) for kind, text in self.out if text]

    def read(self, line: str):
        heading, item = re.match(r"(#{1,6})\s+(.*)", line), re.match(r"\s*(?:[-*+]|\d+[.)]|#\.)\s+(.*)", line)
        if heading:
            self.close()
            self.out.append((f"h{len(heading[1])}", plain(re.sub(r"\{#.*\}", "", heading[2]))))
        elif re.match(r"\s*\|", line):
            self.close()
            if not re.match(r"[\s|:+-]+$", line):
                self.out.append(("r", " | ".join(plain(cell) for cell in line.strip().strip("|").split("|"))))
        elif item:
            self.close()
            self.kind, self.lines = "i", [item[1]]
        elif re.match(r" {4,}\S", line) and not self.lines:
            self.add_code(line.strip())
        elif not line.strip() or re.match(r"(:::|!!!|\{%|\{\{|===|\?\?\?)", line.strip()):
            self.close()
        else:
            self.lines.append(re.sub(r"^\s*>\s?(\[![\w-]+\][+-]?\s*)?", "", line))

    def add_code(self, text: str):
        if self.out and self.out[-1][0] == "c":
            text = f"{self.out.pop()[1]} ; {text[:160]}"
        self.out.append(("c", text[:200]))

    def close(self):
        for number, sentence in enumerate(split_sentences(plain(" ".join(self.lines)))):
            self.out.append(("i+" if self.kind == "i" and number else self.kind, sentence))
        self.lines, self.kind = [], "p"


def documents(source: str, path: str, text: str):
    """The documents of one file; those with little prose are left out."""
    pieces = Pieces(from_rst(text) if path.lower().endswith(".rst") else text).out
    title = pieces[0][1] if pieces and pieces[0][0] == "h1" else re.sub(r"[-_]", " ", Path(path).stem)
    parts, current = [], []
    for piece in pieces:
        if current and (len(current) >= MOST_PIECES or piece[0] in ("h1", "h2", "h3") and len(current) >= ENOUGH_PIECES):
            parts.append(current)
            current = []
        current.append(piece)
    for part in parts + [current]:
        prose = sum(kind in ("p", "i", "i+", "r") and len(text) > 40 for kind, text in part)
        odd = sum(bool(re.search(r"http|::|\|\|", text)) for _, text in part)
        if prose >= 9 and odd * 4 < len(part):
            digest = hashlib.sha256("\n".join(text for _, text in part).encode()).hexdigest()
            yield {"id": digest, "source": source, "path": path, "title": title, "pieces": part}


def main() -> int:
    with open(sys.argv[1], "w", encoding="utf8") as out:
        for archive in sorted([*collect.PACKAGES.iterdir(), *collect.REPOS.glob("*.tar")]):
            for path, data in collect.members(archive):
                if path.lower().endswith((".md", ".rst")) and not LEFT_OUT.search(path.lower()):
                    for document in documents(archive.name.split(".")[0], path, data.decode("utf8", "ignore")):
                        out.write(json.dumps(document, ensure_ascii=False) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
