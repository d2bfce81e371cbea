"""A bill of materials in CycloneDX's JSON: what is in the program, what built it, and what needs what."""

from __future__ import annotations

import json
import pathlib
import re
import uuid
from datetime import datetime, timezone

import contents
from facts import ROOT, facts, metadata, program, release_time
from target import Target

#: Slashes stood for OR before there were expressions.
OLD_OR = re.compile(r"\s*/\s*")


def build(target: Target, out: pathlib.Path) -> pathlib.Path:
    about, said = facts(), metadata(target.triple)
    linked = {package["id"] for package in contents.linked(target.triple)}
    root = program(said)
    needs = {node["id"]: [need["pkg"] for need in node["deps"] if _is_used(need)] for node in said["resolve"]["nodes"]}
    reached = _reach(root["id"], needs)
    packages = sorted((p for p in said["packages"] if p["id"] in reached), key=lambda p: (p["name"], p["version"]))
    sums = checksums()
    references = {package["id"]: _purl(package) for package in packages}
    components = [_component(p, p["source"] is None or p["id"] in linked, sums) for p in packages if p is not root]
    bill = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "timestamp": datetime.fromtimestamp(release_time(), timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": {**_component(root, True, sums), "type": "application"},
            "properties": [{"name": "cargo:target", "value": target.triple}],
        },
        "components": components,
        "dependencies": [
            {"ref": references[p["id"]], "dependsOn": sorted({references[need] for need in needs[p["id"]]})}
            for p in packages
        ],
    }
    # The same bill has the same number.
    number = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(bill, sort_keys=True))
    bill = {"bomFormat": bill.pop("bomFormat"), "specVersion": bill.pop("specVersion"), "serialNumber": number.urn, **bill}
    file = out / f"{about.name}-{about.version}-{target.triple}.cdx.json"
    file.write_text(json.dumps(bill, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return file


def _is_used(need: dict) -> bool:
    return any(kind["kind"] in (None, "build") for kind in need["dep_kinds"])


def _reach(root: str, needs: dict[str, list[str]]) -> set[str]:
    left, reached = [root], set()
    while left:
        one = left.pop()
        if one not in reached:
            reached.add(one)
            left += needs[one]
    return reached


def _purl(package: dict) -> str:
    return f"pkg:cargo/{package['name']}@{package['version']}"


def _component(package: dict, is_linked: bool, sums: dict[tuple[str, str], str]) -> dict:
    component = {
        "type": "library",
        "bom-ref": _purl(package),
        "name": package["name"],
        "version": package["version"],
        # What only builds the program is not in it.
        "scope": "required" if is_linked else "excluded",
        "purl": _purl(package),
    }
    if package["description"]:
        component["description"] = " ".join(package["description"].split())
    if package["license"]:
        component["licenses"] = [{"expression": OLD_OR.sub(" OR ", package["license"])}]
    known = sums.get((package["name"], package["version"]))
    if known:
        component["hashes"] = [{"alg": "SHA-256", "content": known}]
    if package["repository"]:
        component["externalReferences"] = [{"type": "vcs", "url": package["repository"]}]
    return component


def checksums() -> dict[tuple[str, str], str]:
    """Those of the packages as they were downloaded, from Cargo.lock."""
    found = {}
    for block in (ROOT / "Cargo.lock").read_text(encoding="utf-8").split("[[package]]"):
        fields = dict(re.findall(r'^(name|version|checksum) = "(.*)"$', block, re.MULTILINE))
        if "checksum" in fields:
            found[fields["name"], fields["version"]] = fields["checksum"]
    return found
