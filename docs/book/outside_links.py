#!/usr/bin/env python3
"""Leads the links of the book that leave its folder to the repository.

mdBook calls it with the book on standard input (https://rust-lang.github.io/mdBook/for_developers/preprocessors.html). In the repository, a page links to
`../../benchmarks.md` as every other document would; in the built book, that file is not there.
"""

import json
import posixpath
import re
import sys

#: Where the pages of the book are in the repository.
SOURCE = "docs/book/src"
#: A link with its target; what stands in code is taken along and left as it is.
LINK = re.compile(r"(```.*?```|`[^`\n]*`)|\]\(([^)\s]+)\)", re.S)


def lead_outside(text: str, page: str, repository: str) -> str:
    """The text of a page, with links to files that are not in the book's folder as addresses."""

    def replace(found: re.Match) -> str:
        code, target = found.groups()
        if code or re.match(r"[a-z]+:|#", target):
            return found[0]
        file, mark, anchor = target.partition("#")
        place = posixpath.normpath(posixpath.join(SOURCE, posixpath.dirname(page), file))
        inside = place.startswith(SOURCE + "/")
        return found[0] if inside else f"]({repository}/blob/main/{place}{mark}{anchor})"

    return LINK.sub(replace, text)


def walk(items: list, repository: str) -> None:
    for item in items:
        chapter = item.get("Chapter") if isinstance(item, dict) else None
        if chapter and chapter.get("path"):
            chapter["content"] = lead_outside(chapter["content"], chapter["path"], repository)
        if chapter:
            walk(chapter["sub_items"], repository)


def main() -> int:
    if sys.argv[1:2] == ["supports"]:
        return 0
    context, book = json.load(sys.stdin)
    # Newer versions of mdBook call them items.
    items = book["items"] if "items" in book else book["sections"]
    walk(items, context["config"]["output"]["html"]["git-repository-url"])
    json.dump(book, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
