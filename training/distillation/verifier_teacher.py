#!/usr/bin/env python3
"""SmolLM2 as the verifier's teacher, or as a writer of sentences: both are fitted to the written sentences.

    verifier_teacher.py classify|generate --smollm2 FOLDER --written FILE --seconds S --seed N --out FILE
    verifier_teacher.py label --smollm2 FOLDER --model FILE --rows FILE... --seconds S --out FILE

A passage is read once for up to twelve of its sentences. `classify` makes a teacher: entailed, contradicted or not there, for each sentence.
`generate` makes a generator of sentences of a wanted kind, right or wrong. `label` writes a teacher's probabilities for every sentence of the
files, in their order.

A line of FILE is a passage, its part and its sentences with label (0 entailed, 1 contradicted, 2 not there) and kind:
{"p": "...", "part": "train", "inv": 1, "rows": [["...", 0, "paraphrase"], ...]}. Every part but `train` is measured, and never trained on.
"""

import argparse
import bz2
import json
import random
import sys
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from tokenizers import Tokenizer

sys.path.insert(0, str(Path(__file__).parent))
from llama import Llama
from smollm2 import load_smollm2

PASSAGE, SENTENCE, SENTENCES = 300, 90, 12
LABELS = ("right", "wrong", "wrong")
STOP = 2
# Parts of the gate's evaluation set that are measured at the very end only.
LOCKED = ("locked", "fresh")
TOY_SIZES = {"num_hidden_layers": 2, "hidden_size": 64, "intermediate_size": 96, "num_attention_heads": 3, "num_key_value_heads": 1, "head_dim": 32}


def config_of(folder, toy):
    return json.loads((Path(folder) / "config.json").read_text()) | (TOY_SIZES if toy else {})


def read_lines(path):
    with bz2.open(path, "rt", encoding="utf8") if str(path).endswith(".bz2") else open(path, encoding="utf8") as lines:
        return [json.loads(line) for line in lines]


