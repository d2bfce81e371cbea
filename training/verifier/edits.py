"""Sentences that a passage bears out, and sentences that it does not, made from the passage's own sentences.

Every edit works on words. A harmless one keeps what the sentence says; a harmful one changes it, and says which words it changed, so
that training can point at them. Harmless edits are made to wrong sentences, too: that words differ must not mean that a sentence is wrong.
"""

import random
import re

ENTAILED, CONTRADICTED, NOT_THERE = 0, 1, 2

OPPOSITES = """
increase decrease|increases decreases|increased decreased|rise fall|rises falls|rose fell|enable disable|enables disables|enabled disabled|before after|above below
more less|more fewer|higher lower|greater smaller|larger smaller|longer shorter|faster slower|earlier later|maximum minimum|most least|first last|true false|always never
all some|every some|must may|must should|required optional|only also|allow forbid|allows forbids|allowed forbidden|accept reject|accepts rejects|accepted rejected
client server|read write|reads writes|input output|inputs outputs|old new|older newer|local remote|public private|include exclude|includes excludes|included excluded
add remove|adds removes|added removed|open closed|start end|starts ends|begin end|begins ends|left right|up down|with without|success failure|succeeds fails
same different|synchronous asynchronous|sync async|mutable immutable|safe unsafe|empty full|valid invalid|known unknown|explicit implicit|explicitly implicitly
automatically manually|ascending descending|inside outside|parent child|source target|sender receiver|encode decode|encodes decodes|encrypt decrypt|compress decompress
lock unlock|push pop|load store|import export|upload download|install uninstall|connect disconnect|accepts refuses|cheap expensive|early late|strong weak|hot cold
warm cold|dry wet|morning evening|north south|east west|buy sell|bought sold|win lose|won lost|gain loss|near far|deep shallow|hard soft|thick thin|light dark
unless if|if unless|until after|at-least at-most|minimum maximum|mandatory optional|temporary permanent|temporarily permanently|single multiple|one several
previous next|upper lower|internal external|static dynamic|positive negative|even odd|row column|horizontal vertical|absolute relative|serial parallel|eager lazy
supported unsupported|available unavailable|possible impossible|visible hidden|online offline|active inactive|primary secondary|default custom|current former
"""
SYNONYMS = """
because since|use employ|uses employs|allows lets|permit allow|permits allows|returns yields|big large|begin start|begins starts|remove delete|removes deletes|create make
creates makes|build construct|show display|shows displays|get obtain|gets obtains|help assist|need require|needs requires|however but|about around|also too
method function|error failure|folder directory|directory folder|stop halt|stops halts|fast quick|quickly rapidly|given provided|keep retain|keeps retains|change modify
changes modifies|choose select|chosen selected|choose pick|check verify|checks verifies|ensure guarantee|ensures guarantees|many numerous|several multiple|whole entire
often frequently|rarely seldom|usually normally|currently now|simple easy|simply just|wrong incorrect|correct right|finish complete|finished completed|buy purchase
send transmit|sends transmits|answer reply|answers replies|ask request|happen occur|happens occurs|try attempt|tries attempts|mostly mainly|main primary|size dimension
argument parameter|arguments parameters|parameter argument|invoke call|invoked called|invokes calls|utilize use|default standard|specify set|specifies sets|specified given
throw raise|throws raises|kind type|kinds types|via through|within inside|each every|every each|while whereas|therefore so|thus so|perform do|performs does
"""
NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty".split()
UNITS = "ms s seconds minutes hours days weeks months years kg g mg km m cm mm MB GB KB bytes bits % percent euros dollars pounds degrees meters liters".split()
AUXILIARIES = "is are was were can could will would should must may might has have had do does did".split()
OPENERS = re.compile(r"^(however|therefore|also|additionally|moreover|furthermore|note that|in addition|thus|so|finally|then|instead|otherwise|for example|by default),?\s+", re.I)
STOP = set("a an the of to in on at by for with from and or but not no is are was were be been being it its this that these those as if then than so such can could will would should must may might has have had do does did you your we our they their he she his her i which who what when where how all any some each every more most other only own same into over under up down out about after before between through during again there here very just also too".split())


