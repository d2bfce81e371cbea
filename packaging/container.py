"""The folder that a container image is built from: the Containerfile with labels, the program, the licenses."""

from __future__ import annotations

import json
import pathlib
import shutil

import contents
from facts import ROOT, facts
from target import Target, Unknown

#: OpenContainers' names for what Cargo knows.
LABELS = {
    "title": "name",
    "version": "version",
    "description": "description",
    "licenses": "license",
    "authors": "authors",
    "url": "homepage",
    "source": "repository",
}


def build(binary: pathlib.Path, target: Target, out: pathlib.Path, _fast: bool) -> pathlib.Path:
    if target.os != "linux" or target.glibc is not None:
        raise Unknown(f"the image has no glibc: it takes a static program for Linux, not one for {target.triple}")
    context = out / f"container-{target.deb}"
    if context.exists():
        raise SystemExit(f"packaging/build: {context} is there already")
    (context / "licenses").mkdir(parents=True)
    for entry in contents.licenses(target.triple):
        (context / "licenses" / entry.name).write_bytes(entry.read())
    shutil.copyfile(binary, context / "wellread")
    file = (ROOT / "packaging/Containerfile").read_text(encoding="utf-8")
    about = facts()
    labels = [
        f"org.opencontainers.image.{name}={json.dumps(getattr(about, fact), ensure_ascii=False)}"
        for name, fact in LABELS.items()
    ]
    (context / "Containerfile").write_text(f"{file}\nLABEL {' '.join(labels)}\n", encoding="utf-8")
    return context
