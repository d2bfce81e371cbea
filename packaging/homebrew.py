"""A formula for Homebrew that installs the archives of a release."""

from __future__ import annotations

import hashlib
import json
import pathlib

import archive
from facts import facts
from target import Target

#: Where the formula looks, in its own words, and for which archive.
PLACES = [
    ("macos", "arm", "aarch64-apple-darwin"),
    ("macos", "intel", "x86_64-apple-darwin"),
    ("linux", "arm", "aarch64-unknown-linux-musl"),
    ("linux", "intel", "x86_64-unknown-linux-musl"),
]


def build(out: pathlib.Path) -> pathlib.Path:
    """Of the archives that are in `out`; a system without one is left out."""
    systems: dict[str, list[str]] = {}
    for system, cpu, triple in PLACES:
        file = out / f"{archive.name(Target(triple))}.tar.gz"
        if file.exists():
            sha256 = hashlib.sha256(file.read_bytes()).hexdigest()
            url = facts().download(file.name)
            systems.setdefault(system, []).append(
                f"    on_{cpu} do\n      url {json.dumps(url)}\n      sha256 {json.dumps(sha256)}\n    end\n"
            )
    if not systems:
        raise SystemExit(f"packaging/build: there is no archive for Linux or macOS in {out}; make those first")
    file = out / f"{facts().name}.rb"
    file.write_text(formula(systems), encoding="utf-8")
    return file


def formula(systems: dict[str, list[str]]) -> str:
    about = facts()
    # A formula's description has no full stop.
    head = {"desc": about.description.rstrip("."), "homepage": about.homepage, "version": about.version}
    lines = "".join(f"  {name} {json.dumps(value, ensure_ascii=False)}\n" for name, value in head.items())
    license = ", ".join(json.dumps(one) for one in about.license.split(" OR "))
    blocks = "\n".join(f"  on_{name} do\n{''.join(parts)}  end\n" for name, parts in systems.items())
    return f"""class {about.name.capitalize()} < Formula
{lines}  license any_of: [{license}]

{blocks}
  def install
    bin.install "wellread"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/wellread.bash" => "wellread"
    zsh_completion.install "completions/wellread.zsh" => "_wellread"
    fish_completion.install "completions/wellread.fish"
    doc.install "THIRD-PARTY.txt", "NOTICE"
  end

  service do
    run [opt_bin/"wellread", "serve"]
    keep_alive successful_exit: false
  end

  test do
    assert_match version.to_s, shell_output("#{{bin}}/wellread --version")
    (testpath/"Bees.md").write "# Bees\\n\\nA hive has one queen.\\n"
    assert_match "Bees.md", shell_output("#{{bin}}/wellread --vault #{{testpath}} search queen")
  end
end
"""