class Words:
    """Passages and sentences as tokens: `judge` asks for a verdict, `write` has the sentence itself as the answer."""

    def __init__(self, folder):
        self.tokenizer = Tokenizer.from_file(str(Path(folder) / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()
        self.head, self.again, self.end = self.encode("\n\n# Statement:"), self.encode("\n# Again:"), self.encode("\n# Verdict:")

    def encode(self, text):
        return self.tokenizer.encode(text, add_special_tokens=False).ids

    def encode_all(self, texts):
        return [encoded.ids for encoded in self.tokenizer.encode_batch(texts, add_special_tokens=False)]

    def passages(self, texts):
        return [[0] + ids[:PASSAGE] for ids in self.encode_all(texts)]

    def judge(self, sentences):
        # Causal attention: at its second reading the model knows the whole sentence.
        return [self.head + ids[:SENTENCE] + self.again + ids[:SENTENCE] + self.end for ids in self.encode_all([" " + sentence for sentence in sentences])]

    def header(self, kind, label):
        return self.encode(f"\n\n# {kind}, {label}:")

    def write(self, rows):
        heads = {key: self.header(key[0], LABELS[key[1]]) for key in {(kind, label) for _, label, kind, *_ in rows}}
        return [heads[kind, label] + ids[:SENTENCE] + [STOP] for ids, (_, label, kind, *_) in zip(self.encode_all([" " + row[0] for row in rows]), rows)]


def pack(batch, device):
    """A batch is passages' ids, each with a list of suffixes. Out: ids, positions, each token's block (0: passage, -1: padding), places of the
    suffixes' ends, and for each suffix its row, place and length."""
    longest = max(len(passage) + sum(map(len, suffixes)) for passage, suffixes in batch)
    longest = (longest + 63) // 64 * 64
    ids = np.full((len(batch), longest), STOP, np.int64)
    positions, block = np.zeros_like(ids), np.full_like(ids, -1)
    ends, spans = [], []
    for row, (passage, suffixes) in enumerate(batch):
        at = len(passage)
        ids[row, :at], positions[row, :at], block[row, :at] = passage, np.arange(at), 0
        for number, suffix in enumerate(suffixes, 1):
            ids[row, at : at + len(suffix)] = suffix
            positions[row, at : at + len(suffix)] = np.arange(len(passage), len(passage) + len(suffix))
            block[row, at : at + len(suffix)] = number
            spans.append((row, at, len(suffix)))
            at += len(suffix)
            ends.append(row * longest + at - 1)
    put = lambda value: torch.from_numpy(value).to(device, non_blocking=True)
    return put(ids), put(positions), put(block), torch.tensor(ends, device=device), spans, longest


def hidden(model, ids, positions, block):
    """Each suffix sees its passage and itself."""
    x = model.embed_tokens(ids)
    kind = ids.device.type
    dtype = torch.get_autocast_dtype(kind) if torch.is_autocast_enabled(kind) else x.dtype
    cos, sin = model.angles(positions, dtype)
    cos, sin = cos[:, None], sin[:, None]
    order = torch.arange(ids.shape[1], device=ids.device)
    mask = (order[None, :] <= order[:, None])[None] & ((block[:, None, :] == block[:, :, None]) | (block[:, None, :] == 0))
    mask = mask[:, None]
    for layer in model.layers:
        q, k, v = layer.qkv(x, cos, sin)
        share = layer.h // layer.kv
        mixed = F.scaled_dot_product_attention(q, k.repeat_interleave(share, 1), v.repeat_interleave(share, 1), attn_mask=mask)
        x = layer.rest(x, mixed)
    return model.norm(x)


class Judge(torch.nn.Module):
    def __init__(self, config, state):
        super().__init__()
        self.lm = Llama(config, state)
        self.head = torch.nn.Linear(config["hidden_size"], 3)
        torch.nn.init.normal_(self.head.weight, std=0.02)

    def forward(self, packed):
        ids, positions, block, ends, _, _ = packed
        x = hidden(self.lm, ids, positions, block)
        x = x.reshape(-1, x.shape[-1])[ends].float()
        return self.head(F.dropout(x, 0.1, self.training))


def load_judge(folder, path, toy):
    model = Judge(config_of(folder, toy), None)
    model.load_state_dict({name: value.float() for name, value in torch.load(path, weights_only=True, map_location="cpu").items()})
    return model


def target_loss(logits, labels):
    """What matters most is entailed or not; which of the two others, less."""
    spread = F.log_softmax(logits.float(), 1)
    wrong = torch.logsumexp(spread[:, 1:], 1)
    return -torch.where(labels == 0, spread[:, 0], wrong).mean() + 0.3 * F.nll_loss(spread, labels)


def area(p, right):
    ranks = np.empty(len(p))
    ranks[np.argsort(p, kind="stable")] = np.arange(len(p))
    return (ranks[right].mean() - (right.sum() - 1) / 2) / max(1, (~right).sum())


def report(name, p, right):
    line = f"  {name:14} n {len(p)} area {area(p, right):.4f} accuracy {((p > 0.5) == right).mean():.3f}"
    for keep in (0.9, 0.8, 0.7):
        line += f" | right {keep:.0%}: wrong {(p[~right] >= np.quantile(p[right], 1 - keep)).mean():.3f}"
    return line


@torch.no_grad()
def judge(model, rows, words, device, budget=40_000, until=None):
    """Probabilities for every sentence, an array for each row; without numbers where time ran out."""
    model.eval()
    passages, suffixes = words.passages([row["p"] for row in rows]), words.judge([entry[0] for row in rows for entry in row["rows"]])
    packs, first = [], 0
    for number, row in enumerate(rows):
        for at in range(0, len(row["rows"]), SENTENCES):
            packs.append((number, at, passages[number], suffixes[first + at : first + min(at + SENTENCES, len(row["rows"]))]))
        first += len(row["rows"])
    length = lambda entry: len(entry[2]) + sum(map(len, entry[3]))
    packs.sort(key=length)
    chunks = [packs]
    if until:
        # Chunks of like length, so that padding is small, in random order, so that a stop in between leaves a fair sample.
        random.Random(1).shuffle(packs)
        chunks = [sorted(packs[at : at + 512], key=length) for at in range(0, len(packs), 512)]
    out = [np.full((len(row["rows"]), 3), np.nan, np.float32) for row in rows]
    for chunk in chunks:
        at = 0
        while at < len(chunk):
            if until and time.time() > until:
                return out
            end = at + 1
            while end < len(chunk) and (end + 1 - at) * (length(chunk[end]) + 64) <= budget:
                end += 1
            part = chunk[at:end]
            with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
                logits = model(pack([(passage, own) for _, _, passage, own in part], device))
            probability, done = torch.softmax(logits.float(), 1).cpu().numpy(), 0
            for number, first, _, own in part:
                out[number][first : first + len(own)] = probability[done : done + len(own)]
                done += len(own)
            at = end
    return out


def measure(model, tests, words, device, name):
    got = judge(model, tests, words, device)
    for part in dict.fromkeys(row["part"] for row in tests):
        p = np.concatenate([own for own, row in zip(got, tests) if row["part"] == part])
        right = np.concatenate([[entry[1] == 0 for entry in row["rows"]] for row in tests if row["part"] == part])
        print(name + report(part, p[:, 0], right), flush=True)


def vary(row, others, rng):
    """The passage with other text before or after it, now and then; None where it stays as it is."""
    if rng.random() < 0.2:
        more = rng.choice(others)["p"][: rng.randint(60, 400)]
        return f"{more}\n\n{row['p']}" if rng.random() < 0.4 else f"{row['p']}\n\n{more}"
    return None


def epoch_groups(rows, size, rng):
    """An epoch: passages with at most twelve sentences each, those of like length together."""
    packs = []
    for row in rows:
        entries = list(row["rows"])
        rng.shuffle(entries)
        packs += [(row, entries[at : at + SENTENCES]) for at in range(0, len(entries), SENTENCES)]
    rng.shuffle(packs)
    length = lambda pack: len(pack[0]["p"]) // 4 + sum(len(entry[0]) for entry in pack[1]) // 2
    groups = []
    for start in range(0, len(packs), size * 20):
        part = sorted(packs[start : start + size * 20], key=length)
        groups += [part[at : at + size] for at in range(0, len(part), size)]
    rng.shuffle(groups)
    return groups


def fit(options, device):
    words, judging = Words(options.smollm2), options.task == "classify"
    everything = read_lines(options.written)
    rows = [row for row in everything if row["part"] == "train"]
    tests = [row for row in everything if row["part"] != "train" and row["part"] not in LOCKED][:: 40 if options.toy else 1]
    every = [entry for row in rows for entry in row["rows"]]
    for entry, ids in zip(every, words.judge([entry[0] for entry in every]) if judging else words.write(every)):
        entry.append(ids)
    for row, ids in zip(rows, words.passages([row["p"] for row in rows])):
        row["ids"] = ids
    headers = {(kind, label): len(words.header(kind, LABELS[label])) for kind, label in {(entry[2], entry[1]) for entry in every}}
    state, config = (None, config_of(options.smollm2, True)) if options.toy else load_smollm2(options.smollm2)
    rng = random.Random(options.seed)
    torch.manual_seed(options.seed)
    model = Judge(config, state).to(device)
    parameters = list(model.parameters())
    decayed, plain = [p for p in parameters if p.dim() == 2], [p for p in parameters if p.dim() != 2]
    optimizer = torch.optim.AdamW([{"params": decayed, "weight_decay": 0.05}, {"params": plain, "weight_decay": 0.0}], lr=options.rate, betas=(0.9, 0.98), fused=device.type == "cuda")
    name = f"{options.task} {options.seed}"
    print(f"{name}: {len(rows)} passages, {len(every)} sentences, {sum(p.numel() for p in parameters) / 1e6:.0f}M parameters", flush=True)
    began = shown = time.time()
    step = epoch = count = right = seen = 0
    total = fraction = 0.0
    while fraction < 1:
        groups = epoch_groups(rows, options.packs, rng)
        for group in groups:
            fraction = max((time.time() - began) / options.seconds, step / (options.epochs * len(groups)))
            if fraction >= 1:
                break
            for part in optimizer.param_groups:
                part["lr"] = options.rate * min(1, (step + 1) / 60) * (1 - 0.97 * fraction)
            varied = [vary(row, rows, rng) for row, _ in group]
            passages = [row["ids"] if text is None else words.passages([text])[0] for text, (row, _) in zip(varied, group)]
            packed = pack(list(zip(passages, [[entry[3] for entry in entries] for _, entries in group])), device)
            with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
                if judging:
                    logits = model(packed)
                else:
                    ids, positions, block, _, spans, longest = packed
                    x = hidden(model.lm, ids, positions, block)
                    heads = [headers[entry[2], entry[1]] for _, entries in group for entry in entries]
                    # The hidden state before each token of the sentence; the header is given.
                    places = [np.arange(row * longest + at + head - 1, row * longest + at + length - 1) for (row, at, length), head in zip(spans, heads)]
                    places = torch.from_numpy(np.concatenate(places)).to(device)
                    logits = model.lm.logits(x.reshape(-1, x.shape[-1])[places])
            if judging:
                labels = torch.tensor([entry[1] for _, entries in group for entry in entries], device=device)
                loss = target_loss(logits, labels)
                right += int(((logits.argmax(1) == 0) == (labels == 0)).sum())
                seen += len(labels)
            else:
                loss = F.cross_entropy(logits.float(), ids.reshape(-1)[places + 1])
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(parameters, 1.0)
            optimizer.step()
            step, total, count = step + 1, total + float(loss.detach()), count + 1
            if time.time() - shown > (2 if options.toy else 10):
                accuracy = f" accuracy {right / seen:.3f}" if seen else ""
                print(f"{name} {time.time() - began:.0f} s step {step} of {options.epochs * len(groups):.0f} at most, {fraction:.2f} loss {total / count:.3f}{accuracy}", flush=True)
                shown, total, count, right, seen = time.time(), 0.0, 0, 0, 0
        epoch += 1
    print(f"{name}: {step} steps, in epoch {epoch}, {time.time() - began:.0f} s", flush=True)
    torch.save({name: value.bfloat16() if judging else value.half() for name, value in model.state_dict().items()}, options.out)
    if judging:
        measure(model, tests, words, device, f"teacher {options.seed}")


def label(options, device):
    words, until = Words(options.smollm2), time.time() + options.seconds
    model = load_judge(options.smollm2, options.model, options.toy).to(device)
    if device.type == "cuda":
        model.lm.to(torch.bfloat16)
    out = {}
    for path in options.rows:
        began = time.time()
        rows = [row for row in read_lines(path) if row.get("part", "train") == "train"]
        if options.toy:
            rows = rows[:60]
        got = judge(model, rows, words, device, 60_000, until)
        out[path.name] = flat = np.concatenate(got) if got else np.zeros((0, 3), np.float32)
        print(f"label {options.seed}: {path.name} {len(flat)} sentences, labeled {np.isfinite(flat[:, 0]).mean():.3f}, entailed {np.nanmean(flat[:, 0]):.3f}, {time.time() - began:.0f} s", flush=True)
    np.savez(options.out, **out)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("task", choices=("classify", "generate", "label"))
    parser.add_argument("--smollm2", type=Path, required=True, help="the folder that smollm2.py has made")
    parser.add_argument("--written", type=Path, help="what classify and generate are fitted to")
    parser.add_argument("--model", type=Path, help="the teacher that labels")
    parser.add_argument("--rows", type=Path, nargs="*", default=[], help="what is labeled")
    parser.add_argument("--seconds", type=float, default=330)
    parser.add_argument("--epochs", type=float, default=4, help="at most")
    parser.add_argument("--rate", type=float, default=1.5e-4)
    parser.add_argument("--packs", type=int, default=12, help="passages in a batch, each with up to twelve sentences")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--toy", action="store_true", help="a tiny random model, for a test")
    options = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.backends.cuda.matmul.allow_tf32 = True
    (label if options.task == "label" else fit)(options, device)
    return 0


if __name__ == "__main__":
    sys.exit(main())
