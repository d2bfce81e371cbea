"""The reader as the teacher's student: what it learns from the teacher, its stage, and the figures of every model on the same held-out rows."""

import json
import random
import time
import traceback

import numpy as np
import torch
import torch.nn.functional as F

import reader_data as D
from model import EMBEDDINGS, read_weights
from reader_data import MODEL, OUT, R, TOY, WORK, Batch, left, made_group, read_made, read_tests, say, setting, start_producers
from reader_teacher import device_of, hard_losses, load_teacher, packed_of, piece_means

BATCH, RATE, HARD_SHARE, DROPOUT, ROUND_FROM = 64, 1.8e-4, 0.5, 0.1, 0.6


def base_reader(device):
    weights = read_weights(MODEL / "reader.int8.safetensors")
    weights[EMBEDDINGS] = read_weights(MODEL / "model.int8.safetensors")[EMBEDDINGS]
    model = R.Reader(weights, None)
    model.to(device)
    R.best_attention(model.trunk, device)
    return model


def reader_logits(model, batch, device):
    packed = packed_of(batch.ids, batch.lengths, device)
    seconds = torch.from_numpy(batch.seconds).to(device)
    x = model.trunk.hidden(packed, (packed.positions >= seconds[packed.owner]).long(), model.dropout if model.training else 0.0)
    first = x[packed.starts[:-1].long()][torch.from_numpy(batch.owners).to(device)]
    return model.head(torch.cat([first, piece_means(x, batch.rows, batch.counts, device)], 1))[:, 0]


def log_shares(logits, group, size, none=True):
    """Logarithms of each piece's share of its group; of the none, too, whose logit is zero."""
    most = torch.full((size,), 0.0 if none else -1e4, device=logits.device).scatter_reduce(0, group, logits.detach(), "amax")
    total = torch.zeros(size, device=logits.device).index_add(0, group, (logits - most[group]).exp()) + (torch.exp(-most) if none else 0)
    whole = most + total.clamp_min(1e-20).log()
    return logits - whole[group], -whole


def soft_losses(logits, theirs, batch, device):
    """For each group: the divergence from the teacher's shares (with none, and softened without), and from its probability for each piece that either takes for an answer."""
    group = torch.from_numpy(batch.groups).to(device)
    sums = lambda value: torch.zeros(batch.size, device=device).index_add(0, group, value)
    p, p0 = log_shares(theirs, group, batch.size)
    q, q0 = log_shares(logits, group, batch.size)
    divergence = sums(p.exp() * (p - q)) + p0.exp() * (p0 - q0)
    warm = 2.5
    p, _ = log_shares(theirs / warm, group, batch.size, False)
    q, _ = log_shares(logits / warm, group, batch.size, False)
    softened = sums(p.exp() * (p - q)) * warm
    chance = theirs.sigmoid()
    weight = torch.maximum(chance, logits.detach().sigmoid())
    single = F.binary_cross_entropy_with_logits(logits, chance, reduction="none") - F.binary_cross_entropy_with_logits(theirs, chance, reduction="none")
    return divergence + softened + sums(weight * single) / (0.5 + sums(weight))


