"""What the packages say about the program. Every fact is Cargo's: nothing is written down a second time."""

from __future__ import annotations

import functools
import json
import os
import pathlib
import re
import subprocess
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).resolve().parent.parent
#: The earliest time that a zip archive can hold.
EARLIEST = 315_532_800


@dataclass(frozen=True)
class Facts:
    """What `Cargo.toml` says about the program."""

    name: str
    version: str
    description: str
    license: str
    authors: str
    homepage: str
    repository: str
    keywords: list[str]
    rust_version: str

    @property
    def tag(self) -> str:
        return f"v{self.version}"

    @property
    def mcp_name(self) -> str:
        """Its name in the registry of the Model Context Protocol, which gives each account of GitHub names of its own."""
        owner, repository = self.repository.removeprefix("https://github.com/").split("/")
        return f"io.github.{owner}/{repository}"

    def download(self, file: str) -> str:
        """Where a file of this release is."""
        return f"{self.repository}/releases/download/{self.tag}/{file}"


@functools.cache
def metadata(target: str | None = None) -> dict:
    """What `cargo metadata` says; with a target, without the packages of other systems."""
    command = [os.environ.get("CARGO", "cargo"), "metadata", "--quiet", "--locked", "--format-version", "1"]
    if target:
        command += ["--filter-platform", target]
    answer = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE)
    return json.loads(answer.stdout)


def program(said: dict) -> dict:
    """The package that has the program."""
    return next(package for package in said["packages"] if package["name"] == "wellread")


@functools.cache
def facts() -> Facts:
    """Refuses a pre-release: PyPI and Debian spell its version in other ways than Cargo."""
    command = [os.environ.get("CARGO", "cargo"), "metadata", "--quiet", "--no-deps", "--format-version", "1"]
    said = program(json.loads(subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout))
    if not re.fullmatch(r"\d+\.\d+\.\d+", said["version"]):
        raise SystemExit(f"packaging/build: packages are made of versions like 1.2.3, not of {said['version']}")
    fields = ["name", "version", "description", "license", "homepage", "repository", "keywords", "rust_version"]
    return Facts(**{field: said[field] for field in fields}, authors=", ".join(said["authors"]))


def release_time() -> int:
    """Seconds since 1970 that every file of a package bears: the same sources make the same bytes."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if given is None:
        log = ["git", "log", "-1", "--format=%ct"]
        try:
            given = subprocess.run(log, cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()
        except (OSError, subprocess.CalledProcessError):
            given = ""
    return max(int(given or 0), EARLIEST)


def readme() -> str:
    """README.md with links that also work elsewhere than in the repository.

    The comment at its end tells the registry of the Model Context Protocol that the package is the server's.
    """
    about = facts()
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    page, raw = f"{about.repository}/blob/{about.tag}", f"{about.repository}/raw/{about.tag}"
    absolute = r"(?!\w+:|#)([^)\s]+)\)"
    text = re.sub(r"(!\[[^]]*\])\(" + absolute, rf"\1({raw}/\2)", text)
    text = re.sub(r"(?<!!)(\[[^][]*\])\(" + absolute, rf"\1({page}/\2)", text)
    return f"{text}\n<!-- mcp-name: {about.mcp_name} -->\n"


def first_paragraph() -> str:
    """What the program is, in a few sentences: the first paragraph of README.md."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    paragraphs = [block for block in text.split("\n\n") if not block.startswith(("#", "!", "`"))]
    return " ".join(paragraphs[0].split())
