"""Turns the text of one file into training records. Reads no file itself.

Three kinds of records, as dictionaries that go to JSON:

    code   l language, n name, c comment (one paragraph), b source without the comment
    note   T title, h trail of headings, b text of the section, a link texts that point at the note, D its description
    qa     q questions or titles, d the passage that answers
"""

import ast
import html
import re
import warnings

warnings.filterwarnings("ignore")

LANGUAGES = {".py": "py", ".rs": "rs", ".go": "go", ".java": "java", ".ts": "ts", ".tsx": "ts", ".mts": "ts", ".js": "js", ".mjs": "js", ".c": "c"}
LONGEST = 1000
NOT_A_NAME = {"if", "for", "while", "switch", "return", "else", "catch", "function", "constructor", "export", "default"}


def squeeze(text: str, limit: int = 300) -> str:
    return re.sub(r"\s+", " ", text).strip()[:limit]


def is_english(text: str) -> bool:
    head = text[:4000]
    return sum(ch < "\x80" for ch in head) > 0.97 * len(head) and len(re.findall(r"\b(?:the|and|to|of|is|for|in|a)\b", head)) > 4


def usable_comment(comment: str) -> bool:
    return len(comment.split()) >= 3 and comment.isascii() and not re.search(r"copyright|licen[sc]e|deprecated|todo|fixme|eslint|@ts-|auto-?generated", comment[:80], re.I)


def outdent(text: str) -> str:
    indent = len(text) - len(text.lstrip(" \t"))
    return "\n".join(line[indent:] if not line[:indent].strip() else line for line in text.split("\n"))


