#!/usr/bin/env python3
"""The weighted mean of two int8 files of the same model, as a file that the engine reads.

    average.py FIRST SECOND OUT [--weight 0.5]

Weights are dequantized, averaged and rounded to int8 again, with a new scale for each row; everything else is averaged as it is. `--weight` is
the share of the second file. The files may be those of the reader or of the verifier.
"""

import argparse
import sys
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file


def average(first: dict, second: dict, weight: float) -> dict:
    if set(first) != set(second):
        raise ValueError("the files are not of the same model")
    mean = lambda a, b: (1 - weight) * a + weight * b
    out = {}
    for name in first:
        if name.endswith(".q8"):
            scale = name.removesuffix(".q8") + ".scale"
            value = mean(*(part[name].float() * part[scale].float()[:, None] for part in (first, second)))
            largest = value.abs().amax(1).clamp_min(1e-8) / 127
            out[name] = (value / largest[:, None]).round().clamp(-127, 127).to(torch.int8)
            out[scale] = largest.to(first[scale].dtype)
        elif not name.endswith(".scale"):
            out[name] = mean(first[name].float(), second[name].float()).to(first[name].dtype).contiguous()
    return out


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("first", type=Path)
    parser.add_argument("second", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--weight", type=float, default=0.5, help="the share of the second file")
    options = parser.parse_args()
    save_file(average(load_file(options.first), load_file(options.second), options.weight), options.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
