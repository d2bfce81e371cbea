"""Every view, light and dark, on a desktop and on a phone: python views.py LINK LINK LINK LINK

Each link works once. Says `all good` at the end, and ends with an error otherwise.
"""

import sys

from watched import DESKTOP, PHONE, Watched, browser

VIEWS = {
    "home": "#/",
    "search": "#/search?q=bees",
    "search-nothing": "#/search?q=zzzznothing&in=notes&mode=keyword",
    "agenda": "#/agenda",
    "inbox": "#/inbox",
    "inbox-accepted": "#/inbox?status=accepted",
    "inbox-dismissed": "#/inbox?status=dismissed",
    "runs": "#/runs",
    "health": "#/health",
    "settings": "#/settings",
    "chat": "#/chat",
    "lost": "#/nowhere",
}


def open_first(watched, listed, name):
    """The first of a list, where it has one."""
    link = watched.page.locator("main a[data-entry]").first
    if link.count():
        watched.go(link.get_attribute("href"))
        watched.look(name)


def views(opened, link, size, theme, name):
    watched = Watched(opened, link, size, theme)
    for view, address in VIEWS.items():
        watched.go(address, "main h1, main h2")
        if view == "health":
            watched.page.wait_for_selector("canvas[data-settled]")
            for fold in watched.page.locator("details.fold > summary").all():
                fold.click()
        watched.look(f"{view}-{name}")
        if view in ("search", "agenda", "runs", "inbox"):
            open_first(watched, view, f"{view}-one-{name}")
    watched.go("#/note/Hostile.md")
    watched.look(f"note-{name}")
    watched.done()


LINKS = iter(sys.argv[1:])
with browser() as opened:
    for size_name, size in (("desktop", DESKTOP), ("phone", PHONE)):
        for theme in ("light", "dark"):
            views(opened, next(LINKS), size, theme, f"{size_name}-{theme}")
print("all good")
