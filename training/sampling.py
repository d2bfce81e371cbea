"""Draws training pairs (query, passage) from the records: another query for the same record each time."""

import os
import random
import re

import numpy as np

import extract

STOP = set("a an the and or of in on at to for from by with as is are was be been it its this that which into if not no all any each".split())
NAMES = {"py": "python", "rs": "rust", "go": "go", "java": "java", "ts": "typescript", "js": "javascript", "c": "c"}
GENERIC = re.compile(
    r"^(examples?|see also|notes?|overview|introduction|usage|description|parameters?|syntax|name|synopsis|remarks|returns?( value)?|next steps|summary|requirements"
    r"|installation|install|prerequisites|options|resources|references|related.*|feedback|inputs?|outputs?|rule details|fail|pass|api|more information|options?|background|motivation)$",
    re.I,
)
WITH_COMMENT = 0.6  # how often a function keeps its comment, as in real code


def imperative(sentence: str) -> str:
    """"Returns the size" as "return the size"."""
    first, _, rest = sentence.partition(" ")
    verb = first.lower()
    if re.fullmatch(r"[a-z]{3,}s", verb) and not verb.endswith(("ss", "us", "is")) and verb not in ("this", "class", "always", "as"):
        verb = verb[:-3] + "y" if verb.endswith("ies") else verb[:-2] if re.search(r"(sh|ch|x|ss|zz)es$", verb) else verb[:-1]
        return f"{verb} {rest}".strip()
    return sentence


def keywords(text: str, rnd, drop: float = 0.15) -> str:
    return " ".join(word for word in re.findall(r"[\w./#+-]+", text.lower()) if word not in STOP and rnd.random() > drop)


def asked(sentence: str, language: str, rnd) -> str:
    return rnd.choice(["how to ", language + " how to ", language + " ", ""]) + imperative(sentence).lower() + rnd.choice(["", " in " + language, " " + language])


def code_query(record: dict, rnd, with_comment: bool) -> str:
    language, name = NAMES[record["l"]], extract.split_name(record["n"])
    sentence = re.split(r"(?<=[.!?])\s", record["c"])[0].rstrip(".")
    dice = rnd.random()
    if with_comment:
        if dice < 0.4:
            return keywords(imperative(sentence), rnd, 0.3) + (" " + language if rnd.random() < 0.6 else "")
        if dice < 0.7 and " " in name:
            return f"{language} {name}" if rnd.random() < 0.5 else f"{name} in {language}"
        return asked(sentence, language, rnd)
    if dice < 0.3:
        return record["c"]
    if dice < 0.5:
        return sentence
    if dice < 0.65:
        return keywords(imperative(sentence), rnd) + rnd.choice(["", " " + language])
    if dice < 0.8 and " " in name:
        return rnd.choice([name, f"{language} {name}", f"{name} in {language}", f"how to {name} {language}"])
    return asked(sentence, language, rnd)


def commented(record: dict) -> str:
    comment, body, language = record["c"], record["b"], record["l"]
    if language == "py":
        first, _, rest = body.partition("\n")
        return f'{first}\n    """{comment}"""\n{rest}' if first.rstrip().endswith(":") else f'"""{comment}"""\n{body}'
    return {"rs": f"/// {comment}\n", "go": f"// {comment}\n"}.get(language, f"/** {comment} */\n") + body


def note_query(record: dict, rnd) -> tuple:
    """(query, whether the passage keeps its headings, another passage or None)."""
    title, body = record["T"], record["b"]
    trail = [name for name in record["h"] if name]
    last = trail[-1] if trail else title
    dice = rnd.random()
    if record.get("a") and dice < 0.55:
        return rnd.choice(record["a"]), True, None
    if record.get("D") and dice < 0.7:
        return record["D"], True, None
    dice = rnd.random()
    sentences = [text for text in re.split(r"(?<=[.!?:])\s+|\n+", body) if 25 < len(text) < 250]
    if dice < 0.22 and len(sentences) >= 3:
        rest = body.replace(sentences[0], "", 1).strip()
        if len(rest) > 150:
            return sentences[0], False, rest
    if dice < 0.42 and sentences:
        picked = [word for word in keywords(rnd.choice(sentences), rnd, 0.4).split() if len(word) > 2]
        if len(picked) >= 3:
            return " ".join(picked[:8]), True, None
    query = last
    if last != title and (GENERIC.match(last) or len(last.split()) < 3 or rnd.random() < 0.5):
        query = f"{title} {last}"
    if len(trail) > 2 and rnd.random() < 0.3:
        query = f"{title} {trail[-2]} {last}"
    query = query.lower() if rnd.random() < 0.4 else query
    return rnd.choice(["", "", "", "how to ", "what is "]) + query, rnd.random() < 0.65, None