def table(text: str, both: bool) -> dict:
    out = {}
    for pair in text.replace("\n", "|").split("|"):
        if pair.strip():
            one, other = pair.split()
            out.setdefault(one, []).append(other)
            if both:
                out.setdefault(other, []).append(one)
    return out


OPPOSITE, SYNONYM = table(OPPOSITES, True), table(SYNONYMS, True)
WORD = re.compile(r"`[^`\n]+`|[^\s]+")


class Draft:
    """A sentence as words, with a mark at those that make it wrong."""

    def __init__(self, text: str):
        self.words = WORD.findall(text)
        self.marks = [False] * len(self.words)
        self.label = ENTAILED

    def put(self, at: int, new: str, wrong: bool) -> None:
        old = self.words[at]
        lead, tail = affixes(old)
        if bare(old)[:1].isupper() and at == 0:
            new = new[:1].upper() + new[1:]
        self.words[at] = lead + new + tail
        self.marks[at] = self.marks[at] or wrong

    def insert(self, at: int, words: list, wrong: bool) -> None:
        self.words[at:at] = words
        self.marks[at:at] = [wrong] * len(words)

    def drop(self, start: int, end: int) -> None:
        del self.words[start:end]
        del self.marks[start:end]

    def mark(self, at: int) -> None:
        if self.marks:
            self.marks[min(max(at, 0), len(self.marks) - 1)] = True

    def find(self, wanted) -> list:
        return [at for at, word in enumerate(self.words) if wanted(bare(word))]

    def pieces(self) -> list:
        """Runs of words with the same mark, for the tokenizer."""
        return list(zip(self.words, self.marks))


def bare(word: str) -> str:
    return word.strip(".,;:!?()[]{}\"'*_“”‘’…")


def affixes(word: str) -> tuple:
    inner = bare(word)
    if not inner:
        return "", ""
    at = word.index(inner)
    return word[:at], word[at + len(inner):]


# Harmless edits.


def keep(draft, _passage, _random):
    return True


def drop_opener(draft, _passage, _random):
    text = " ".join(draft.words)
    match = OPENERS.match(text)
    if not match:
        return False
    draft.drop(0, len(match.group().split()))
    if draft.words:
        draft.words[0] = draft.words[0][:1].upper() + draft.words[0][1:]
    return bool(draft.words)


def drop_aside(draft, _passage, _random):
    text = " ".join(draft.words)
    match = re.search(r"\s\([^()]{3,80}\)", text)
    if not match:
        return False
    first = len(text[: match.start()].split())
    draft.drop(first, first + len(match.group().split()))
    return len(draft.words) >= 4


def synonym(draft, _passage, rng):
    places = draft.find(lambda word: word.lower() in SYNONYM)
    if not places:
        return False
    for at in rng.sample(places, min(len(places), rng.randint(1, 3))):
        draft.put(at, rng.choice(SYNONYM[bare(draft.words[at]).lower()]), False)
    return True


def write_number(draft, _passage, rng):
    places = draft.find(lambda word: word.lower() in NUMBERS[2:] or (word.isascii() and word.isdigit() and 2 <= int(word) <= 20))
    if not places:
        return False
    at = rng.choice(places)
    word = bare(draft.words[at]).lower()
    draft.put(at, NUMBERS[int(word)] if word.isascii() and word.isdigit() else str(NUMBERS.index(word)), False)
    return True


def contract(draft, _passage, rng):
    text = " ".join(draft.words)
    pairs = [("do not", "don't"), ("does not", "doesn't"), ("is not", "isn't"), ("cannot", "can not"), ("can't", "cannot"), ("don't", "do not"), ("doesn't", "does not"), ("isn't", "is not"), ("won't", "will not"), ("it's", "it is")]
    found = [pair for pair in pairs if re.search(rf"\b{pair[0]}\b", text)]
    if not found or any(draft.marks):
        return False
    old, new = rng.choice(found)
    fresh = Draft(re.sub(rf"\b{old}\b", new, text, count=1))
    draft.words, draft.marks = fresh.words, fresh.marks
    return True


