"""The reader's teacher and the generator of questions: SmolLM2 over packed sequences, what it learns from, and its two stages.

The teacher reads a question and a section as the reader does, and has a logit for each piece. The lower half of its layers looks back only, as it
was trained; the upper half looks both ways. The generator writes a question about a marked piece of a section.
"""

import inspect
import json
import os
import random
import time

import numpy as np
import torch
import torch.nn.functional as F

import reader_data as D
from model import Packed
from reader_data import R, TOY, WORK, left, say, setting, smol, start_producers
from smollm2 import load_smollm2

BATCH_TEACHER, RATE_TEACHER, CAUSAL_SHARE = 32, 1.2e-4, 0.5
RATE_GENERATOR, BATCH_GENERATOR, BATCH_GENERATE, MOST_TOKENS = 1e-4, 96, 2048, 24
END = 2


def packed_of(ids, lengths, device):
    lengths = torch.from_numpy(lengths)
    longest = int(lengths.max())
    lengths = lengths.to(device)
    starts = torch.zeros(len(lengths) + 1, dtype=torch.int32, device=device)
    starts[1:] = lengths.cumsum(0)
    ids = torch.from_numpy(ids).to(device, non_blocking=True)
    owner = torch.repeat_interleave(torch.arange(len(lengths), device=device), lengths, output_size=len(ids))
    positions = torch.arange(len(ids), device=device) - starts.long()[owner]
    return Packed(ids, positions, owner, starts, longest)


def piece_means(x, rows, counts, device):
    counts = torch.from_numpy(counts).to(device)
    pieces = torch.repeat_interleave(torch.arange(len(counts), device=device), counts, output_size=len(rows))
    sums = torch.zeros(len(counts), x.shape[1], device=device).index_add(0, pieces, x[torch.from_numpy(rows).to(device).long()].float())
    return sums / counts[:, None].float()


def device_of():
    if torch.cuda.is_available():
        torch.backends.cuda.matmul.allow_tf32 = True
        return torch.device("cuda")
    torch.set_num_threads(1)
    return torch.device("cpu")


# The model


def rotate(x):
    half = x.shape[-1] // 2
    return torch.cat([-x[..., half:], x[..., :half]], -1)


def varlen(query, key, value, packed, causal):
    """Attention over packed sequences. PyTorch versions name the causal form differently."""
    from torch.nn.attention.varlen import varlen_attn

    how = {} if not causal else {"is_causal": True} if "is_causal" in inspect.signature(varlen_attn).parameters else {"window_size": (-1, 0)}
    return varlen_attn(query, key, value, packed.starts, packed.starts, packed.longest, packed.longest, **how)


def padded(query, key, value, packed, causal):
    count, longest = packed.starts.numel() - 1, packed.longest

    def pad(x):
        out = x.new_zeros(count, longest, *x.shape[1:])
        out[packed.owner, packed.positions] = x
        return out.transpose(1, 2)

    mask = torch.zeros(count, longest, dtype=torch.bool, device=query.device)
    mask[packed.owner, packed.positions] = True
    mask = mask[:, None, None, :]
    if causal:
        mask = mask & torch.ones(longest, longest, dtype=torch.bool, device=query.device).tril()[None, None]
    out = F.scaled_dot_product_attention(pad(query), pad(key), pad(value), attn_mask=mask)
    return out.transpose(1, 2)[packed.owner, packed.positions]


