"""The plugin for Obsidian: a zip archive with the folder that goes into `.obsidian/plugins`.

`plugin/check` builds it; what is packed is what it built.
"""

from __future__ import annotations

import json
import pathlib

import archives
from archives import Entry
from facts import ROOT, facts, release_time

#: What Obsidian reads. `versions.json` is for the community store alone.
FILES = ("main.js", "manifest.json", "styles.css")


def build(out: pathlib.Path) -> pathlib.Path:
    built = ROOT / "plugin" / "build"
    missing = [name for name in FILES if not (built / name).is_file()]
    if missing:
        raise OSError(f"the plugin is not built ({', '.join(missing)}): run plugin/check first")
    manifest = json.loads((built / "manifest.json").read_text(encoding="utf-8"))
    if manifest["version"] != facts().version:
        raise OSError(f"the plugin was built for {manifest['version']}, and this is {facts().version}: run plugin/check again")
    folder = manifest["id"]
    licenses = [Entry(f"{folder}/{file.name}", file) for file in sorted((ROOT / "plugin").glob("LICENSE-*"))]
    file = out / f"{facts().name}-obsidian-{facts().version}.zip"
    archives.write_zip(file, [*(Entry(f"{folder}/{name}", built / name) for name in FILES), *licenses], release_time())
    return file
