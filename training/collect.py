#!/usr/bin/env python3
"""Takes the training sources from the package registries and from public repositories, by name.

    collect.py resolve    reads packages.txt, takes the newest version of each, checks the licence, writes sources.tsv; goes on where it stopped
    collect.py download   takes exactly what sources.tsv says and compares every hash

Registries are reached where the usual clients (pip, npm, cargo) are set to reach them. Repositories lie as tar files with their
text files in data/repos, made by `collect.py snapshot GIT_DIR...`.
"""

import base64
import concurrent.futures
import functools
import hashlib
import html
import io
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import threading
import urllib.parse
import urllib.request
import zipfile
from pathlib import Path

import licences

HERE = Path(__file__).parent
DATA = Path(os.environ.get("TRAINING_DATA", HERE / "data"))
PACKAGES = DATA / "packages"
REPOS = DATA / "repos"
LARGEST = 16_000_000
REPO_SUFFIXES = (".md", ".mdx", ".rst", ".py", ".ts", ".tsx", ".js", ".mjs", ".rs", ".go", ".java", ".c", ".h", ".txt", ".xml")


def excluded(kind: str, name: str) -> bool:
    """Whether somebody measures on this project: its repository or a package of it stands in exclude.txt."""
    lines = [line.split("#")[0].strip() for line in (HERE / "exclude.txt").read_text().splitlines()]
    name = name.lower().replace("_", "-")
    for line in filter(None, lines):
        owner, _, project = line.lower().rpartition("+")
        if kind == "git" and name == f"{owner}/{project}":
            return True
        if kind != "git" and line.startswith("package:"):
            pattern = line.removeprefix("package:").strip().lower()
            if name == pattern or pattern.endswith("*") and name.startswith(pattern[:-1]):
                return True
        if kind != "git" and owner and name in (project, project.replace("-", "")):
            return True
    return False


def get(url: str, accept: str = "*/*") -> bytes:
    request = urllib.request.Request(url, headers={"Accept": accept, "User-Agent": "wellread-training"})
    with urllib.request.urlopen(request, timeout=120) as reply:
        if int(reply.headers.get("Content-Length") or 0) > LARGEST:
            raise ValueError("too large")
        return reply.read()


@functools.cache
def pip_index() -> str:
    from pip._internal.models.index import PyPI

    told = subprocess.run([sys.executable, "-m", "pip", "config", "get", "global.index-url"], capture_output=True, text=True)
    return (told.stdout.strip() or PyPI.simple_url).rstrip("/")


@functools.cache
def npm_registry() -> str:
    return subprocess.run(["npm", "config", "get", "registry"], capture_output=True, text=True).stdout.strip().rstrip("/")


def members(path: Path):
    """Every text file of a package or snapshot as (path inside, bytes)."""
    if path.suffix in (".whl", ".zip"):
        with zipfile.ZipFile(path) as archive:
            for info in archive.infolist():
                if info.file_size < 3_000_000:
                    yield info.filename, archive.read(info)
        return
    with tarfile.open(path) as archive:
        for info in archive:
            if info.isfile() and info.size < 30_000_000:
                yield info.name, archive.extractfile(info).read()


def stated_licence(path: Path) -> str:
    """The licence that a package states: in its metadata, else in its licence file."""
    stated, texts = [], []
    for name, data in members(path):
        base, depth = name.rsplit("/", 1)[-1], name.count("/")
        if base in ("METADATA", "PKG-INFO") and depth <= 2:
            head = data.decode("utf8", "ignore").split("\n\n")[0]
            expression = re.search(r"^License-Expression: (.+)$", head, re.M)
            if expression:
                return licences.permissive(expression.group(1).strip())
            stated += re.findall(r"^Classifier: License :: (?:OSI Approved :: )?(.+)$", head, re.M)
            field = re.search(r"^License: (.+)$", head, re.M)
            stated += [field.group(1)] if field and len(field.group(1)) < 60 else []
            stated = [text for text in stated if text.strip() not in ("UNKNOWN", "OSI Approved")]
            if stated:
                break
        elif base == "Cargo.toml" and depth == 1:
            field = re.search(r'^license = "(.+)"', data.decode("utf8", "ignore"), re.M)
            return licences.permissive(field.group(1)) if field else ""
        elif re.match(r"(licen[sc]e|copying)", base, re.I) and depth <= 3:
            texts.append(data.decode("utf8", "ignore"))
    if any(licences.DENIED.search(text) for text in stated):
        return ""
    return next(filter(None, map(licences.permissive, stated)), "") or (licences.from_text(texts[0]) if texts else "")


def python_files(name: str) -> list:
    """What the index lists for a project: (version, file name, address, sha256), without pre-releases and withdrawn files."""
    page = f"{pip_index()}/{name}/"
    found = []
    for tag, address, digest in re.findall(r'(<a [^>]*href="([^"#]+)#sha256=([0-9a-f]{64})"[^>]*>)', get(page).decode("utf8", "replace")):
        file = urllib.parse.unquote(address.rsplit("/", 1)[-1])
        match = re.search(r"-(\d[\d.]*(?:\.post\d+)?)(?:\.tar\.gz|\.zip|-[\w.]+-[\w.]+-[\w.]+\.whl)$", file)
        if match and "data-yanked" not in tag:
            found.append((match.group(1), file, urllib.parse.urljoin(page, html.unescape(address)), digest))
    return found