def plain_text(draft, _passage, _random):
    """Without marks of emphasis and code."""
    words = [re.sub(r"[`*_]{1,2}", "", word) if not re.search(r"\w_\w", word) else word.replace("`", "") for word in draft.words]
    changed = words != draft.words
    draft.words = words
    return changed


def turn_condition(draft, _passage, _random):
    """`If A, B.` becomes `B if A.`"""
    text = " ".join(draft.words)
    match = re.match(r"(If|When|Once|Since|Because|To|After|Before) ([^,]{8,90}), ([^.;:]{8,140})\.?$", text)
    if not match or any(draft.marks):
        return False
    lead, condition, rest = match.groups()
    fresh = Draft(f"{rest[:1].upper()}{rest[1:]} {lead.lower()} {condition}.")
    draft.words, draft.marks = fresh.words, fresh.marks
    return True


def shorten(draft, _passage, _random):
    """The part before a comma with `which`, `and`, `but`, `so`."""
    text = " ".join(draft.words)
    match = re.search(r", (which|and|but|so|as|while|where) ", text)
    if not match or any(draft.marks):
        return False
    words = len(text[: match.start()].split())
    if words < 5 or words >= len(draft.words):
        return False
    draft.drop(words, len(draft.words))
    draft.words[-1] = bare(draft.words[-1]) + "."
    return True


def rest_of_list(draft, _passage, rng):
    """`A, B and C` becomes `A and C`."""
    text = " ".join(draft.words)
    match = re.search(r"(\S+), (\S+),? (and|or) (\S+)", text)
    if not match or any(draft.marks):
        return False
    first, second, joint, third = match.groups()
    pair = rng.choice([(first, third), (second, third), (first, second)])
    ending = third[len(third.rstrip(".,;:")):]
    fresh = Draft(text[: match.start()] + f"{pair[0]} {joint} {bare(pair[1])}{ending}" + text[match.end():])
    draft.words, draft.marks = fresh.words, fresh.marks
    return True


HARMLESS = [keep, keep, drop_opener, drop_aside, synonym, synonym, synonym, write_number, contract, plain_text, turn_condition, shorten, rest_of_list]


# Harmful edits.


def other_number(draft, passage, rng):
    places = draft.find(lambda word: re.fullmatch(r"[\d][\d.,:]*", word) or word.lower() in NUMBERS[1:])
    if not places:
        return False
    at = rng.choice(places)
    old = bare(draft.words[at])
    others = [bare(word) for word in passage.split() if re.fullmatch(r"\d[\d.,:]*", bare(word)) and bare(word) != old]
    if others and rng.random() < 0.6:
        new = rng.choice(others)
    elif old.lower() in NUMBERS:
        new = NUMBERS[(NUMBERS.index(old.lower()) + rng.choice([1, 2, 3])) % 20 + 1]
    else:
        digits = [i for i, c in enumerate(old) if c in "0123456789"]
        i = rng.choice(digits)
        new = old[:i] + str((int(old[i]) + rng.randint(1, 8)) % 10) + old[i + 1:]
    if new == old or (new.isascii() and new.isdigit() and int(new) < 21 and NUMBERS[int(new)] == old.lower()):
        return False
    draft.put(at, new, True)
    return CONTRADICTED


def other_unit(draft, _passage, rng):
    places = [at for at in draft.find(lambda word: word in UNITS) if at and re.search(r"\d", draft.words[at - 1])]
    if not places:
        return False
    at = rng.choice(places)
    old = bare(draft.words[at])
    draft.put(at, rng.choice([unit for unit in UNITS if unit != old]), True)
    return CONTRADICTED


