"""A real browser on the page, watched: whatever it complains of, and whatever it asks of anybody but the server, is wrong."""

import contextlib
import os
from pathlib import Path
from urllib.parse import urlsplit

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect, sync_playwright

CHROMIUM = os.environ.get("WELLREAD_CHROMIUM", "/usr/bin/chromium")
# Pictures of what was seen are kept where this says so.
SHOTS = os.environ.get("WELLREAD_SHOTS")
PATIENCE_MS = 60_000
# A page in a browser that has no shared workers listens by itself; what a shared worker asks for can't be played.
OWN_LINE = "delete window.SharedWorker"

DESKTOP = {"viewport": {"width": 1280, "height": 800}}
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}

expect.set_options(timeout=PATIENCE_MS)


@contextlib.contextmanager
def browser():
    with sync_playwright() as playwright:
        # The sandbox of the browser needs what a container or the root user does not have; it only sees our own page.
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        try:
            yield opened
        finally:
            opened.close()


class Watched:
    """One visitor: a window of some size, light or dark, let in by a link."""

    def __init__(self, opened, link, size=DESKTOP, theme="light", **more):
        self.context = opened.new_context(color_scheme=theme, **size, **more)
        self.context.set_default_timeout(PATIENCE_MS)
        self.page = self.context.new_page()
        self.wrong = []
        parts = urlsplit(link)
        self.base = f"{parts.scheme}://{parts.netloc}"
        self.page.on("console", self.heard)
        self.page.on("pageerror", lambda error: self.wrong.append(f"an error: {error}"))
        self.page.on("request", self.asked)
        self.page.goto(link)
        self.page.wait_for_selector("main h1")

    def heard(self, message):
        if message.type in ("error", "warning"):
            self.wrong.append(f"the console: {message.type}: {message.text}")

    def asked(self, request):
        if not request.url.startswith((self.base + "/", "data:", "blob:" + self.base)):
            self.wrong.append(f"a request to somebody else: {request.url}")

    def go(self, address, until="main h1"):
        """To a view by its address; what was shown before is gone then."""
        self.page.evaluate("document.querySelector('main').replaceChildren()")
        self.page.evaluate("address => { if (location.hash === address) dispatchEvent(new HashChangeEvent('hashchange')); else location.hash = address; }", address)
        self.page.wait_for_selector(until)
        self.page.wait_for_selector("main:not([aria-busy])")
        expect(self.page.locator(".wait")).to_have_count(0)

    def look(self, name):
        """That the page is fit to be used by everybody, and as wide as its window."""
        found = Axe().run(self.page).response["violations"]
        for violation in found:
            if violation["impact"] in ("serious", "critical"):
                places = [node["html"][:200] for node in violation["nodes"][:3]]
                self.wrong.append(f"{name}: {violation['id']} ({violation['impact']}): {violation['help']}: {places}")
        wider = self.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        if wider > 0:
            self.wrong.append(f"{name}: {wider} pixels wider than the window")
        self.shoot(name)

    def shoot(self, name):
        self.shots(self.page, name)

    @staticmethod
    def shots(page, name):
        if SHOTS:
            page.screenshot(path=str(Path(SHOTS) / f"{name}.png"))

    def forgive(self, words):
        """Complaints with these words were meant to be; there must have been one."""
        meant = [one for one in self.wrong if words in one]
        assert meant, f"nothing complained of {words}: {self.wrong}"
        self.wrong = [one for one in self.wrong if one not in meant]

    def done(self):
        self.context.close()
        assert not self.wrong, "\n".join(self.wrong)