@torch.no_grad()
def measure(logits_of, tests, until=None):
    """First piece right and area for vaults, groups and pages, as the reader's train.py has them; mean precision for notes."""
    of = {}
    pooled, firsts, note_count = [], [], 0
    for batch, parts in tests:
        if until and left(until) < 0:
            say("measured only a part, no time left")
            break
        logits = logits_of(batch).float().cpu().numpy()
        bounds = np.searchsorted(batch.groups, np.arange(batch.size + 1))
        for at, (kind, keys, marks, has) in enumerate(parts):
            scores = {}
            for key, mark, score in zip(keys, marks, logits[bounds[at] : bounds[at + 1]]):
                if key not in scores or score > scores[key][0]:
                    scores[key] = (float(score), mark)
            order = sorted(scores.values(), key=lambda pair: -pair[0])
            if kind == "notes":
                note_count += 1
                firsts += [mark for _, mark in order[:2]]
                pooled += order
                continue
            own = of.setdefault(kind, {"certain": [], "mrr": [], "none": []})
            if has:
                rank = next((rank for rank, (_, mark) in enumerate(order) if mark), 999)
                own["certain"].append((order[0][0], rank == 0))
                own["mrr"].append(1 / (rank + 1))
            else:
                own["none"].append(order[0][0])
    out = {}
    for kind, own in sorted(of.items()):
        right, none = np.array([score for score, _ in own["certain"]]), np.array(own["none"])
        certain = sorted(own["certain"], reverse=True)
        half = certain[: len(certain) // 2]
        mean = lambda values: round(float(np.mean(values)), 3) if len(values) else None
        out[kind] = {"first": mean([ok for _, ok in certain]), "mrr": mean(own["mrr"]), "area": round(float((right[:, None] > none[None]).mean() + 0.5 * (right[:, None] == none[None]).mean()), 3) if len(right) and len(none) else None,
                     "first in the surer half": mean([ok for _, ok in half]), "above zero": (mean(right > 0), mean(none > 0)), "n": (len(right), len(none))}
    if note_count:
        pooled.sort(key=lambda pair: -pair[0])
        wanted, found, precision = sum(mark == "+" for _, mark in pooled), 0, 0.0
        for at, (_, mark) in enumerate(pooled, 1):
            if mark == "+":
                found += 1
                precision += found / at
        share = lambda part, want: round(sum(mark == want for mark in part) / max(1, len(part)), 3)
        best = [mark for _, mark in pooled[: 2 * note_count]]
        out["notes"] = {"mean precision": round(precision / max(1, wanted), 3), "first two": (share(firsts, "+"), share(firsts, "~")), "best two a note": (share(best, "+"), share(best, "~"), round(pooled[len(best) - 1][0], 2)), "n": (note_count, wanted, len(pooled))}
    return out


def note_figures(name, figures):
    say("figures of", name, json.dumps(figures))
    path = OUT / f"figures.{name}.json"
    path.write_text(json.dumps(figures, indent=1))


def run_figures(data):
    """Figures of the shipped reader and of the teacher, and generated questions to read."""
    device = device_of()
    tests, until = read_tests(), setting("UNTIL_STUDENT")
    reader = base_reader(device).eval()
    reader.trunk.weights_int8 = reader.trunk.activations_int8 = True
    note_figures("shipped", measure(lambda batch: reader_logits(reader, batch, device), tests, until))
    if not (WORK / "teacher.pt").exists():
        return
    teacher = load_teacher(device)
    note_figures("teacher", measure(lambda batch: teacher(batch, device), tests, until))
    made = read_made(data)
    rng = random.Random(3)
    lines = []
    for entry in rng.sample(made, min(200, len(made))):
        group = made_group(entry, data, rng, masks=False)
        with torch.no_grad():
            logits = teacher(Batch([group], student=False), device).float().cpu().numpy()
        places = [(window[5], window[6], each[4]) for window in group for each in window[2]]
        best = int(logits.argmax())
        text = lambda document, section, number: next(text for each, _, text in section["pieces"] if each == number)
        about = text(None, data.documents[entry[0]].sections[entry[1]], entry[2])
        document, section, number_ = places[best]
        same = document is data.documents[entry[0]] and number_ == entry[2]
        lines.append(f"Q: {entry[3]}\n  about [{data.documents[entry[0]].source} | {data.documents[entry[0]].sections[entry[1]]['name']}]: {about}\n  teacher {logits[best]:+.1f} {'the same' if same else '[' + section['name'] + ']: ' + text(document, section, number_)}\n")
    (OUT / "generated_sample.txt").write_text("\n".join(lines))
    same = sum("the same" in line for line in lines)
    say("sample of generated questions written; the teacher's best piece is the one asked about for", same, "of", len(lines))


def run_student(data):
    """Trains the reader further; exports it, and the running mean of its weights from three quarters of the time on."""
    seconds, until = setting("SECONDS_STUDENT"), setting("UNTIL_STUDENT")
    has_teacher = (WORK / "teacher.pt").exists()
    made = read_made(data) if has_teacher else []
    say("student: teacher", has_teacher, "; generated questions", len(made))
    size = 4 if TOY else BATCH
    queue, makers = start_producers("student" if has_teacher else "alone", data, int(setting("WORKERS_STUDENT")), size, 500, made)
    torch.manual_seed(1)
    device = device_of()
    model = base_reader(device)
    teacher = load_teacher(device) if has_teacher else None
    if has_teacher and not TOY:
        # A teacher that is clearly worse than the reader itself teaches nothing.
        tests = read_tests()[::5] if (WORK / "tests.pickle").exists() else []
        both = [measure(logits_of, tests) for logits_of in (lambda batch: reader_logits(model.eval(), batch, device), lambda batch: teacher(batch, device))]
        mean_of = lambda figures: float(np.mean([part["first"] for name, part in figures.items() if name != "notes"] or [0]))
        say(f"on a part of the tests the first piece is right: reader {mean_of(both[0]):.3f}, teacher {mean_of(both[1]):.3f}")
        if mean_of(both[1]) < mean_of(both[0]) - 0.04:
            say("the teacher is too weak: the student goes on with the written questions alone")
            has_teacher = False
    model.dropout = DROPOUT
    parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(parameters, lr=RATE, betas=(0.9, 0.98), weight_decay=0.01, fused=device.type == "cuda")
    mean = None
    model.train()
    batch = queue.get()
    began, steps, seen, shown, exported, waited = time.time(), 0, 0, time.time(), time.time(), 0.0
    sums = torch.zeros(4, device=device)
    try:
        while True:
            fraction = max((time.time() - began) / seconds, 1 - left(until) / seconds)
            if fraction >= 1:
                break
            for group in optimizer.param_groups:
                group["lr"] = RATE * min(1, (steps + 1) / 60) * (1 - 0.97 * fraction)
            model.trunk.weights_int8 = model.trunk.activations_int8 = fraction >= ROUND_FROM
            optimizer.zero_grad(set_to_none=True)
            try:
                logits = reader_logits(model, batch, device)
                hard, ok = hard_losses(logits, batch, device)
                labeled = torch.from_numpy(batch.labeled).to(device)
                loss = (hard * labeled).sum() / labeled.sum().clamp_min(1) * (HARD_SHARE if has_teacher else 1.0)
                soft = loss.detach() * 0
                if has_teacher:
                    with torch.no_grad():
                        theirs = teacher(batch, device)
                    soft = soft_losses(logits, theirs, batch, device).mean()
                    loss = loss + soft
                loss.backward()
            except torch.OutOfMemoryError:
                say("student: out of memory, a batch is left out")
                logits = hard = ok = loss = soft = theirs = None
                optimizer.zero_grad(set_to_none=True)
                torch.cuda.empty_cache()
                batch = queue.get()
                continue
            torch.nn.utils.clip_grad_norm_(parameters, 1.0)
            optimizer.step()
            if fraction > 0.75:
                now = [parameter.detach() for parameter in parameters]
                if mean is None:
                    mean = [value.clone() for value in now]
                else:
                    torch._foreach_lerp_(mean, now, 0.005)
            steps, seen = steps + 1, seen + batch.size
            sums += torch.stack([(hard.detach() * labeled).sum() / labeled.sum().clamp_min(1), soft.detach(), (ok * labeled).sum() / labeled.sum().clamp_min(1), torch.ones((), device=device)])
            if time.time() - shown > (2 if TOY else 15):
                a, b, c, n = sums.tolist()
                used = time.time() - began
                say(f"student step {steps} {fraction:.2f} hard {a / n:.3f} soft {b / n:.3f} first {c / n:.3f} {seen / used:.0f} groups/s {steps / used:.1f} steps/s waited {waited / used:.0%} memory {torch.cuda.max_memory_allocated() / 1e9 if device.type == 'cuda' else 0:.0f} GB")
                shown = time.time()
                sums.zero_()
            if time.time() - exported > 120:
                R.export(model, OUT / "reader.part.safetensors")
                exported = time.time()
            before = time.time()
            batch = queue.get()
            waited += time.time() - before
    except BaseException:
        traceback.print_exc()
        say("student stopped by an error; what there is is exported")
    finally:
        [maker.terminate() for maker in makers]
    say("student", steps, "steps,", seen, "groups,", f"{time.time() - began:.0f} s")
    model.eval()
    model.trunk.weights_int8 = model.trunk.activations_int8 = True
    R.export(model, OUT / "reader.int8.safetensors")
    (OUT / "reader.part.safetensors").unlink(missing_ok=True)
    say("exported", (OUT / "reader.int8.safetensors").stat().st_size, "bytes")
    until = setting("UNTIL_ALL")
    invented = [entry for entry in data.held if entry["document"].is_invented and "additions" not in entry]
    rng = random.Random(1)
    invented = rng.sample(invented, len(invented))
    tests = read_tests() if (WORK / "tests.pickle").exists() else []
    logits_of = lambda batch: reader_logits(model, batch, device)
    note_figures("student", measure(logits_of, tests, until))

    def reference(name):
        # write_reference moves the model to the CPU and changes how it computes.
        encoder = model.trunk
        before = encoder.dtype, encoder.attention
        R.write_reference(model, invented, D.TEXTS, OUT / name)
        encoder.dtype, encoder.attention = before
        model.to(device)

    reference("reference_answers.json")
    say("reference written")
    if mean is not None:
        for parameter, value in zip(parameters, mean):
            parameter.data.copy_(value)
        R.export(model, OUT / "reader.mean.int8.safetensors")
        note_figures("student_mean", measure(logits_of, tests, until))
        reference("reference_answers.mean.json")
    say("student done")
