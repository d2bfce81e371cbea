"""A Debian package, made without Debian's tools: an `ar` archive of two tar archives."""

from __future__ import annotations

import gzip
import hashlib
import pathlib
import textwrap

import archives
import contents
from archives import Entry
from facts import ROOT, facts, first_paragraph, release_time
from target import Target

DOC = "usr/share/doc/wellread"
COMPLETIONS = {
    "bash": "usr/share/bash-completion/completions/wellread",
    "zsh": "usr/share/zsh/vendor-completions/_wellread",
    "fish": "usr/share/fish/vendor_completions.d/wellread.fish",
}


def build(binary: pathlib.Path, target: Target, out: pathlib.Path, fast: bool) -> pathlib.Path:
    about, when = facts(), release_time()
    entries = [Entry("usr/bin/wellread", binary, runs=True), *shared_files(binary, target)]
    sums = "".join(f"{hashlib.md5(entry.read()).hexdigest()}  {entry.name}\n" for entry in entries)
    size = sum(len(entry.read()) for entry in entries) // 1024 + 1
    control = [Entry("control", control_file(target, size).encode()), Entry("md5sums", sums.encode())]
    control, data = archives.tar(control, when, prefix="./"), archives.tar(entries, when, folders=True, prefix="./")
    pack, ending = (archives.gz, "gz") if fast else (archives.xz, "xz")
    members = [
        ("debian-binary", b"2.0\n"),
        (f"control.tar.{ending}", pack(control, fast)),
        (f"data.tar.{ending}", pack(data, fast)),
    ]
    file = out / f"{about.name}_{about.version}_{target.deb}.deb"
    file.write_bytes(archives.ar(members, when))
    return file


def shared_files(binary: pathlib.Path, target: Target) -> list[Entry]:
    entries = [Entry("usr/lib/systemd/user/wellread.service", user_unit(binary).encode())]
    for page in contents.man_pages(binary):
        entries.append(Entry(f"usr/share/man/man1/{page.name}.gz", _packed(page.read())))
    for shell, text in contents.completions(binary).items():
        entries.append(Entry(COMPLETIONS[shell], text))
    for entry in contents.licenses(target.triple):
        packed = entry.name == "THIRD-PARTY.txt"
        content = _packed(entry.read()) if packed else entry.content
        entries.append(Entry(f"{DOC}/{entry.name}" + (".gz" if packed else ""), content))
    entries.append(Entry(f"{DOC}/copyright", copyright_file().encode()))
    entries.append(Entry(f"{DOC}/changelog.gz", _packed((ROOT / "CHANGELOG.md").read_bytes())))
    return entries


def _packed(content: bytes) -> bytes:
    return gzip.compress(content, 9, mtime=0)


def control_file(target: Target, size: int) -> str:
    about = facts()
    fields = {
        "Package": about.name,
        "Version": about.version,
        "Architecture": target.deb,
        "Maintainer": about.authors,
        "Installed-Size": str(size),
        "Section": "text",
        "Priority": "optional",
        "Homepage": about.homepage,
        "Recommends": "ca-certificates, git",
    }
    if target.glibc is not None:
        fields["Depends"] = f"libc6 (>= 2.{target.glibc}), libgcc-s1"
    lines = [f"{name}: {value}" for name, value in fields.items()]
    long = textwrap.wrap(first_paragraph(), 78, initial_indent=" ", subsequent_indent=" ")
    return "\n".join([*lines, f"Description: {about.description.rstrip('.')}", *long]) + "\n"


def copyright_file() -> str:
    """In the format that Debian's tools read."""
    about = facts()
    mit = (ROOT / "LICENSE-MIT").read_text(encoding="utf-8")
    owner = next(line for line in mit.splitlines() if line.startswith("Copyright"))
    text = mit.split(owner)[1].strip()
    folded = "\n".join(" " + (line.strip() or ".") for line in text.splitlines())
    return (
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n"
        f"Upstream-Name: {about.name}\nSource: {about.repository}\n"
        f"Comment: The licenses of the crates that are part of the program are in /{DOC}/THIRD-PARTY.txt.gz;\n"
        f" of the models in it, /{DOC}/NOTICE speaks.\n\n"
        f"Files: *\nCopyright: {owner.removeprefix('Copyright').replace('(c)', '').strip()}\n"
        f"License: {about.license.replace(' OR ', ' or ').replace('MIT', 'Expat')}\n\n"
        f"License: Expat\n{folded}\n\n"
        "License: Apache-2.0\n On Debian systems, the text is in /usr/share/common-licenses/Apache-2.0.\n"
    )


def user_unit(binary: pathlib.Path) -> str:
    """The unit that `wellread service install` writes, for whoever installs the package: it serves the vault of the settings."""
    words = ["--vault", "{home}", "service", "install", "--dry-run", "--system", "systemd"]
    unit = contents.ask(binary, *words)
    head, _, rest = unit.partition("\n")
    command = next(line for line in rest.splitlines() if line.startswith("ExecStart="))
    unit = rest.replace(command, "ExecStart=/usr/bin/wellread serve").replace("=-{home}/", "=-%h/")
    if not head.startswith("#") or "{home}" in unit or str(binary) in unit:
        raise SystemExit(f"packaging/build: the unit names paths of this machine:\n{unit}")
    return f"# Of the Debian package; `systemctl --user enable --now wellread` starts it.\n{unit}"
