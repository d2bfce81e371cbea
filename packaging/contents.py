"""What belongs to the program besides itself: man pages, completions, licenses. The program prints the first two."""

from __future__ import annotations

import os
import pathlib
import subprocess
import tempfile

from archives import Entry
from facts import ROOT, facts, metadata, program

SHELLS = ["bash", "zsh", "fish"]
#: The licenses of the program, and what has to be said of the models in it.
LICENSES = {
    "LICENSE-MIT": "LICENSE-MIT",
    "LICENSE-APACHE": "LICENSE-APACHE",
    "NOTICE": "crates/encoder/model/NOTICE",
}
#: How files that hold a license begin.
LICENSE_NAMES = ("license", "licence", "copying", "notice", "copyright", "unlicense", "third_party")


def ask(binary: pathlib.Path, *words: str) -> str:
    """What the program prints, in a home folder of its own: nothing of this machine gets into a package."""
    with tempfile.TemporaryDirectory() as home:
        command = [binary, *(word.replace("{home}", home) for word in words)]
        ran = subprocess.run(command, env=environment(home), check=True, stdout=subprocess.PIPE)
        return ran.stdout.decode("utf-8").replace(home, "{home}")


def environment(home: str) -> dict[str, str]:
    """What a program needs to run, and nothing else of this machine."""
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
    return {**kept, "HOME": home}


def man_pages(binary: pathlib.Path) -> list[Entry]:
    with tempfile.TemporaryDirectory() as folder:
        ask(binary, "man", "--out", folder)
        pages = sorted(pathlib.Path(folder).iterdir())
        return [Entry(page.name, page.read_bytes()) for page in pages]


def completions(binary: pathlib.Path) -> dict[str, bytes]:
    return {shell: ask(binary, "completions", shell).encode() for shell in SHELLS}


def licenses(target: str) -> list[Entry]:
    """Ours, and those of the crates in the program. Rust's standard library and musl are not listed."""
    ours = [Entry(name, ROOT / path) for name, path in LICENSES.items()]
    return [*ours, Entry("THIRD-PARTY.txt", third_party(target).encode())]


def linked(target: str | None) -> list[dict]:
    """The packages that are in the program, without ours and without what only builds or tests it."""
    said = metadata(target)
    nodes = {node["id"]: node for node in said["resolve"]["nodes"]}
    left, reached = [program(said)["id"]], set()
    while left:
        one = left.pop()
        if one in reached:
            continue
        reached.add(one)
        for need in nodes[one]["deps"]:
            if any(kind["kind"] is None for kind in need["dep_kinds"]):
                left.append(need["pkg"])
    packages = [package for package in said["packages"] if package["id"] in reached and package["source"]]
    return sorted(packages, key=lambda package: (package["name"], package["version"]))


def third_party(target: str) -> str:
    """Every license text once, below the packages that come with it; those that come with none are named first."""
    texts: dict[str, list[str]] = {}
    without = []
    for package in linked(target):
        name = f"{package['name']} {package['version']} ({package['license']})"
        found = _license_texts(pathlib.Path(package["manifest_path"]).parent)
        for text in found:
            texts.setdefault(text, []).append(name)
        if not found:
            without.append(f"{name}: {package['repository'] or ''}".rstrip(": "))
    head = f"{facts().name} {facts().version} has in it what others wrote, under these licenses.\n"
    parts = [head]
    if without:
        parts.append("Without a license file of their own, so that only its name and their sources are given:\n" + "\n".join(without) + "\n")
    parts += ["\n".join(names) + "\n\n" + text for text, names in texts.items()]
    return f"\n{'-' * 78}\n\n".join(parts)


def _license_texts(folder: pathlib.Path) -> list[str]:
    files = [file for file in sorted(folder.iterdir()) if file.name.lower().startswith(LICENSE_NAMES)]
    files = [file for file in files if file.is_file() and file.suffix != ".rs"]
    return [file.read_text(encoding="utf-8", errors="replace").strip() + "\n" for file in files]
