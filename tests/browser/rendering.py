"""What others wrote is rendered in time that grows with its length and no faster: python rendering.py WEB

Counts what the renderers look at, in a real browser, for texts that are made to be looked at again and again. Twice the text
may cost twice the steps. What a pattern looks at can't be counted, so none of theirs may search a text from each of its places
on. Says `all good` at the end, and ends with an error otherwise.
"""

import http.server
import re
import signal
import sys
import threading
from pathlib import Path

from watched import browser

WEB = Path(sys.argv[1])
# Steps for each character, at the most: a text is looked at for each kind of mark, and again within each emphasis.
MOST_STEPS = 60
LONGEST_S = 400

# The three that once froze the page, at their size then.
LARGE = {
    "comments that never end": "<!--" * 50_000,
    "fences": "```\ncode\n```\n" * 40_000,
    "inline pieces": "*1* `2` [[3]] " * 20_000,
}
# Each is repeated so often, and twice as often.
REPEATED = {
    "comments": "<!--a-->b ",
    "half comments": "<!--a--",
    "fences of other kinds": "```\na\n~~~\n",
    "words": "honey and wax ",
    "lines": "honey\n",
    "paragraphs": "honey\n\n",
    "digits in emphasis": "*1* ",
    "bold": "**a** ",
    "bold that never ends": "**a ",
    "bold within bold": "**a __b ~~c ==d ",
    "stars": "*",
    "underscores": "_a ",
    "struck": "~~a ",
    "marked": "==a ",
    "ticks": "`",
    "code that never ends": "`a``b```",
    "brackets": "[",
    "wikilinks": "[[a|b]] ",
    "wikilinks that never end": "[[a",
    "embeds": "![[a]]",
    "labels": "[a](",
    "targets": "[a](b(c)",
    "angles": "[a](<b",
    "titles": '[a](b "',
    "links": "[a](b) ",
    "addresses": "https://a.example/ ",
    "addresses of dots": "https://....",
    "entities": "&amp;&#1;&",
    "escapes": "\\*",
    "quotes": ">",
    "quoted lines": "> > a\n",
    "list entries": "- a\n",
    "deeper lists": "- - a\n  - b\n",
    "numbers": "1. a\n   2. b\n",
    "rows": "|a|b|\n|-|-|\n",
    "bars": "|",
    "dashes": "- ",
}
# A long run within one line, where patterns once went back and forth.
RUNS = {
    "a heading of blanks": ("# a", " ", "b"),
    "a heading of signs": ("# a", " #", "b"),
    "a rule of blanks": ("-", " ", "- x"),
    "a table of blanks": ("a|b\n---", " ", "x"),
    "a blank line below a bar": ("a|b\n", " ", "x"),
    "a marker of blanks": ("", " ", "- a"),
    "blanks before a title": ("[a](b", " ", '"t")'),
}

RENDERERS = ["markdown.js", "inline.js", "scan.js"]
# A pattern between slashes, where one can stand, and what in it is no sign of its own: escapes and sets.
PATTERN = re.compile(r"(?:[=(,:\[!&|?;]|\breturn)\s*/((?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\[\n])+)/")
LITERAL = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]")

RENDER = """async (text) => {
    const { markdown } = await import('/page/js/markdown.js');
    const { effort } = await import('/page/js/scan.js');
    effort.steps = 0;
    const node = markdown(text);
    document.body.replaceChildren(node);
    return { steps: effort.steps, shown: node.textContent.length };
}"""


class Files(http.server.SimpleHTTPRequestHandler):
    extensions_map = {".js": "text/javascript", ".html": "text/html"}

    def translate_path(self, path):
        return str(WEB / path.removeprefix("/page/"))

    def do_GET(self):
        if self.path == "/":
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(b"<!doctype html><title>Rendering</title>")
        else:
            super().do_GET()

    def log_message(self, *_):
        pass


def alternatives(pattern):
    """The parts of a pattern between its outermost bars."""
    parts, depth = [""], 0
    for sign in pattern:
        depth += {"(": 1, ")": -1}.get(sign, 0)
        if sign == "|" and depth == 0:
            parts.append("")
        else:
            parts[-1] += sign
    return parts


def check_patterns():
    """A pattern without a limit that may begin anywhere goes over the same text again from each place."""
    for name in RENDERERS:
        patterns = PATTERN.findall((WEB / "js" / name).read_text())
        assert patterns or name == "scan.js", f"{name}: no pattern was found"
        for pattern in patterns:
            for part in alternatives(LITERAL.sub("x", pattern)):
                unlimited = re.search(r"[*+]|\{\d+,\}", part)
                assert not unlimited or part.startswith("^"), f"{name}: /{pattern}/ searches without a limit"


def check(page, name, text):
    found = page.evaluate(RENDER, text)
    most = MOST_STEPS * (len(text) + 100)
    assert 0 < found["steps"] <= most, f"{name}: {found['steps']} steps for {len(text)} characters"
    return found["steps"]


def main():
    # A page that is frozen never answers.
    signal.alarm(LONGEST_S)
    check_patterns()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Files)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with browser() as opened:
        page = opened.new_page()
        page.goto(f"http://127.0.0.1:{server.server_address[1]}/")
        for name, text in LARGE.items():
            print(f"{name}: {len(text)} characters, {check(page, name, text)} steps")
        once = {name: piece * 4_000 for name, piece in REPEATED.items()}
        twice = {name: piece * 8_000 for name, piece in REPEATED.items()}
        for name, (begin, run, end) in RUNS.items():
            once[name] = begin + run * 50_000 + end
            twice[name] = begin + run * 100_000 + end
        for name, text in once.items():
            one, two = check(page, name, text), check(page, name, twice[name])
            assert two <= 2.1 * one + 2_000, f"{name}: {one} steps, and {two} for twice the text"
    server.shutdown()
    print("all good")


main()
