"""The workspace as Cargo's registry can take it, for `cargo publish --workspace` and then `cargo install wellread`.

A package there has at most 10 MiB and nothing from outside of its folder. So each half of each model becomes a package, which the
encoder's build script asks for its file, and the example vault moves into the package that shows it. Tests are left out.
"""

from __future__ import annotations

import pathlib
import re
import shutil

from facts import ROOT, facts

PUBLISHED = ["text", "core", "encoder", "adapters", "wellread"]
MODELS = ["model", "verifier", "reader"]
LICENSES = ["LICENSE-MIT", "LICENSE-APACHE"]
#: Sections of a manifest about what is not published.
LEFT_OUT = ("[dev-dependencies]", "[[bench]]", "[[test]]")
#: Cargo takes a folder with a manifest for another package and leaves it out. The build script knows this ending.
PACKED = ".packed"


def build(out: pathlib.Path) -> pathlib.Path:
    stage = out / "crates"
    if stage.exists():
        raise SystemExit(f"packaging/build: {stage} is there already")
    for name in ["Cargo.lock", "README.md", *LICENSES]:
        _copy(ROOT / name, stage / name)
    manifest = (ROOT / "Cargo.toml").read_text(encoding="utf-8")
    manifest = _replace(manifest, r"(^#.*\n)?^publish = false\n", "")
    manifest = _replace(manifest, r"^wellread-testkit = .*\n", "")
    # They are made for each other: a later one is not taken for an earlier one.
    ours = r'^(wellread-\w+ = \{ path = "[^"]+", version = ")(?=\d)'
    manifest = _replace(manifest, ours, r"\1=", times=len(PUBLISHED) - 1)
    (stage / "Cargo.toml").write_text(manifest, encoding="utf-8")
    for name in PUBLISHED:
        _stage(name, stage / "crates" / name)
    _take_weights_out(stage / "crates")
    _pack_examples(stage / "crates/wellread/demo")
    return stage


def _replace(manifest: str, pattern: str, new: str, times: int = 1) -> str:
    """Refuses a manifest that does not have it: it changed its form, and what would be published is not what is meant."""
    manifest, found = re.subn(pattern, new, manifest, flags=re.MULTILINE)
    if found != times:
        raise SystemExit(f"packaging/build: a manifest has {pattern} {found} times, not {times}; adapt packaging/crates.py")
    return manifest


def _copy(source: pathlib.Path, to: pathlib.Path) -> None:
    to.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, to, ignore=shutil.ignore_patterns("target", "__pycache__"))
    else:
        shutil.copyfile(source, to)


def _stage(name: str, to: pathlib.Path) -> None:
    """What `include` of the manifest names, with the manifest and the licenses."""
    source = ROOT / "crates" / name
    manifest = (source / "Cargo.toml").read_text(encoding="utf-8")
    included = re.search(r"^include = \[(.*)\]$", manifest, re.MULTILINE)
    for part in re.findall(r'"/([^"*]+)"', included[1]):
        if (source / part).exists():
            _copy(source / part, to / part)
    for license in LICENSES:
        _copy(ROOT / license, to / license)
    sections = re.split(r"^(?=\[)", manifest, flags=re.MULTILINE)
    manifest = "".join(section for section in sections if not section.startswith(LEFT_OUT))
    (to / "Cargo.toml").write_text(_replace(manifest, r"^publish\.workspace = true\n", ""), encoding="utf-8")


def _take_weights_out(crates: pathlib.Path) -> None:
    names = []
    for model in MODELS:
        whole = crates / f"encoder/model/{model}.int8.safetensors"
        content = whole.read_bytes()
        whole.unlink()
        middle = len(content) // 2
        for half, part in enumerate([content[:middle], content[middle:]], 1):
            names.append(f"wellread-weights-{model}-{half}")
            _write_weights(crates / f"weights-{model}-{half}", names[-1], part)
    file = crates / "encoder/Cargo.toml"
    manifest = file.read_text(encoding="utf-8")
    features = ", ".join(f'"dep:{name}"' for name in names)
    needs = "".join(
        f'{name} = {{ path = "../{name.removeprefix("wellread-")}", version = "={facts().version}", optional = true }}\n'
        for name in names
    )
    manifest = _replace(manifest, r"^weights = \[\]\n", f"weights = [{features}]\n")
    manifest = _replace(manifest, r"^\[dependencies\]\n", f"[dependencies]\n{needs}")
    file.write_text(manifest, encoding="utf-8")


def _write_weights(folder: pathlib.Path, name: str, part: bytes) -> None:
    (folder / "src").mkdir(parents=True)
    for license in ["LICENSE", "NOTICE", "README.md"]:
        _copy(ROOT / "crates/encoder/model" / license, folder / license)
    (folder / "part").write_bytes(part)
    (folder / "src/lib.rs").write_text("//! Half of a model of Wellread: a file, and nothing else.\n")
    (folder / "build.rs").write_text(
        "//! Tells the build script of `wellread-encoder` where the file is.\n\n"
        "fn main() {\n"
        '    println!("cargo::rerun-if-changed=part");\n'
        '    println!("cargo::metadata=file={}/part", std::env::var("CARGO_MANIFEST_DIR").unwrap_or_default());\n'
        "}\n"
    )
    inherited = ["version", "edition", "rust-version", "authors", "repository", "homepage"]
    (folder / "Cargo.toml").write_text(
        f'[package]\nname = "{name}"\nlicense = "Apache-2.0"\nlinks = "{name.replace("-", "_")}"\n'
        'description = "Half of a model that is built into Wellread."\nreadme = "README.md"\n'
        + "".join(f"{field}.workspace = true\n" for field in inherited)
    )


def _pack_examples(to: pathlib.Path) -> None:
    for part in ["vault", "code"]:
        _copy(ROOT / "examples" / part, to / part)
    for manifest in list(to.rglob("Cargo.toml")):
        manifest.rename(manifest.with_name(manifest.name + PACKED))