class Llama(torch.nn.Module):
    """SmolLM2's layers over packed sequences. The lower `causal` layers look back only, the others both ways."""

    def __init__(self, state, config, layers, causal):
        super().__init__()
        self.heads, self.kv, self.eps, self.causal = config["num_attention_heads"], config["num_key_value_heads"], config["rms_norm_eps"], causal
        self.size = config["hidden_size"] // self.heads
        self.words = torch.nn.Parameter(state["model.embed_tokens.weight"].clone(), requires_grad=False)
        get = lambda at, name: state[f"model.layers.{at}.{name}.weight"]
        keep = lambda value: torch.nn.Parameter(value.float().clone())
        joined = lambda at, *names: keep(torch.cat([get(at, name) for name in names]))
        self.qkv = torch.nn.ParameterList([joined(at, "self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj") for at in range(layers)])
        self.o = torch.nn.ParameterList([keep(get(at, "self_attn.o_proj")) for at in range(layers)])
        self.gate_up = torch.nn.ParameterList([joined(at, "mlp.gate_proj", "mlp.up_proj") for at in range(layers)])
        self.down = torch.nn.ParameterList([keep(get(at, "mlp.down_proj")) for at in range(layers)])
        self.norm1 = torch.nn.ParameterList([keep(get(at, "input_layernorm")) for at in range(layers)])
        self.norm2 = torch.nn.ParameterList([keep(get(at, "post_attention_layernorm")) for at in range(layers)])
        self.norm = keep(state["model.norm.weight"])
        theta = config.get("rope_theta") or config["rope_parameters"]["rope_theta"]
        angles = torch.arange(1024)[:, None].float() * (theta ** (-torch.arange(0, self.size, 2).float() / self.size))[None]
        self.register_buffer("cos", torch.cat([angles, angles], 1).cos(), persistent=False)
        self.register_buffer("sin", torch.cat([angles, angles], 1).sin(), persistent=False)
        self.dtype, self.attention = torch.float32, padded

    def rms(self, x, weight):
        return F.rms_norm(x, (x.shape[-1],), weight.to(x.dtype), self.eps)

    def qkv_of(self, x, at, cos, sin):
        joined = F.linear(self.rms(x, self.norm1[at]), self.qkv[at].to(self.dtype)).view(*x.shape[:-1], self.heads + 2 * self.kv, self.size)
        both, value = joined[..., : self.heads + self.kv, :], joined[..., self.heads + self.kv :, :]
        both = both * cos + rotate(both) * sin
        return both[..., : self.heads, :], both[..., self.heads :, :], value

    def after(self, x, mixed, at):
        x = x + F.linear(mixed, self.o[at].to(self.dtype))
        gate, up = F.linear(self.rms(x, self.norm2[at]), self.gate_up[at].to(self.dtype)).chunk(2, -1)
        return x + F.linear(F.silu(gate) * up, self.down[at].to(self.dtype))

    def hidden(self, packed, keep=None):
        """The last norm's output for every token; `keep` is called with each layer's keys and values."""
        x = F.embedding(packed.ids, self.words).to(self.dtype)
        cos, sin = self.cos[packed.positions][:, None].to(self.dtype), self.sin[packed.positions][:, None].to(self.dtype)
        share = self.heads // self.kv
        for at in range(len(self.qkv)):
            query, key, value = self.qkv_of(x, at, cos, sin)
            if keep:
                keep(at, key, value)
            mixed = self.attention(query.contiguous(), key.repeat_interleave(share, 1), value.repeat_interleave(share, 1), packed, at < self.causal)
            x = self.after(x, mixed.reshape(len(x), -1), at)
        return self.rms(x, self.norm)


class Teacher(torch.nn.Module):
    def __init__(self, llama):
        super().__init__()
        self.llama = llama
        self.head = torch.nn.Linear(2 * llama.words.shape[1], 1)
        torch.nn.init.normal_(self.head.weight, std=0.01)
        torch.nn.init.zeros_(self.head.bias)

    def forward(self, batch, device):
        packed = packed_of(batch.tids, batch.tlengths, device)
        x = self.llama.hidden(packed)
        ends = x[torch.from_numpy(batch.tends).to(device)].float()
        return self.head(torch.cat([ends, piece_means(x, batch.trows, batch.tcounts, device)], 1))[:, 0]


def llama_here(device, causal_share):
    """SmolLM2 (its first layers in a toy run) on the device, with the best attention that agrees with the plain one."""
    state, config = load_smollm2(D.SMOLLM2)
    layers = 2 if TOY else config["num_hidden_layers"]
    model = Llama(state, config, layers, round(layers * causal_share)).to(device)
    if device.type == "cuda":
        model.dtype = torch.bfloat16
        try:
            packed = packed_of(np.zeros(90, np.int32), np.array([50, 33, 7]), device)
            probes = [torch.randn(90, 9, 64, device=device, dtype=torch.bfloat16, requires_grad=True) for _ in range(3)]
            most = max(float((varlen(*probes, packed, causal) - padded(*probes, packed, causal)).abs().max()) for causal in (True, False))
            varlen(*probes, packed, True).float().square().sum().backward()
            say("packed attention differs from the padded one by", round(most, 4))
            if not most < 0.08:
                raise ValueError("differs")
            model.attention = varlen
        except Exception as error:
            say("padded attention is used:", repr(error)[:200])
            model.attention = padded
    return model


# What it learns from


