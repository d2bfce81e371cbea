"""The archive that people download: the program, man pages, completions, licenses. Homebrew and winget install it, too."""

from __future__ import annotations

import pathlib

import archives
import contents
from archives import Entry
from facts import ROOT, facts, release_time
from target import Target


def name(target: Target) -> str:
    return f"{facts().name}-{facts().version}-{target.triple}"


def build(binary: pathlib.Path, target: Target, out: pathlib.Path, fast: bool) -> pathlib.Path:
    folder = name(target)
    entries = [Entry(target.executable, binary, runs=True), Entry("README.md", ROOT / "README.md")]
    entries += [Entry(f"man/{page.name}", page.content) for page in contents.man_pages(binary)]
    entries += [
        Entry(f"completions/wellread.{shell}", text) for shell, text in contents.completions(binary).items()
    ]
    entries += contents.licenses(target.triple)
    entries = [Entry(f"{folder}/{entry.name}", entry.content, entry.runs) for entry in entries]
    if target.os == "win32":
        file = out / f"{folder}.zip"
        archives.write_zip(file, entries, release_time(), fast)
    else:
        file = out / f"{folder}.tar.gz"
        file.write_bytes(archives.gz(archives.tar(entries, release_time()), fast))
    return file