def take_pypi(name: str, pinned: dict | None) -> dict:
    """The newest source distribution that is not too large (it has the documentation), else a wheel."""
    files = python_files(name)
    if pinned:
        files = [entry for entry in files if entry[3] == pinned["sha256"]]
    if not files:
        raise ValueError("no fitting file")
    newest = max((entry[0] for entry in files), key=lambda text: [int(part) for part in re.findall(r"\d+", text)])
    files = [entry for entry in files if entry[0] == newest]
    files.sort(key=lambda entry: (entry[1].endswith(".whl"), "none-any" not in entry[1], "x86_64" not in entry[1], entry[1]))
    for version, file, address, digest in files[:3]:
        try:
            data = get(address)
        except ValueError:
            continue
        if hashlib.sha256(data).hexdigest() != digest:
            raise ValueError("hash differs from the registry's")
        suffix = ".whl" if file.endswith(".whl") else ".zip" if file.endswith(".zip") else ".tar.gz"
        return dict(version=version, data=data, suffix=suffix)
    raise ValueError("too large")


def take_npm(name: str, pinned: dict | None) -> dict:
    version = pinned["version"] if pinned else "latest"
    entry = json.loads(get(f"{npm_registry()}/{name.replace('/', '%2f')}/{version}"))
    data = get(entry["dist"]["tarball"])
    if len(data) > LARGEST:
        raise ValueError("too large")
    algorithm, _, want = entry["dist"]["integrity"].partition("-")
    if base64.b64encode(hashlib.new(algorithm, data).digest()).decode() != want:
        raise ValueError("hash differs from the registry's")
    licence = entry.get("license", "")
    licence = licence.get("type", "") if isinstance(licence, dict) else licence
    return dict(version=entry["version"], data=data, suffix=".tgz", licence=licences.permissive(licence))


def take_crates(wanted: dict) -> dict:
    """All crates in one go, by `cargo fetch` in an empty project. `wanted`: name to version, or to None for the newest."""
    home = Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo"))
    taken = {}
    with tempfile.TemporaryDirectory() as folder:
        lines = [f'{n} = {{ version = "{"=" + v if v else "*"}", default-features = false }}' for n, v in sorted(wanted.items())]
        Path(folder, "Cargo.toml").write_text('[package]\nname = "sources"\nversion = "0.0.0"\nedition = "2021"\n[dependencies]\n' + "\n".join(lines) + "\n")
        Path(folder, "src").mkdir()
        Path(folder, "src/lib.rs").write_text("")
        subprocess.run(["cargo", "fetch", "--quiet"], cwd=folder, check=True)
        lock = Path(folder, "Cargo.lock").read_text()
    best = {}
    for name, version, checksum in re.findall(r'name = "(.+)"\nversion = "(.+)"\nsource = .+\nchecksum = "(.+)"', lock):
        if name in wanted and (wanted[name] in (None, version)):
            best[name] = max(best.get(name, ("", "")), (version, checksum), key=lambda v: [int(x) for x in re.findall(r"\d+", v[0].split("+")[0])])
    for name, (version, checksum) in best.items():
        for path in home.glob(f"registry/cache/*/{name}-{version}.crate"):
            data = path.read_bytes()
            if hashlib.sha256(data).hexdigest() == checksum:
                taken[name] = dict(version=version, data=data, suffix=".crate")
    return taken


def file_name(kind: str, name: str, suffix: str) -> Path:
    return PACKAGES / (f"{kind}-{name.replace('/', '+').replace('@', '')}{suffix}")