def hard_losses(logits, batch, device):
    """As in the reader's train.py: for each group the list and the single pieces, and whether the first is right."""
    right = torch.from_numpy(batch.labels).to(device) > 0.5
    group = torch.from_numpy(batch.groups).to(device)
    zeros = lambda fill=0.0: torch.full((batch.size,), fill, device=device)
    best = zeros(-1e4).scatter_reduce(0, group, torch.where(right, logits.detach(), -1e4), "amax")
    limit = torch.where(best > -1e3, best + R.UNKNOWN_ABOVE, R.UNKNOWN_ABOVE)
    counts = torch.from_numpy(batch.known).to(device) | (logits.detach() < limit[group])
    top = zeros(-1e4).scatter_reduce(0, group, torch.where(counts, logits.detach(), -1e4), "amax")
    spread = (logits - top[group]).clamp_max(0).exp() * counts
    everything = zeros().index_add(0, group, spread)
    answers = zeros().index_add(0, group, spread * right)
    has_answer = zeros().index_add(0, group, right.float()) > 0
    listwise = torch.where(has_answer, everything.clamp_min(1e-12).log() - answers.clamp_min(1e-12).log(), 0.0)
    count = zeros().index_add(0, group, right.float()).clamp_min(1)
    hard = spread.detach() * ~right
    hard = hard / zeros().index_add(0, group, hard).clamp_min(1e-12)[group]
    wrong = zeros().index_add(0, group, hard * F.softplus(logits))
    found = zeros().index_add(0, group, right / count[group] * F.softplus(-logits))
    return listwise + 1.5 * (wrong + found), (best >= top) & has_answer


def run_teacher(data):
    """Trains the teacher on the written questions and notes; its state is saved every 90 seconds."""
    seconds, until = setting("SECONDS_TEACHER"), setting("UNTIL_TEACHER")
    queue, makers = start_producers("teacher", data, int(setting("WORKERS_TEACHER")), 4 if TOY else BATCH_TEACHER, 100)
    torch.manual_seed(1)
    device = device_of()
    teacher = Teacher(llama_here(device, CAUSAL_SHARE)).to(device)

    def save():
        state = {name: value.half() if "head" not in name else value for name, value in teacher.state_dict().items() if name != "llama.words"}
        torch.save(state, WORK / "teacher.tmp")
        os.replace(WORK / "teacher.tmp", WORK / "teacher.pt")

    body, head = [p for p in teacher.llama.parameters() if p.requires_grad], list(teacher.head.parameters())
    optimizer = torch.optim.AdamW([{"params": body, "base": RATE_TEACHER}, {"params": head, "base": 10 * RATE_TEACHER}], lr=RATE_TEACHER, betas=(0.9, 0.98), weight_decay=0.01, fused=device.type == "cuda")
    batch = queue.get()
    began, steps, total, right, seen, tokens, shown, saved, waited, bad, steps0, seen0 = time.time(), 0, 0.0, 0, 0, 0, time.time(), time.time(), 0.0, 0, 0, 0
    say("teacher begins on", device)
    try:
        while True:
            fraction = max((time.time() - began) / seconds, 1 - left(until) / seconds)
            if fraction >= 1:
                break
            for group in optimizer.param_groups:
                group["lr"] = group["base"] * min(1, (steps + 1) / 80) * (1 - 0.97 * fraction)
            optimizer.zero_grad(set_to_none=True)
            try:
                losses, ok = hard_losses(teacher(batch, device), batch, device)
                loss = losses.mean()
                loss.backward()
            except torch.OutOfMemoryError:
                say("teacher: out of memory, a batch is left out")
                losses = ok = loss = None
                optimizer.zero_grad(set_to_none=True)
                torch.cuda.empty_cache()
                batch = queue.get()
                continue
            norm = torch.nn.utils.clip_grad_norm_(body + head, 1.0)
            if steps % 20 == 0 and not torch.isfinite(norm):
                bad += 1
                say("teacher: gradient not finite")
                if bad > 3:
                    break
            if steps % 20 or torch.isfinite(norm):
                optimizer.step()
            steps, total, right, seen, tokens = steps + 1, total + loss.detach(), right + ok.sum(), seen + batch.size, tokens + len(batch.tids)
            if time.time() - shown > (2 if TOY else 15):
                used = time.time() - began
                say(f"teacher step {steps} {fraction:.2f} loss {float(total) / max(1, steps - steps0):.3f} first {int(right) / max(1, seen - seen0):.3f} {seen / used:.0f} groups/s {tokens / used / 1000:.0f}k tokens/s waited {waited / used:.0%} memory {torch.cuda.max_memory_allocated() / 1e9 if device.type == 'cuda' else 0:.0f} GB")
                shown, total, right, steps0, seen0 = time.time(), 0.0, 0, steps, seen
            if time.time() - saved > 90:
                save()
                saved = time.time()
            before = time.time()
            batch = queue.get()
            waited += time.time() - before
    finally:
        save()
        [maker.terminate() for maker in makers]
    say("teacher", steps, "steps,", seen, "groups,", f"{time.time() - began:.0f} s")


