"""The manifests by which agents and registries find the program: written from Cargo's facts into the repository.

`server.json` of the repository has the packages that have a name in a registry. That of a release has the bundles too, whose hashes
are known only then. There are no remotes: nobody runs a server for others.
"""

from __future__ import annotations

import hashlib
import json
import pathlib

import mcpb
from facts import ROOT, facts
from target import Target

SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
#: The systems that a release has bundles for.
TRIPLES = [
    "x86_64-unknown-linux-musl",
    "aarch64-unknown-linux-musl",
    "aarch64-apple-darwin",
    "x86_64-apple-darwin",
]
#: Registries with the package that has the program, and what runs it.
REGISTRIES = {"npm": "npx", "pypi": "uvx"}
#: The server that a client starts.
ARGUMENTS = ["mcp"]


def build(root: pathlib.Path = ROOT) -> pathlib.Path:
    """Writes all of them below `root`."""
    for path, content in {
        ".claude-plugin/plugin.json": plugin(),
        ".claude-plugin/marketplace.json": marketplace(),
        "server.json": server([]),
    }.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        _write(file, content)
    return root / "server.json"


def build_registry(out: pathlib.Path) -> pathlib.Path:
    """`server.json` with the bundles that are in `out`: what is handed to the registry when a release is public."""
    bundles = [out / mcpb.name(Target(triple)) for triple in TRIPLES]
    bundles = [file for file in bundles if file.exists()]
    if not bundles:
        raise SystemExit(f"packaging/build: there is no bundle in {out}; make one first")
    file = out / "server.json"
    _write(file, server([_bundle(file) for file in bundles]))
    return file


def plugin() -> dict:
    about = facts()
    return {
        "name": about.name,
        "version": about.version,
        "description": about.description,
        "author": {"name": about.authors},
        "homepage": about.homepage,
        "repository": about.repository,
        "license": about.license,
        "keywords": about.keywords,
        "mcpServers": {about.name: {"command": about.name, "args": ARGUMENTS}},
    }


def marketplace() -> dict:
    """A marketplace with one plugin, which is this repository."""
    about = facts()
    listed = {"name": about.name, "source": "./", "version": about.version, "description": about.description}
    return {
        "name": about.name,
        "owner": {"name": about.authors},
        "metadata": {"description": about.description, "version": about.version},
        "plugins": [listed],
    }


def server(bundles: list[dict]) -> dict:
    about = facts()
    return {
        "$schema": SCHEMA,
        "name": about.mcp_name,
        "title": about.name.capitalize(),
        "description": about.description,
        "websiteUrl": about.homepage,
        "repository": {"url": about.repository, "source": "github"},
        "version": about.version,
        "packages": [*(_package(registry, runner) for registry, runner in REGISTRIES.items()), *bundles],
    }


def _package(registry: str, runner: str) -> dict:
    about = facts()
    vault = {
        "type": "named",
        "name": "--vault",
        "description": "The folder of your Markdown notes; without it, the one of your settings",
        "format": "filepath",
        "isRequired": False,
    }
    return {
        "registryType": registry,
        "identifier": about.name,
        "version": about.version,
        "runtimeHint": runner,
        "transport": {"type": "stdio"},
        "packageArguments": [*({"type": "positional", "value": word} for word in ARGUMENTS), vault],
    }


def _bundle(file: pathlib.Path) -> dict:
    """Its arguments are in its own manifest."""
    return {
        "registryType": "mcpb",
        "identifier": facts().download(file.name),
        "version": facts().version,
        "fileSha256": hashlib.sha256(file.read_bytes()).hexdigest(),
        "transport": {"type": "stdio"},
    }


def _write(file: pathlib.Path, content: dict) -> None:
    file.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
