"""Packages for npm, so that `npx wellread` runs the program: one for each system with the program in it, and one that chooses.

npm installs of the optional dependencies only the one whose `os` and `cpu` are this machine's; nothing is downloaded by a script.
"""

from __future__ import annotations

import json
import pathlib

import archives
import contents
from archives import Entry
from facts import ROOT, facts, readme, release_time
from target import Target

#: The systems that a release has packages for, as `Target.npm` names them.
SYSTEMS = ["linux-x64", "linux-arm64", "darwin-arm64", "darwin-x64"]
LAUNCHER = "bin/wellread.js"


def build(binary: pathlib.Path, target: Target, out: pathlib.Path, fast: bool) -> pathlib.Path:
    """The package of one system."""
    os, cpu = target.npm.split("-")
    # Yarn and pnpm would put what is not named here into an archive of their own, where nothing can be run.
    more = {"os": [os], "cpu": [cpu], "preferUnplugged": True}
    if target.glibc is not None:
        more["libc"] = ["glibc"]
    about = f"The program for {target.npm}. Install `{facts().name}`, which chooses the right one.\n"
    entries = [
        Entry("README.md", about.encode()),
        Entry(f"bin/{target.executable}", binary, runs=True),
        *contents.licenses(target.triple),
    ]
    return _pack(f"{facts().name}-{target.npm}", more, entries, out, fast)


def build_main(out: pathlib.Path, fast: bool) -> pathlib.Path:
    """The package that people install: a script that runs the program of their system.

    It names only packages that are in `out`: a name that is not published could be taken by somebody else, whose program it would run.
    """
    about = facts()
    made = [f"{about.name}-{system}" for system in SYSTEMS]
    made = [name for name in made if (out / f"{name}-{about.version}.tgz").exists()]
    if not made:
        raise SystemExit(f"packaging/build: there is no npm package of a system in {out}; make those first")
    more = {
        "bin": {about.name: LAUNCHER},
        # The registry of the Model Context Protocol looks for it here.
        "mcpName": about.mcp_name,
        "engines": {"node": ">=18"},
        "optionalDependencies": {name: about.version for name in made},
    }
    entries = [
        Entry("README.md", readme().encode()),
        Entry(LAUNCHER, ROOT / "packaging/npm/launcher.js", runs=True),
        *(Entry(name, ROOT / path) for name, path in contents.LICENSES.items()),
    ]
    return _pack(about.name, more, entries, out, fast)


def _pack(name: str, more: dict, entries: list[Entry], out: pathlib.Path, fast: bool) -> pathlib.Path:
    about = facts()
    package = {
        "name": name,
        "version": about.version,
        "description": about.description,
        "license": about.license,
        "author": about.authors,
        "homepage": about.homepage,
        "repository": {"type": "git", "url": f"git+{about.repository}.git"},
        "keywords": about.keywords,
        **more,
    }
    text = json.dumps(package, indent=2, ensure_ascii=False) + "\n"
    entries = [Entry("package.json", text.encode()), *entries]
    entries = [Entry(f"package/{entry.name}", entry.content, entry.runs) for entry in entries]
    file = out / f"{name}-{about.version}.tgz"
    file.write_bytes(archives.gz(archives.tar(entries, release_time()), fast))
    return file