def load_teacher(device):
    llama = llama_here(device, CAUSAL_SHARE)
    teacher = Teacher(llama).to(device)
    missing, unexpected = teacher.load_state_dict(torch.load(WORK / "teacher.pt", map_location=device, weights_only=True), strict=False)
    assert not unexpected and all(name == "llama.words" for name in missing), (missing, unexpected)
    teacher.eval()
    if device.type == "cuda":
        for parameter in teacher.llama.parameters():
            parameter.data = parameter.data.bfloat16()
    for parameter in teacher.parameters():
        parameter.requires_grad_(False)
    return teacher


# Questions about pieces


def generator_prompt(marks, document, section, number):
    """Tokens of a section with one piece marked."""
    numbers = [each for each, _, _ in section["pieces"]]
    at = numbers.index(number)
    piece = section["t"][number][:80]
    before, after = [], []
    for each in reversed(numbers[:at]):
        if len(before) + len(section["t"][each]) > 50:
            break
        before = section["t"][each] + [D.NEWLINE] + before
    for each in numbers[at + 1 :]:
        if len(after) + len(section["t"][each]) > 40:
            break
        after = after + section["t"][each] + [D.NEWLINE]
    return [0] + section["tc"] + [D.NEWLINE] + before + marks[0] + piece + marks[1] + after + marks[2]


def generator_examples(data, marks, rng):
    """For each written question the prompt with a piece that answers it, and its tokens."""
    examples = []
    for entry in data.questions:
        if entry["answers"]:
            wanted = rng.choice(entry["answers"])
            for section in entry["document"].sections:
                if any(number == wanted for number, _, _ in section["pieces"]):
                    question = smol(" " + entry["question"])[: MOST_TOKENS + 2]
                    examples.append((generator_prompt(marks, entry["document"], section, wanted), question + [END]))
                    break
    return examples


def tune_generator(model, examples, rng, device):
    seconds, until = setting("SECONDS_GENERATOR"), setting("UNTIL_GENERATED")
    parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(parameters, lr=RATE_GENERATOR, betas=(0.9, 0.98), weight_decay=0.01, fused=device.type == "cuda")
    began = shown = time.time()
    steps, shown_steps, total, size, at = 0, 0, 0.0, 4 if TOY else BATCH_GENERATOR, 0
    rng.shuffle(examples)
    while (fraction := max((time.time() - began) / seconds, 1 - left(until - 60) / seconds if not TOY else 0)) < 1:
        for group in optimizer.param_groups:
            group["lr"] = RATE_GENERATOR * min(1, (steps + 1) / 40) * (1 - 0.95 * fraction)
        if at + size > len(examples):
            rng.shuffle(examples)
            at = 0
        chosen = examples[at : at + size]
        at += size
        rows, targets, base = [], [], 0
        for prompt, question in chosen:
            rows += range(base + len(prompt) - 1, base + len(prompt) + len(question) - 1)
            targets += question
            base += len(prompt) + len(question)
        packed = packed_of(np.concatenate([np.array(prompt + question, np.int32) for prompt, question in chosen]), np.array([len(prompt) + len(question) for prompt, question in chosen]), device)
        x = model.hidden(packed)[torch.tensor(rows, device=device)]
        loss = F.cross_entropy(F.linear(x, model.words.to(x.dtype)).float(), torch.tensor(targets, device=device))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        steps, total = steps + 1, total + loss.detach()
        if time.time() - shown > (2 if TOY else 10):
            say(f"generator step {steps} {fraction:.2f} loss {float(total) / (steps - shown_steps):.3f} {steps * size / (time.time() - began):.0f}/s")
            shown, total, shown_steps = time.time(), 0.0, steps
    say("generator tuned", steps, "steps")
    for parameter in model.parameters():
        parameter.requires_grad_(False)
        parameter.data = parameter.data.to(model.dtype)
        parameter.grad = None


def wanted_places(data, rng):
    """What to ask about: five questions for each piece of a vault, less than one for a piece of a page."""
    wanted = []
    for at, document in enumerate(data.documents):
        share = 0.7 if document.extra else 5.0 if document.is_invented else 0.8
        if document.id in data.index_ids:
            for section_at, section in enumerate(document.sections):
                for number, _, text in section["pieces"]:
                    if len(text.split()) >= 4 and document.kinds[number - 1] != "c":
                        wanted += [(at, section_at, number)] * (int(share) + (rng.random() < share - int(share)))
    rng.shuffle(wanted)
    return wanted


