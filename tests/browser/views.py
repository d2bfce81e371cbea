"""Every view, light and dark, on a desktop and on a phone: python views.py LINK LINK LINK LINK

Each link works once. Says `all good` at the end, and ends with an error otherwise.
"""

import sys

from playwright.sync_api import expect
from watched import DESKTOP, PHONE, Watched, browser

VIEWS = {
    "home": "#/",
    "search": "#/search?q=bees",
    "search-nothing": "#/search?q=zzzznothing&in=notes&mode=keyword",
    "notes": "#/notes",
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


def open_first(watched, name):
    """The first of a list, where it has one."""
    link = watched.page.locator("main a[data-entry]").first
    if link.count():
        watched.go(link.get_attribute("href"))
        watched.look(name)


def shows_evidence(watched, size):
    """A sentence that is tapped has its evidence beside it, and on a phone below it."""
    sentence = watched.page.locator(".sentence").first
    if not sentence.count():
        return
    if size is PHONE:
        sentence.tap()
    else:
        sentence.click()
    panel = watched.page.locator(".evidence")
    expect(panel.locator("blockquote")).not_to_have_count(0)
    said, shown = sentence.bounding_box(), panel.bounding_box()
    beside = shown["x"] >= said["x"] + said["width"] - 1
    below = shown["y"] >= said["y"] + said["height"] - 1
    assert below if size is PHONE else beside, (said, shown)


def does_nothing(watched):
    """What a note tries to do to the page that shows it comes to nothing."""
    page = watched.page
    assert "Hostile" in page.title(), page.title()
    expect(page.locator("main").locator("script, img, iframe, [onerror], [style], a[href^='javascript:' i]")).to_have_count(0)
    for link in page.locator("main a[target]").all():
        assert link.get_attribute("rel") == "noopener noreferrer", link


def runs_from_the_right(watched):
    """Each block of a note runs as its words do, with the marks of lists and quotes on that side."""
    for block, direction in (("p:first-of-type", "rtl"), ("ul", "rtl"), ("blockquote", "rtl"), ("p:last-of-type", "ltr")):
        found = watched.page.locator(f".text > {block}").evaluate("node => [getComputedStyle(node).direction, getComputedStyle(node).borderRightWidth, getComputedStyle(node).paddingRight]")
        assert found[0] == direction, (block, found)
        if block == "blockquote":
            assert found[1] != "0px", found
        if block == "ul":
            assert found[2] != "0px", found


# Each is an address that leads nowhere, however much it looks like something of the language's own.
ODD = ["#/constructor", "#/__proto__", "#/toString/x", "#/hasOwnProperty?x=__proto__", "#/%E0%A4%A", "#/nowhere/at/all"]


def shows_nothing_odd(watched):
    for address in ODD:
        watched.go(address, "main h2")
        expect(watched.page.locator("main h2")).to_have_text("Page not found")
    for address in ("#/inbox?status=constructor", "#/inbox?status=__proto__"):
        watched.go(address)
        expect(watched.page.locator("main")).not_to_contain_text("function")


def views(opened, link, size, theme, name):
    watched = Watched(opened, link, size, theme)
    shows_nothing_odd(watched)
    for view, address in VIEWS.items():
        watched.go(address, "main h1, main h2")
        if view == "health":
            watched.page.wait_for_selector("canvas[data-settled]")
            for fold in watched.page.locator("details.fold > summary").all():
                fold.click()
        watched.look(f"{view}-{name}")
        if view in ("search", "agenda", "runs", "inbox"):
            open_first(watched, f"{view}-one-{name}")
        if view == "inbox":
            shows_evidence(watched, size)
    watched.go("#/note/Hostile.md")
    does_nothing(watched)
    watched.look(f"note-{name}")
    watched.go("#/note/From the right.md")
    runs_from_the_right(watched)
    watched.look(f"note-right-{name}")
    watched.done()


LINKS = iter(sys.argv[1:])
with browser() as opened:
    for size_name, size in (("desktop", DESKTOP), ("phone", PHONE)):
        for theme in ("light", "dark"):
            views(opened, next(LINKS), size, theme, f"{size_name}-{theme}")
print("all good")