def split_name(name: str) -> str:
    return " ".join(re.findall(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+", name)).lower()


def code_record(language, name, body, comment):
    return {"t": "code", "l": language, "n": name, "b": body[:LONGEST], "c": comment}


# Python


def docstring_summary(doc: str) -> str:
    first = re.split(r"\n\s*\n|\n\s*(?::\w+|@\w+|Args:|Arguments:|Parameters|Returns|Raises|Examples?\b|>>>|\.\. )", doc.strip())[0]
    return squeeze(re.sub(r":\w+:`~?([^`]*)`|``?([^`]*)``?", lambda m: m.group(1) or m.group(2) or "", first))


def python_records(text: str):
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    lines = text.split("\n")
    for node in ast.walk(tree):
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        doc = ast.get_docstring(node)
        if not doc:
            continue
        comment, docnode = docstring_summary(doc), node.body[0]
        if not usable_comment(comment) or node.end_lineno - docnode.end_lineno < 1:
            continue
        end = min(node.end_lineno, node.lineno + (30 if isinstance(node, ast.ClassDef) else 50))
        body = outdent("\n".join(lines[node.lineno - 1 : docnode.lineno - 1] + lines[docnode.end_lineno : end]))
        if len(body) >= 60:
            yield code_record("py", node.name, body, comment)


# Languages with braces: a comment right before a declaration

BLOCK = r"(^[ \t]*/\*\*(?:[^*]|\*(?!/)){10,1500}\*/)[ \t]*\n"
DECLARATIONS = {
    "rs": re.compile(r"((?:^[ \t]*///[^\n]*\n)+)(?:[ \t]*#\[[^\n]*\n)*([ \t]*(?:pub(?:\([^)]*\))? )?(?:async |const |unsafe )*(?:fn|struct|enum|trait) (\w+)[^;{]{0,400}\{)", re.M),
    "go": re.compile(r"((?:^//[^\n]*\n)+)(func (?:\([^)]*\) )?(\w+)[^\n]*\{)", re.M),
    "java": re.compile(BLOCK + r"(?:\s*@[^\n]*\n)*([ \t]*(?:(?:public|protected|private|static|final|abstract|synchronized|default) )+[\w<>\[\], .?]*?(\w+)\s*[({<][^;{]{0,300}\{)", re.M),
    "ts": re.compile(BLOCK + r"(?:[ \t]*@\w+[^\n]*\n)*([ \t]*(?:(?:export|default|declare|async|public|private|protected|static|readonly|get|set|abstract|override) )*(?:function\*? |const |let |class |interface |type |enum |namespace )?(\w+)\??[^\n]*)", re.M),
    "c": re.compile(r"(^/\*(?:[^*]|\*(?!/)){20,1500}\*/)\s*\n((?:[\w*]+[ \t\n*]+){1,5}(\w+)\([^;{)]{0,300}\)\s*\{)", re.M),
}
DECLARATIONS["js"] = DECLARATIONS["ts"]
NAMED = re.compile(r"^[ \t]*(?:export )?(?:default )?(?:async )?(?:function\*? (\w+)|const (\w+)(?:: [^=\n]{1,80})? = (?:async )?(?:\([^\n]{0,200}\)|\w+)[^\n]{0,60}=>)[^\n]*\{[ \t]*$", re.M)


def block_end(text: str, start: int) -> int:
    """The place after the brace that closes the first one at or after `start`."""
    depth = 0
    for at in range(start, min(len(text), start + 5000)):
        if text[at] == "{":
            depth += 1
        elif text[at] == "}":
            depth -= 1
            if depth == 0:
                return at + 1
    return min(len(text), start + LONGEST)


def comment_summary(raw: str, language: str) -> str:
    if language in ("rs", "go"):
        text = "\n".join(re.sub(r"^\s*//+!?\s?", "", line) for line in raw.strip().split("\n"))
    else:
        text = re.sub(r"^\s*/\*+|\*+/\s*$", "", raw.strip())
        text = re.sub(r"^[ \t]*\*+ ?", "", text, flags=re.M)
        text = re.sub(r"^\s*@(?:description|summary|remarks)\s+", "", text)
    first = re.split(r"\n\s*\n|\n\s*(?:@\w+|#+ |```|<p>|Param|Returns|Example)", text.strip())[0]
    if first.startswith("@"):
        return ""
    first = re.sub(r"\{@\w+\s+([^}|]*)[^}]*\}|\[`?([^\]`]+)`?\](?:\([^)]*\))?|<[^>]{1,60}>", lambda m: m.group(1) or m.group(2) or " ", first)
    return squeeze(first.replace("`", ""))


def brace_records(text: str, language: str, declarations_only: bool = False):
    for match in DECLARATIONS[language].finditer(text):
        comment, name = comment_summary(match.group(1), language), match.group(3)
        if name in NOT_A_NAME or not usable_comment(comment):
            continue
        start, head = match.start(2), match.group(2)
        if language in ("ts", "js"):
            opens = head.rstrip().endswith(("{", "(", "=>", "=", ",", "<")) or head.count("(") > head.count(")")
            brace = text.find("{", match.start(2), match.end(2) + 600) if opens else -1
            end = block_end(text, brace) if brace >= 0 else match.end(2)
        else:
            end = block_end(text, match.end(2) - 1)
        body = re.sub(r"^[ \t]*/\*\*(?:[^*]|\*(?!/))*\*/[ \t]*\n", "", text[start:end].strip("\n"), flags=re.M)
        if len(body) >= (40 if declarations_only else 60):
            yield code_record(language, name, outdent(body), comment)
    if language == "ts" and not declarations_only:
        for match in NAMED.finditer(text):
            name = match.group(1) or match.group(2)
            if len(split_name(name).split()) >= 3 and "*/" not in text[max(0, match.start() - 6) : match.start()]:
                body = text[match.start() : block_end(text, match.end() - 1)].strip("\n")
                if len(body) >= 160:
                    yield code_record("ts", name, outdent(body), split_name(name))


def code_records(path: str, text: str):
    language = LANGUAGES[path[path.rfind(".") :].lower()]
    if max(map(len, text[:20000].split("\n")), default=0) > 1000:
        return  # minified
    yield from python_records(text) if language == "py" else brace_records(text, language, path.endswith((".d.ts", ".d.mts")))


# Notes and documentation

HEADING = re.compile(r"^(#{1,6})\s+(.+?)\s*#*\s*$")


def rst_to_markdown(text: str) -> str:
    """Headings, links and code of reStructuredText in the form that `sections` reads."""
    marks, out, lines, at = [], [], text.split("\n"), 0
    while at < len(lines):
        line, after = lines[at], lines[at + 1] if at + 1 < len(lines) else ""
        if re.fullmatch(r"([=\-~^\"'`#*+.:_])\1{2,}\s*", line) and re.fullmatch(re.escape(line[:1]) + r"{3,}\s*", lines[at + 2] if at + 2 < len(lines) else "") and after.strip():
            at += 1
            continue  # the line above an overlined heading
        if line.strip() and not line.startswith((" ", "..")) and re.fullmatch(r"([=\-~^\"'`#*+.:_])\1{2,}\s*", after) and len(after.strip()) >= len(line.strip()) - 1:
            marks.append(after[0]) if after[0] not in marks else None
            out.append("#" * min(6, marks.index(after[0]) + 1) + " " + line.strip())
            at += 2
            continue
        if not re.match(r"\s*(\.\. (?:\w[\w:-]*::|_|\[)|:\w[\w-]*:)", line) or re.match(r"\s*\.\. (note|warning|tip|code|seealso|important)", line):
            out.append(re.sub(r"^\s*\.\. (?:code(?:-block)?|note|warning|tip|seealso|important)::\s*", "", line))
        at += 1
    text = "\n".join(out)
    text = re.sub(r":doc:`([^`<]+?)\s*<([^`>]+)>`", r"[\1](./\2)", text)
    text = re.sub(r":[\w:]+:`[~!]?([^`<]+?)(?:\s*<[^`>]*>)?`|`([^`<]+?)\s*<[^`>]*>`__?|``([^`]+)``", lambda m: m.group(1) or m.group(2) or m.group(3), text)
    return text


def plain(text: str) -> str:
    text = re.sub(r"\{%-?.*?%\}|\{\{[<%].*?[%>]\}\}|<!--.*?-->|^import .*$|^:::.*$", " ", text, flags=re.S | re.M) if len(text) < 200_000 else text
    text = re.sub(r"!\[\[[^\]]*\]\]|!\[[^\]]*\]\([^)]*\)", "", text)
    text = re.sub(r"\[\[(?:[^\[\]|]*\|)?([^\[\]|]+)\]\]", r"\1", text)
    text = re.sub(r"\[([^\]]+)\]\([^)]*\)|\[([^\]]+)\]\[[^\]]*\]", lambda m: m.group(1) or m.group(2), text)
    return re.sub(r"</?[a-zA-Z][^>]{0,200}>", "", text)


def heading(text: str) -> str:
    return squeeze(re.sub(r"\{#[^}]*\}|\{\{.*?\}\}|`|\*\*?|(?<!\w)_(?=\S)|(?<=\S)_(?!\w)", "", plain(text)).lstrip("# "), 150)


def sections(path: str, text: str):
    """(title, description, [(trail of headings, body)]) of one note."""
    title = description = None
    front = re.match(r"^---\s*\n(.*?)\n---\s*\n", text, re.S)
    if front:
        found = re.search(r"^title:\s*[\"']?(.+?)[\"']?\s*$", front.group(1), re.M)
        title = heading(found.group(1)) if found else None
        found = re.search(r"^(?:description|intro|summary|desc|excerpt):\s*[\"']?(.{20,300}?)[\"']?\s*$", front.group(1), re.M)
        description = heading(found.group(1)) if found else None
        text = text[front.end() :]
    else:
        found = re.match(r"(?:[A-Z][\w-]+: .*\n)*?Title: (.+)\n", text)  # the header of a proposal
        title = heading(found.group(1)) if found else None
    trail, current, found, tops, fenced = [], [], [], [], False

    def flush():
        body = re.sub(r"\n{3,}", "\n\n", plain("\n".join(current)).strip())
        if len(body) >= 120:
            found.append(([name for _, name in trail], body[:LONGEST]))

    for line in text.split("\n"):
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        match = None if fenced else HEADING.match(line)
        if not match:
            current.append(line)
            continue
        flush()
        current, level = [], len(match.group(1))
        trail = [entry for entry in trail if entry[0] < level] + [(level, heading(match.group(2)))]
        tops += [trail[-1][1]] if level == 1 else []
    flush()
    if not title and len(tops) == 1:
        title = tops[0]
    return title or re.sub(r"[-_]+", " ", path.rsplit("/", 1)[-1].rsplit(".", 1)[0]), description, found


LINK = re.compile(r"(?<!!)\[([^\[\]]{6,100})\]\(([^)\s]+\.mdx?|/[^)\s]*|\.\.?/[^)\s]*)(?:#[^)]*)?\)|(?<!!)\[\[([^\[\]|#]+)(?:#[^\[\]|]*)?\\?\|([^\[\]]{5,100})\]\]")


def note_key(path: str) -> str:
    return re.sub(r"(/index|/_index|/readme)?\.(mdx?|rst|txt)$", "", path, flags=re.I).lower()


def link_texts(notes: dict) -> dict:
    """For every note the texts of the links that point at it, where the target is certain."""
    by_name, texts = {}, {}
    for key in notes:
        by_name.setdefault(key.rsplit("/", 1)[-1], []).append(key)
    for key, (_, _, _, raw) in notes.items():
        for match in LINK.finditer(raw):
            text, target = (match.group(1), match.group(2)) if match.group(1) else (match.group(4), match.group(3))
            target = re.sub(r"(/index|/_index)?(\.mdx?|\.rst)?/?$", "", target.split("#")[0], flags=re.I).lower().strip()
            fits = by_name.get(target.rsplit("/", 1)[-1], [])
            if len(fits) > 1:
                fits = [fit for fit in fits if fit.endswith("/".join(target.strip("./").split("/")[-2:]))]
            text = heading(text)
            if len(fits) == 1 and fits[0] != key and len(text.split()) >= 2 and not text.startswith(("http", "/", "..")):
                texts.setdefault(fits[0], set()).add(text)
    return texts


def note_records(files: list):
    """Records of all notes of one source. `files`: (path, text)."""
    notes = {}
    for path, text in files:
        if not is_english(text):
            continue
        raw = rst_to_markdown(text) if path.endswith((".rst", ".txt")) else text
        title, description, found = sections(path, raw)
        if found:
            notes[note_key(path)] = (title, description, found, raw)
    anchors = link_texts(notes)
    for key in sorted(notes):
        title, description, found, _ = notes[key]
        for at, (trail, body) in enumerate(found[:14]):
            last = trail[-1] if trail else title
            if last.endswith("?") and len(last.split()) >= 4:
                yield {"t": "qa", "q": [last] if len(last.split()) > 5 else [last, f"{title} {last}"], "d": body, "k": "faq"}
                continue
            record = {"t": "note", "T": title, "h": trail, "b": body}
            if at == 0 and anchors.get(key):
                record["a"] = sorted(anchors[key])[:6]
            if at == 0 and description:
                record["D"] = description
            yield record


# Questions and commands


def question(questions: list, passage: str, kind: str):
    questions = [squeeze(text) for text in questions if text and len(text.split()) >= 2]
    if questions and len(passage) >= 40:
        yield {"t": "qa", "q": questions, "d": passage[:LONGEST], "k": kind}


def strip_tags(text: str) -> str:
    return html.unescape(squeeze(re.sub(r"<[^>]+>", "", text), 5000))


def command_records(path: str, text: str):
    """Examples of commands with what they do, in the three forms that the sources have."""
    name = path.rsplit("/", 1)[-1].rsplit(".", 1)[0]
    if re.search(r"(^|/)pages/[\w-]+/[^/]+\.md$", path):
        about = " ".join(line[1:].strip() for line in text.split("\n") if line.startswith(">") and "More information" not in line)
        examples = [(task, command.replace("{{", "").replace("}}", "")) for task, command in re.findall(r"^- (.+?):\n\n`(.+?)`", text, re.M)]
        yield from question([about, f"{name} command"], f"{name}\n" + "\n".join(f"{task}\n  {command}" for task, command in examples), "command")
        for task, command in examples:
            yield from question([task, f"{name} {task}"], f"{name}: {squeeze(about, 120)}\n{command}", "command")
    elif "awscli/examples/" in path:
        for task, rest in re.findall(r"^\*\*(.+?)\*\*\s*\n(.*?)(?=^\*\*|\Z)", text, re.S | re.M):
            yield from question([task], re.sub(r"\n{2,}", "\n", rest).strip(), "command")
    elif path.endswith("_help.py"):
        for task, command in re.findall(r"^\s*- name: (.+?)\n\s*text: (?:[|>]-?\s*)?(.+?)(?=\n\s*- name:|\n\"\"\"|\n\w|\n\n)", text, re.S | re.M):
            yield from question([task], squeeze(command, 800), "command")
    else:
        for task, command in re.findall(r"^# ([A-Z].{12,150}?):?\n((?:(?!#).+\n?)+)", text, re.M):
            yield from question([task, f"{name} {task}"], f"{name}\n{command.strip()}", "command")


def abstract_records(text: str):
    for paper in re.findall(r"<paper .*?</paper>", text, re.S):
        title, abstract = re.search(r"<title>(.*?)</title>", paper, re.S), re.search(r"<abstract>(.*?)</abstract>", paper, re.S)
        if not title or not abstract:
            continue
        title, abstract = strip_tags(title.group(1)), strip_tags(abstract.group(1))
        sentences = re.split(r"(?<=[.!?])\s+", abstract)
        yield from question([title], abstract, "abstract")
        if len(sentences) > 4:
            yield from question([sentences[-1]], title + "\n" + " ".join(sentences[:-1]), "claim")


def medical_records(text: str):
    for asked, answer in re.findall(r"<Question [^>]*>(.*?)</Question>\s*<Answer>(.*?)</Answer>", text, re.S):
        if len(answer) > 100:
            yield from question([strip_tags(asked)], strip_tags(answer), "medical")
