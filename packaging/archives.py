"""Archives whose bytes depend on nothing but what is put into them: no owners, no clocks, one order."""

from __future__ import annotations

import gzip
import io
import lzma
import pathlib
import tarfile
import time
import zipfile
from dataclasses import dataclass


@dataclass(frozen=True)
class Entry:
    """A file of an archive: its name there, where its bytes are, and whether it can be run."""

    name: str
    content: bytes | pathlib.Path
    runs: bool = False

    def read(self) -> bytes:
        return self.content if isinstance(self.content, bytes) else self.content.read_bytes()

    @property
    def mode(self) -> int:
        return 0o755 if self.runs else 0o644


def tar(entries: list[Entry], when: int, folders: bool = False, prefix: str = "") -> bytes:
    """Not compressed. With `folders`, the folders that the files are in have entries of their own, as dpkg wants it."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as archive:
        made: set[str] = set()
        for entry in sorted(entries, key=lambda entry: entry.name):
            parents = list(pathlib.PurePosixPath(entry.name).parents)[-2::-1] if folders else []
            for parent in map(str, parents):
                if parent not in made:
                    made.add(parent)
                    archive.addfile(_head(f"{prefix}{parent}/", when, 0o755, tarfile.DIRTYPE))
            content = entry.read()
            head = _head(prefix + entry.name, when, entry.mode, tarfile.REGTYPE)
            head.size = len(content)
            archive.addfile(head, io.BytesIO(content))
    return buffer.getvalue()


def _head(name: str, when: int, mode: int, kind: bytes) -> tarfile.TarInfo:
    head = tarfile.TarInfo(name)
    head.type, head.mode, head.mtime = kind, mode, when
    head.uname = head.gname = "root"
    return head


def gz(content: bytes, fast: bool = False) -> bytes:
    return gzip.compress(content, 1 if fast else 9, mtime=0)


def xz(content: bytes, fast: bool = False) -> bytes:
    return lzma.compress(content, preset=0 if fast else 6)


def ar(members: list[tuple[str, bytes]], when: int) -> bytes:
    """The outermost format of a Debian package."""
    out = bytearray(b"!<arch>\n")
    for name, content in members:
        out += f"{name:<16}{when:<12}{0:<6}{0:<6}{'100644':<8}{len(content):<10}`\n".encode()
        out += content
        if len(content) % 2:
            out += b"\n"
    return bytes(out)


def write_zip(file: pathlib.Path, entries: list[Entry], when: int, fast: bool = False) -> None:
    """In the order that was given: the record of a wheel comes last."""
    date = time.gmtime(when)[:6]
    level = 1 if fast else 9
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=level) as archive:
        for entry in entries:
            head = zipfile.ZipInfo(entry.name, date)
            head.create_system = 3
            head.external_attr = (0o100000 | entry.mode) << 16
            head.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(head, entry.read(), compresslevel=level)