def with_headings(record: dict) -> str:
    return record["T"] + "".join(" > " + name for name in record["h"] if name != record["T"]) + "\n" + record["b"]


def stratum(record: dict) -> str:
    if record["t"] == "code":
        return {"js": "ts"}.get(record["l"], record["l"])
    return record["t"] if record["t"] == "note" else record["k"]


class Pairs:
    """All records, tokenised once; batches are drawn from one stratum at a time so that the negatives are hard."""

    def __init__(self, records: list, tokenizer, longest: int):
        self.records, self.tokenizer, self.longest = records, tokenizer, longest
        plain = [record.get("b") or record["d"] for record in records]
        full = [commented(r) if r["t"] == "code" else with_headings(r) if r["t"] == "note" else "" for r in records]
        self.plain = tokenizer.ids(plain, longest)
        self.full = [long if text else short for text, long, short in zip(full, tokenizer.ids(full, longest), self.plain)]
        self.strata = {}
        for at, record in enumerate(records):
            self.strata.setdefault(stratum(record), []).append(at)

    def order(self, members: list, rnd, block: int = 64) -> list:
        """Shuffled in blocks of one source each: neighbours of one source are the hard negatives."""
        sources = {}
        for at in members:
            sources.setdefault(self.records[at]["g"], []).append(at)
        blocks = []
        for group in sources.values():
            rnd.shuffle(group)
            blocks += [group[start : start + block] for start in range(0, len(group), block)]
        rnd.shuffle(blocks)
        return [at for group in blocks for at in group]

    def draw(self, at: int, rnd) -> tuple:
        """(query, passage ids or None, passage text to tokenise)."""
        record = self.records[at]
        if record["t"] == "code":
            keep = rnd.random() < WITH_COMMENT
            return code_query(record, rnd, keep), self.full[at] if keep else self.plain[at], None
        if record["t"] == "note":
            query, headings, rest = note_query(record, rnd)
            return query, None if rest else self.full[at] if headings else self.plain[at], rest
        query = rnd.choice(record["q"])
        return (query if rnd.random() < 0.8 else keywords(query, rnd) or query), self.plain[at], None

    def batches(self, size: int, seed: int, weights: dict):
        """Endless batches: (stratum, queries, query ids, passage ids, identity of the passage)."""
        rnd = random.Random(seed)
        names = [name for name in sorted(self.strata) if len(self.strata[name]) >= min(300, size)]
        odds = [len(self.strata[name]) ** 0.85 * weights.get(name, 1.0) for name in names]
        pools = {name: [] for name in names}
        while True:
            name = rnd.choices(names, odds)[0]
            count = min(size, len(self.strata[name]))
            if len(pools[name]) < count:
                pools[name] = self.order(self.strata[name], rnd)
            picked, pools[name] = pools[name][:count], pools[name][count:]
            queries, passages, texts = zip(*(self.draw(at, rnd) for at in picked))
            missing = [place for place, text in enumerate(texts) if text]
            passages = list(passages)
            for place, ids in zip(missing, self.tokenizer.ids([texts[place] for place in missing], self.longest) if missing else []):
                passages[place] = ids
            identity = np.array([self.identity(at) for at in picked], np.int64)
            yield name, list(queries), self.tokenizer.ids(list(queries), 64), passages, identity

    def identity(self, at: int) -> int:
        record = self.records[at]
        return hash((record["g"], record["T"])) if record["t"] == "note" else at

    def stream(self, size: int, seed: int, weights: dict, workers: int):
        """The same batches made by other processes. Each has a seed of its own, so the order of arrival may differ from run to run."""
        if workers == 0:
            yield from self.batches(size, seed, weights)
            return
        import multiprocessing

        context = multiprocessing.get_context("fork")
        queue = context.Queue(2 * workers)

        def work(own_seed):
            os.environ["TOKENIZERS_PARALLELISM"] = "false"
            for name, queries, query_ids, passage_ids, identity in self.batches(size, own_seed, weights):
                queue.put((name, queries, flatten(query_ids), flatten(passage_ids), identity))

        processes = [context.Process(target=work, args=(seed + 1000 * at,), daemon=True) for at in range(workers)]
        for process in processes:
            process.start()
        try:
            while True:
                name, queries, query_ids, passage_ids, identity = queue.get(timeout=120)
                yield name, queries, unflatten(query_ids), unflatten(passage_ids), identity
        finally:
            for process in processes:
                process.terminate()


def flatten(sequences: list) -> tuple:
    return np.concatenate(sequences), np.array([len(sequence) for sequence in sequences], np.int32)


def unflatten(flat: tuple) -> list:
    return np.split(flat[0], np.cumsum(flat[1])[:-1])