def negate(draft, _passage, rng):
    text_places = draft.find(lambda word: word.lower() in ("not", "never", "cannot", "don't", "doesn't", "isn't", "no", "without", "won't", "can't"))
    if text_places and rng.random() < 0.75:
        at = rng.choice(text_places)
        word = bare(draft.words[at]).lower()
        new = {"not": "", "never": "always", "cannot": "can", "don't": "do", "doesn't": "does", "isn't": "is", "no": "a", "without": "with", "won't": "will", "can't": "can"}[word]
        if new:
            draft.put(at, new, True)
        else:
            draft.drop(at, at + 1)
            draft.mark(at - 1)
        return CONTRADICTED
    places = draft.find(lambda word: word.lower() in AUXILIARIES)
    places = [at for at in places if at + 1 < len(draft.words) and bare(draft.words[at + 1]).lower() not in ("not", "no", "never")]
    if not places:
        return False
    at = rng.choice(places[:2])
    draft.insert(at + 1, [rng.choice(["not", "not", "not", "never", "no longer"])], True)
    return CONTRADICTED


def oppose(draft, _passage, rng):
    places = draft.find(lambda word: word.lower() in OPPOSITE)
    if not places:
        return False
    at = rng.choice(places)
    draft.put(at, rng.choice(OPPOSITE[bare(draft.words[at]).lower()]).replace("-", " "), True)
    return CONTRADICTED


def is_name(word: str) -> bool:
    inner = bare(word)
    return len(inner) > 1 and (word.startswith("`") or bool(re.search(r"[a-z_][A-Z_]|\w_\w|\w::\w|\w\.\w|\(\)", word)) or (inner[0].isupper() and inner[1:2].islower()))


def other_name(draft, passage, rng):
    places = [at for at, word in enumerate(draft.words) if is_name(word) and at > 0]
    if not places:
        return False
    at = rng.choice(places)
    old = bare(draft.words[at]).strip("`")
    quoted = draft.words[at].startswith("`")
    names = {bare(word).strip("`") for word in WORD.findall(passage) if is_name(word) and word.startswith("`") == quoted}
    names = [name for name in names if name.lower() != old.lower() and 1 < len(name) < 40]
    if not names:
        return False
    new = rng.choice(names)
    draft.put(at, f"`{new}`" if quoted else new, True)
    return CONTRADICTED


def swap_names(draft, _passage, rng):
    places = [at for at, word in enumerate(draft.words) if is_name(word)]
    if len(places) < 2:
        return False
    one, other = sorted(rng.sample(places, 2))
    first, second = bare(draft.words[one]), bare(draft.words[other])
    between = {bare(word).lower() for word in draft.words[one + 1: other]}
    if first.lower() == second.lower() or (between and between <= {"and", "or", "both", ""}):
        return False
    draft.put(one, second, True)
    draft.put(other, first, True)
    return CONTRADICTED


def other_word(draft, passage, rng):
    """A content word of the passage in the place of another with the same ending."""
    places = [at for at, word in enumerate(draft.words) if len(bare(word)) > 3 and bare(word).isalpha() and bare(word).lower() not in STOP]
    if not places:
        return False
    at = rng.choice(places)
    old = bare(draft.words[at]).lower()
    own = {bare(word).lower() for word in draft.words}
    ending = old[-2:]
    words = [bare(word).lower() for word in passage.split()]
    words = [word for word in words if word.isalpha() and len(word) > 3 and word not in own and word not in STOP and word[:4] != old[:4]]
    alike = [word for word in words if word[-2:] == ending] or [word for word in words if word[-1] == old[-1]]
    if not alike:
        return False
    new = rng.choice(alike)
    if new in SYNONYM.get(old, ()):
        return False
    draft.put(at, new, True)
    return CONTRADICTED


def strengthen(draft, _passage, rng):
    places = draft.find(lambda word: word.lower() in ("may", "might", "can", "could", "some", "sometimes", "often", "usually", "most", "many", "typically", "generally", "mostly", "probably", "normally", "about"))
    if not places:
        return False
    at = rng.choice(places)
    word = bare(draft.words[at]).lower()
    new = {"may": "must", "might": "will", "can": "must", "could": "will", "some": "all", "most": "all", "many": "all", "about": "exactly"}.get(word, "always")
    draft.put(at, new, True)
    return NOT_THERE


