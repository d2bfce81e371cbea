"""A wheel that carries the program, so that `uvx wellread` and `pip install wellread` run it. There is no Python code in it."""

from __future__ import annotations

import base64
import hashlib
import pathlib

import archives
import contents
from archives import Entry
from facts import facts, readme, release_time
from target import Target


def build(binary: pathlib.Path, target: Target, out: pathlib.Path, fast: bool) -> pathlib.Path:
    about = facts()
    stem = f"{about.name.replace('-', '_')}-{about.version}"
    info = f"{stem}.dist-info"
    licenses = contents.licenses(target.triple)
    entries = [
        Entry(f"{stem}.data/scripts/{target.executable}", binary, runs=True),
        *(Entry(f"{info}/licenses/{entry.name}", entry.content) for entry in licenses),
        Entry(f"{info}/METADATA", metadata_file([entry.name for entry in licenses]).encode()),
        Entry(f"{info}/WHEEL", wheel_file(target).encode()),
    ]
    record = "".join(f"{entry.name},{_hash(entry.read())},{len(entry.read())}\n" for entry in entries)
    entries.append(Entry(f"{info}/RECORD", f"{record}{info}/RECORD,,\n".encode()))
    file = out / f"{stem}-py3-none-{target.wheel}.whl"
    archives.write_zip(file, entries, release_time(), fast)
    return file


def _hash(content: bytes) -> str:
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


def metadata_file(licenses: list[str]) -> str:
    about = facts()
    fields = [
        ("Metadata-Version", "2.4"),
        ("Name", about.name),
        ("Version", about.version),
        ("Summary", about.description),
        ("Author", about.authors),
        ("License-Expression", about.license),
        *(("License-File", name) for name in licenses),
        ("Keywords", ",".join(about.keywords)),
        ("Project-URL", f"Homepage, {about.homepage}"),
        ("Project-URL", f"Repository, {about.repository}"),
        ("Requires-Python", ">=3.8"),
        ("Description-Content-Type", "text/markdown"),
    ]
    return "".join(f"{name}: {value}\n" for name, value in fields) + "\n" + readme()


def wheel_file(target: Target) -> str:
    tags = "".join(f"Tag: py3-none-{tag}\n" for tag in target.wheel.split("."))
    return f"Wheel-Version: 1.0\nGenerator: packaging/wheel.py\nRoot-Is-Purelib: false\n{tags}"
