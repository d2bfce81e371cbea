#!/usr/bin/env python3
"""A small end-to-end run of the scripts: toy.py --tokenizer FILE [--base MODEL]

Makes records from this project's own sources and notes, trains teacher and student for a few steps, exports, reads the exported file
back and compares it with the reference vectors. Without `--base` the weights are random. Needs PyTorch; a minute or two on a CPU.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file

import evaluate
import extract
import licences
import sampling
import sets
from model import WIDTH, Encoder, Texts, embed, read_weights

HERE = Path(__file__).parent


def random_weights(path: Path, layers: int = 6) -> Path:
    torch.manual_seed(0)
    shapes = {"embeddings.word_embeddings.weight": (30522, WIDTH), "embeddings.position_embeddings.weight": (512, WIDTH), "embeddings.token_type_embeddings.weight": (2, WIDTH)}
    norms = ["embeddings.LayerNorm"]
    for at in range(layers):
        prefix = f"encoder.layer.{at}."
        norms += [prefix + "attention.output.LayerNorm", prefix + "output.LayerNorm"]
        linear = {f"attention.self.{name}": (WIDTH, WIDTH) for name in ("query", "key", "value")}
        linear |= {"attention.output.dense": (WIDTH, WIDTH), "intermediate.dense": (4 * WIDTH, WIDTH), "output.dense": (WIDTH, 4 * WIDTH)}
        for name, shape in linear.items():
            shapes |= {f"{prefix}{name}.weight": shape, f"{prefix}{name}.bias": (shape[0],)}
    weights = {name: torch.randn(shape) * 0.05 for name, shape in shapes.items()}
    for name in norms:
        weights |= {f"{name}.weight": torch.ones(WIDTH), f"{name}.bias": torch.zeros(WIDTH)}
    save_file(weights, str(path))
    return path


def project_records() -> list:
    """Records of this project: Rust functions with their comments, and its notes."""
    project, records = HERE.parent, []
    for path in sorted((project / "crates" / "text" / "src").rglob("*.rs"))[:60]:
        records += extract.code_records(path.name, path.read_text())
    records += extract.note_records([(path.name, path.read_text()) for path in sorted((project / "docs").rglob("*.md"))])
    for record in records:
        record["g"] = "toy"
    return records


def check_helpers() -> None:
    assert licences.permissive("MIT OR Apache-2.0") and licences.permissive("BSD-3-Clause") and licences.permissive("Apache-2.0 AND MIT")
    assert licences.permissive("GPL-3.0 OR MIT") == "MIT"
    assert not licences.permissive("GPL-3.0") and not licences.permissive("MPL-2.0") and not licences.permissive("CC-BY-SA-4.0") and not licences.permissive("")
    assert sampling.imperative("Returns the size") == "return the size" and sampling.imperative("This is it") == "This is it"
    found = list(extract.code_records("a.ts", "/**\n * Adds two numbers together.\n */\nexport function add(a: number, b: number): number {\n  const sum = a + b;\n  return sum;\n}\n"))
    assert found[0]["n"] == "add" and found[0]["c"] == "Adds two numbers together." and "return sum" in found[0]["b"], found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tokenizer", type=Path, required=True)
    parser.add_argument("--base", type=Path)
    parser.add_argument("--steps", type=int, default=4)
    options = parser.parse_args()
    check_helpers()
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        base = options.base or random_weights(folder / "base.safetensors")
        records = project_records()
        (folder / "records.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
        code = [record for record in records if record["t"] == "code"][:40]
        toy = {"toy": sets.one_each([record["b"] for record in code], [record["c"] for record in code], [[at] for at in range(len(code))])}
        evaluate.gzip.open(folder / "sets.json.gz", "wt").write(json.dumps(toy))
        common = ["--tokenizer", options.tokenizer, "--records", folder / "records.jsonl", "--out", folder / "out", "--sets", folder / "sets.json.gz"]
        common += ["--steps", str(options.steps), "--batch", "12", "--longest", "48", "--workers", "0"]
        for stage, start in (("teacher", base), ("student", folder / "out" / "teacher")):
            subprocess.run([sys.executable, str(HERE / "train.py"), stage, "--base", str(start), *map(str, common)], check=True)
        out = folder / "out"
        stored = load_file(str(out / "model.int8.safetensors"))
        kinds = {str(stored[name].dtype) for name in stored if name.endswith(".q8")}, stored["embeddings.word_embeddings.weight.q4"].shape
        assert kinds == ({"torch.int8"}, (30522, 192)), kinds
        reference = json.loads((out / "reference_vectors.json").read_text())
        encoder = Encoder(read_weights(out / "model.int8.safetensors"))
        assert len(encoder.layers) == 3
        ids = Texts(options.tokenizer).ids(reference["texts"])
        assert [row.tolist() for row in ids] == reference["ids"]
        for kind, least in (("f32", 0.99999), ("w8a8", 0.999)):
            encoder.activations_int8 = kind == "w8a8"
            cosines = (embed(encoder, ids) * torch.tensor(reference[kind])).sum(1)
            print(kind, "least cosine of the exported file to its reference vectors", float(cosines.min()))
            assert float(cosines.min()) > least
        again = [sys.executable, str(HERE / "train.py"), "student", "--base", str(out / "teacher"), "--start", str(out / "student"), *map(str, common)]
        subprocess.run(again, check=True)
    print("the toy run went through")
    return 0


if __name__ == "__main__":
    sys.exit(main())