def drop_condition(draft, _passage, _random):
    text = " ".join(draft.words)
    match = re.search(r",? (if|unless|when|only if|except|provided that|but not|as long as) [^.]{6,90}\.?$", text)
    if not match or any(draft.marks):
        return False
    words = len(text[: match.start()].split())
    if words < 4:
        return False
    draft.drop(words, len(draft.words))
    draft.words[-1] = bare(draft.words[-1]) + "."
    draft.mark(words - 1)
    return NOT_THERE


def swap_sides(draft, _passage, rng):
    """`from A to B` becomes `from B to A`; `A before B` becomes `B before A`."""
    text = " ".join(draft.words)
    match = re.search(r"\b(from) (\S+) (to|into) (\S+)", text) or re.search(r"()(\S+) (before|after|instead of|rather than|than|over|calls|returns|replaces|contains|extends|implements|sends|uses) (\S+)", text)
    if not match or any(draft.marks):
        return False
    first, second = bare(match.group(2)), bare(match.group(4))
    if len(first) < 2 or len(second) < 2 or first.lower() == second.lower() or {first.lower(), second.lower()} & STOP:
        return False
    start = len(text[: match.start(2)].split())
    end = len(text[: match.start(4)].split())
    if end >= len(draft.words) or start >= len(draft.words):
        return False
    draft.put(start, second, True)
    draft.put(end, first, True)
    return CONTRADICTED


HARMFUL = [other_number, other_number, other_unit, negate, negate, oppose, oppose, other_name, other_name, swap_names, other_word, other_word, strengthen, drop_condition, swap_sides]


def add_detail(draft, stray: str, rng):
    """A piece of another sentence, joined on."""
    words = stray.split()
    if len(words) < 6 or any(draft.marks):
        return False
    start = rng.randint(0, len(words) - 5)
    piece = words[start: start + rng.randint(3, 6)]
    last = draft.words[-1]
    draft.words[-1] = bare(last)
    joint = rng.choice(["and", "for", "with", "in", "because of", "by"])
    draft.insert(len(draft.words), [joint, *piece[:-1], bare(piece[-1]) + "."], True)
    return NOT_THERE


def soften(draft, passage, rng, most: int) -> None:
    for _ in range(rng.randint(0, most)):
        rng.choice(HARMLESS)(draft, passage, rng)


def soften_lightly(draft, passage, rng) -> None:
    """Edits that hardly ever change what a sentence says, whoever wrote it."""
    rng.choice([synonym, write_number, contract, plain_text, drop_opener])(draft, passage, rng)


def make(sentence: str, passage: str, stray: str, rng: random.Random):
    """One sentence with its label, right half of the time. `stray`: a sentence that the passage does not have."""
    roll = rng.random()
    if roll < 0.5:
        draft = Draft(sentence)
        soften(draft, passage, rng, 4)
        return draft if len(draft.words) > 2 else None
    if roll < 0.62:
        draft = Draft(stray)
        soften(draft, passage, rng, 2)
        draft.marks = [True] * len(draft.words)
        draft.label = NOT_THERE
        return draft
    draft = Draft(sentence)
    if roll < 0.68:
        label = add_detail(draft, stray, rng)
        draft.label = label
        return draft if label else None
    for edit in rng.sample(HARMFUL, len(HARMFUL)):
        label = edit(draft, passage, rng)
        if label:
            draft.label = label
            marked = list(draft.marks)
            soften(draft, passage, rng, 3)
            return draft if any(draft.marks) or any(marked) else None
    return None


if __name__ == "__main__":
    rng = random.Random(3)
    passage = "The `Client` sends 14 requests to `Server` every 30 seconds. If the server is busy, it may reject new connections, which are then retried. The old cache was removed in version 2.3 because it increased memory use."
    for _ in range(40):
        draft = make(rng.choice(passage.split(". ")), passage, "The parser reads tokens from the input buffer until it finds a newline.", rng)
        if draft:
            print(draft.label, " ".join(f"[{word}]" if mark else word for word, mark in draft.pieces()))