def run_generator(data):
    """Tunes the generator on the written questions, and writes made.jsonl: document, section, piece and question of each."""
    marks, until, most = (smol("\n>> "), smol(" <<\n"), smol("\nQuestion:")), setting("UNTIL_GENERATED"), int(setting("MOST_GENERATED"))
    rng, device = random.Random(7), device_of()
    model = llama_here(device, 1.0)
    examples = generator_examples(data, marks, rng)
    say("generator:", len(examples), "examples")
    tune_generator(model, examples, rng, device)
    if device.type == "cuda":
        torch.cuda.empty_cache()
    wanted = wanted_places(data, rng)[: most + most // 4]
    say("generator: wants", len(wanted), "questions")
    size, made, seen = 8 if TOY else BATCH_GENERATE, 0, set()
    began = shown = time.time()
    is_over = lambda: left(until) < 0 or made >= most
    with open(WORK / "made.jsonl", "w") as file:
        for start in range(0, len(wanted), 8 * size):
            part = [(generator_prompt(marks, data.documents[place[0]], data.documents[place[0]].sections[place[1]], place[2]), place) for place in wanted[start : start + 8 * size]]
            part.sort(key=lambda pair: len(pair[0]))
            for first in range(0, len(part), size):
                if is_over():
                    break
                chosen = part[first : first + size]
                for (_, place), tokens in zip(chosen, sample(model, [prompt for prompt, _ in chosen], device)):
                    text = D.SMOL_TOKENIZER.decode(tokens).strip() if tokens else ""
                    if text and "\n" not in text and 2 <= len(text.split()) <= 24 and (place[0], text) not in seen:
                        seen.add((place[0], text))
                        file.write(json.dumps([*place, text], ensure_ascii=False) + "\n")
                        made += 1
                if time.time() - shown > (2 if TOY else 10):
                    file.flush()
                    say(f"generated {made} at {made / (time.time() - began):.0f}/s; last: {text}")
                    shown = time.time()
            if is_over():
                break
    say("generated", made, "questions in", f"{time.time() - began:.0f} s")


@torch.no_grad()
def sample(model, prompts, device, temperature=0.95, most=50):
    """A question for each prompt, or None where it did not end in time."""
    lengths = np.array([len(prompt) for prompt in prompts])
    count, room = len(prompts), int(lengths.max()) + MOST_TOKENS + 1
    layers = len(model.qkv)
    keys = torch.zeros(layers, count, model.kv, room, model.size, dtype=model.dtype, device=device)
    values = torch.zeros_like(keys)
    packed = packed_of(np.concatenate([np.array(prompt, np.int32) for prompt in prompts]), lengths, device)

    def keep(at, key, value):
        keys[at].transpose(1, 2)[packed.owner, packed.positions] = key
        values[at].transpose(1, 2)[packed.owner, packed.positions] = value

    x = model.hidden(packed, keep)[packed.starts[1:].long() - 1]
    positions = torch.from_numpy(lengths).to(device)
    rows, columns, share = torch.arange(count, device=device), torch.arange(room, device=device), model.heads // model.kv
    done, out = torch.zeros(count, dtype=torch.bool, device=device), []
    for turn in range(MOST_TOKENS + 1):
        best, which = F.linear(x, model.words.to(x.dtype)).float().topk(most, -1)
        chosen = which.gather(1, torch.multinomial((best / temperature).softmax(-1), 1))[:, 0]
        chosen = torch.where(done, END, chosen)
        out.append(chosen)
        done = done | (chosen == END)
        if turn == MOST_TOKENS or turn % 4 == 3 and bool(done.all()):
            break
        x = F.embedding(chosen, model.words).to(model.dtype)
        cos, sin = model.cos[positions][:, None].to(model.dtype), model.sin[positions][:, None].to(model.dtype)
        hidden = (columns[None] > positions[:, None])[:, None, None]
        for at in range(layers):
            query, key, value = model.qkv_of(x, at, cos, sin)
            keys[at][rows, :, positions] = key
            values[at][rows, :, positions] = value
            scores = query.reshape(count, model.kv, share, model.size) @ keys[at].transpose(2, 3) * model.size**-0.5
            mixed = scores.float().masked_fill(hidden, float("-inf")).softmax(-1).to(model.dtype) @ values[at]
            x = model.after(x, mixed.reshape(count, -1), at)
        x = model.rms(x, model.norm)
        positions = positions + 1
    tokens = torch.stack(out, 1).tolist()
    return [row[: row.index(END)] if END in row else row[:8] if TOY else None for row in tokens]