def snapshot(git_dirs: list) -> None:
    """Packs the text files of each repository's newest commit into data/repos/OWNER+NAME.tar, with the commit beside it."""
    REPOS.mkdir(parents=True, exist_ok=True)
    for git_dir in git_dirs:
        name = Path(git_dir).resolve().parent.name
        git = ["git", "-c", "safe.directory=*", "--git-dir", git_dir]
        commit = subprocess.run(git + ["rev-parse", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()
        tree = subprocess.run(git + ["ls-tree", "-r", "-z", "HEAD"], capture_output=True, check=True).stdout
        wanted = []
        for entry in filter(None, tree.split(b"\0")):
            meta, path = entry.split(b"\t", 1)
            mode, kind, blob = meta.split()
            path = path.decode("utf8", "replace")
            base = path.rsplit("/", 1)[-1]
            if kind == b"blob" and mode != b"120000" and (path.lower().endswith(REPO_SUFFIXES) or "." not in base):
                wanted.append((path, blob))
        child = subprocess.Popen(git + ["cat-file", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        threading.Thread(target=lambda: (child.stdin.writelines(b + b"\n" for _, b in wanted), child.stdin.close()), daemon=True).start()
        with tarfile.open(REPOS / f"{name}.tar", "w") as archive:
            for path, _ in wanted:
                header = child.stdout.readline().split()
                if header[-1] == b"missing":
                    continue
                data = child.stdout.read(int(header[2]))
                child.stdout.read(1)
                if len(data) < 400_000 or path.endswith(".xml"):
                    info = tarfile.TarInfo(path)
                    info.size = len(data)
                    archive.addfile(info, io.BytesIO(data))
        (REPOS / f"{name}.tar.rev").write_text(f"{commit}\t{hashlib.sha256(tree).hexdigest()}\n")
        print(name, len(wanted), flush=True)


# Repositories that state the licence of their texts elsewhere; `pairs.py` takes only the files that it covers.
STATED_ELSEWHERE = {
    "acl-org+acl-anthology.tar": "CC-BY",  # its documentation: everything since 2016 is under CC BY 4.0
    "python+peps.tar": "CC0-1.0",  # in each proposal: public domain or CC0
}


def repo_licence(path: Path) -> str:
    """The licence in the top folder of a repository. Every such file must be permissive, so a second one for prose counts too."""
    if path.name in STATED_ELSEWHERE:
        return STATED_ELSEWHERE[path.name]
    found = []
    for name, data in members(path):
        if re.match(r"(?:\.github/)?(licen[sc]e|copying|copyright|unlicense)[^/]*(?<!\.json)$", name, re.I):
            found.append(licences.from_text(data.decode("utf8", "ignore")))
    return " AND ".join(sorted(set(" AND ".join(found).split(" AND ")))) if found and all(found) else ""


def wanted_sources() -> list:
    rows = []
    for line in (HERE / "packages.txt").read_text().splitlines():
        line = line.split("#")[0].strip()
        if line:
            kind, *names = line.split()
            rows += [(kind, name) for name in names]
    return sorted(set(rows))


def read_sources() -> list:
    lines = (HERE / "sources.tsv").read_text().splitlines()
    return [dict(zip(lines[0].split("\t"), line.split("\t"))) for line in lines[1:]]


def take(kind: str, name: str, pinned: dict | None, crates: dict) -> dict:
    """One source, on disk and with its licence checked. Raises with the reason why it is not used."""
    if excluded(kind, name):
        raise ValueError("excluded")
    if kind == "git":
        path = REPOS / (name.replace("/", "+") + ".tar")
        if not path.exists():
            raise ValueError("no snapshot")
        version, digest = Path(f"{path}.rev").read_text().split()
        licence = repo_licence(path)
    else:
        got = crates.get(name) if kind == "crate" else (take_pypi if kind == "pypi" else take_npm)(name, pinned)
        if not got:
            raise ValueError("not in the registry")
        path = file_name(kind, name, got["suffix"])
        path.write_bytes(got["data"])
        version, digest = got["version"], hashlib.sha256(got["data"]).hexdigest()
        licence = got["licence"] if kind == "npm" else stated_licence(path)
        if not licence:
            path.unlink()
    if not licence:
        raise ValueError("licence not permissive or not stated")
    if pinned and digest != pinned["sha256"]:
        raise ValueError("hash differs from sources.tsv")
    return dict(name=name, version=version, registry=kind, sha256=digest, licence=licence)


def taken() -> dict:
    """What an earlier `resolve` took."""
    path = DATA / "taken.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    return {(row["registry"], row["name"]): row for row in rows}


def take_all(rows: list, pins: dict) -> tuple:
    PACKAGES.mkdir(parents=True, exist_ok=True)
    kept = {} if pins else taken()
    rows = [row for row in rows if row not in kept]
    wanted = {name: pins.get(("crate", name), {}).get("version") for kind, name in rows if kind == "crate" and not excluded(kind, name)}
    crates = take_crates(wanted) if wanted else {}
    good, bad = list(kept.values()), []

    def one(row):
        try:
            return take(*row, pins.get(row), crates), None
        except Exception as error:
            return None, (*row, str(error)[:100])

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        for done, (ok, failed) in enumerate(pool.map(one, rows)):
            (good if ok else bad).append(ok or failed)
            if ok and not pins:
                with open(DATA / "taken.jsonl", "a") as file:
                    file.write(json.dumps(ok) + "\n")
            if done % 50 == 49:
                print(done + 1, "of", len(rows), flush=True)
    return good, bad


def main() -> int:
    command = sys.argv[1] if len(sys.argv) > 1 else ""
    if command == "snapshot":
        snapshot(sys.argv[2:])
        return 0
    if command not in ("resolve", "download"):
        print(__doc__)
        return 2
    pins = {(row["registry"], row["name"]): row for row in read_sources()} if command == "download" else {}
    good, bad = take_all(list(pins) if pins else wanted_sources(), pins)
    for row in bad:
        print("not used:", *row)
    if command == "resolve":
        columns = ["name", "version", "registry", "sha256", "licence"]
        good.sort(key=lambda row: (row["registry"], row["name"]))
        (HERE / "sources.tsv").write_text("\n".join("\t".join(row.get(c, c) for c in columns) for row in [dict(zip(columns, columns))] + good) + "\n")
    print(len(good), "sources,", len(bad), "not used")
    return 1 if command == "download" and bad else 0


if __name__ == "__main__":
    sys.exit(main())
