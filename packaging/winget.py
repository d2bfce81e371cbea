"""Manifests for winget, which install the archive for Windows: a version, an installer and a locale, one file each.

For later: the program has never been run on Windows, so that a release has no such archive.
"""

from __future__ import annotations

import hashlib
import json
import pathlib

import archive
from facts import facts, first_paragraph
from target import Target

SCHEMA = "1.10.0"
TRIPLES = {"x64": "x86_64-pc-windows-msvc", "arm64": "aarch64-pc-windows-msvc"}


def build(out: pathlib.Path) -> pathlib.Path:
    """Of the archives for Windows that are in `out`."""
    about = facts()
    installers = []
    for cpu, triple in TRIPLES.items():
        folder = archive.name(Target(triple))
        file = out / f"{folder}.zip"
        if file.exists():
            installers.append(
                {
                    "Architecture": cpu,
                    "InstallerUrl": about.download(file.name),
                    "InstallerSha256": hashlib.sha256(file.read_bytes()).hexdigest().upper(),
                    "NestedInstallerFiles": [
                        {"RelativeFilePath": f"{folder}\\wellread.exe", "PortableCommandAlias": about.name}
                    ],
                }
            )
    if not installers:
        raise SystemExit(f"packaging/build: there is no archive for Windows in {out}; make it first")
    name = about.name.capitalize()
    identifier = f"{name}.{name}"
    for suffix, manifest in manifests(installers).items():
        manifest = {"PackageIdentifier": identifier, "PackageVersion": about.version, **manifest, "ManifestVersion": SCHEMA}
        # JSON is YAML, and a line for each field is what their reviewers expect.
        lines = [f"{key}: {json.dumps(value, ensure_ascii=False)}\n" for key, value in manifest.items()]
        (out / f"{identifier}{suffix}.yaml").write_text("".join(lines), encoding="utf-8")
    return out / f"{identifier}.yaml"


def manifests(installers: list[dict]) -> dict[str, dict]:
    about = facts()
    return {
        "": {"DefaultLocale": "en-US", "ManifestType": "version"},
        ".installer": {
            "InstallerType": "zip",
            "NestedInstallerType": "portable",
            "Installers": installers,
            "ManifestType": "installer",
        },
        ".locale.en-US": {
            "PackageLocale": "en-US",
            "Publisher": about.authors,
            "PackageName": about.name.capitalize(),
            "PackageUrl": about.homepage,
            "License": about.license,
            "LicenseUrl": f"{about.repository}/blob/{about.tag}/LICENSE-MIT",
            "ShortDescription": about.description,
            "Description": first_paragraph(),
            "Moniker": about.name,
            "Tags": about.keywords,
            "ManifestType": "defaultLocale",
        },
    }
