"""More tabs than a browser has connections to a server: python tabs.py LINK TOKEN

Each tab shows its view and hears what happens, though all of them stay open. Says `all good` at the end, and ends with an error
otherwise.
"""

import json
import sys
import urllib.request

from playwright.sync_api import expect
from watched import Watched, browser

LINK, TOKEN = sys.argv[1:]
# A browser opens six connections to one server.
TABS = 9

BASE = LINK.split("/open")[0]


def streams():
    """How often the server was asked for the events so far."""
    request = urllib.request.Request(BASE + "/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
    with urllib.request.urlopen(request) as answer:
        lines = answer.read().decode().splitlines()
    asked = [line for line in lines if line.startswith('wellread_http_requests_total{route="/api/research/events"')]
    return sum(int(line.rsplit(" ", 1)[1]) for line in asked)


before = streams()
with browser() as opened:
    watched = Watched(opened, LINK)
    pages = [watched.page]
    for _ in range(TABS - 1):
        page = watched.context.new_page()
        page.goto(watched.base + "/#/settings")
        expect(page.locator("main h1")).to_have_text("Settings and doctor")
        pages.append(page)
    for page in pages:
        page.wait_for_function("() => import('/page/js/live.js').then(live => live.now.open && live.now.counts !== null)")
        expect(page.locator("#gone")).to_be_hidden()
        page.evaluate("import('/page/js/live.js').then(live => live.hear('agenda', () => (window.heard = true)))")
    # What happens is heard in each of them.
    request = urllib.request.Request(
        watched.base + "/api/research/trigger",
        data=json.dumps({"sourceNoteId": "Bees/Varroa mite.md"}).encode(),
        headers={"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request) as answer:
        agenda = json.load(answer)
    for page in pages:
        page.wait_for_function("() => window.heard !== undefined")
        expect(page.locator("#nav .badge:not([hidden])")).to_have_count(1)
    # All of them heard it on one line.
    assert streams() == before + 1, (before, streams())
    # The first tab may go, and the others still hear.
    pages[0].close()
    late = watched.context.new_page()
    late.goto(watched.base + "/#/agenda")
    expect(late.locator("main h1")).to_be_visible()
    late.wait_for_function("() => import('/page/js/live.js').then(live => live.now.open && live.now.counts.pending === 1)")
    assert agenda["status"] == "pending", agenda
    assert not watched.wrong, watched.wrong
print("all good")
