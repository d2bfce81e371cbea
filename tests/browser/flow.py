"""The whole flow in a real browser: python flow.py LINK VAULT NOTE

Has an agenda proposed for NOTE, blocks one task, approves, watches the progress, reads the evidence, accepts, sees the note in
the vault, takes it back, accepts it edited, and dismisses another. Says `all good` at the end, and ends with an error otherwise.
"""

import re
import sys
from pathlib import Path

from playwright.sync_api import expect
from watched import Watched, browser

LINK, VAULT, NOTE = sys.argv[1], Path(sys.argv[2]), sys.argv[3]

# Keeps whatever steps the page shows, since they are shown only as long as a task is under way.
TOLD = """() => {
    window.told = [];
    new MutationObserver(() => {
        for (const steps of document.querySelectorAll('.task .steps')) told.push(steps.textContent);
    }).observe(document.querySelector('main'), { childList: true, subtree: true });
}"""


def notes():
    return {str(path.relative_to(VAULT)) for path in VAULT.rglob("*.md")}


def proposes(watched):
    page = watched.page
    watched.go(f"#/note/{NOTE}")
    watched.look("flow-1-note")
    page.get_by_role("button", name="Propose an agenda").click()
    page.wait_for_selector(".task input[role=switch]")
    tasks = page.locator(".task").count()
    assert tasks >= 2, f"{tasks} tasks"
    for task in page.locator(".task").all():
        expect(task).to_contain_text("Why: ")
    watched.look("flow-2-agenda")
    return tasks


def blocks_and_approves(watched, tasks):
    page = watched.page
    blocked = page.locator(".task").last.locator("h2").inner_text()
    page.locator(".task").last.locator(".switch").click()
    expect(page.locator(".task").last).to_contain_text("Blocked")
    # It stays blocked while one looks elsewhere, and after a reload.
    address = page.evaluate("location.hash")
    watched.go("#/agenda")
    watched.go(address)
    expect(page.locator(".task").last).to_contain_text("Blocked")
    page.reload()
    expect(page.locator(".task").last).to_contain_text("Blocked")
    watched.shoot("flow-3-blocked")
    page.evaluate(TOLD)
    page.get_by_role("button", name=f"Approve {tasks - 1} of {tasks} tasks").click()
    # What happens is told while it happens, without a reload.
    expect(page.locator("main > .stack > .row .chip").first).to_have_text("done")
    told = page.evaluate("told.join(' ')")
    assert "Search" in told and "http://" in told, told
    # What it did is in its run then.
    expect(page.get_by_role("link", name="Show its run")).not_to_have_count(0)
    last = page.locator(".task").last
    expect(last.locator("h2")).to_have_text(blocked)
    expect(last).to_contain_text("blocked")
    watched.look("flow-4-done")


def reads_evidence(watched):
    page = watched.page
    expect(page.locator("nav .badge").first).to_be_attached()
    page.get_by_role("link", name="Read them in the inbox").click()
    page.wait_for_selector(".sentence")
    sentences = page.locator(".sentence").all()
    assert sentences
    quoted = 0
    for sentence in sentences:
        sentence.hover()
        panel = page.locator(".evidence")
        expect(sentence).to_have_attribute("aria-pressed", "true")
        if {"quoted", "supported"} & set(sentence.get_attribute("class").split()):
            expect(panel.locator("blockquote")).not_to_have_count(0)
            expect(panel).to_contain_text(re.compile(r"characters \d+–\d+ of the snapshot [0-9a-f]+"))
            quoted += 1
    assert quoted, "no sentence had its evidence"
    assert re.match(r"\(\d+\) Inbox", page.title()), page.title()
    watched.look("flow-5-evidence")


def accepts_and_undoes(watched):
    page = watched.page
    before = notes()
    title = page.locator("article.finding h2").first.inner_text()
    page.get_by_role("button", name="Accept", exact=True).click()
    said = page.locator("#said p")
    expect(said).to_contain_text("Accepted: ")
    made = notes() - before
    assert len(made) == 1, made
    path = made.pop()
    expect(said).to_contain_text(path)
    text = (VAULT / path).read_text(encoding="utf-8")
    assert "research-agent" in text and "http" in text, text
    said.hover()
    watched.shoot("flow-6-accepted")
    said.get_by_role("button", name="Undo").click()
    expect(said).to_contain_text("Undone")
    assert notes() == before, notes() ^ before
    expect(page.locator("article.finding h2").first).to_have_text(title)
    # Once more, edited first.
    page.get_by_role("button", name="Edit, then accept").click()
    page.get_by_label("Title of the note").fill("Edited by hand")
    watched.look("flow-7-edit")
    page.get_by_role("button", name="Accept as edited").click()
    expect(said).to_contain_text("Edited by hand")
    made = notes() - before
    assert len(made) == 1 and "Edited by hand" in made.copy().pop(), made
    # The note can be read in the page, too.
    watched.go(f"#/note/{made.copy().pop()}")
    expect(page.locator("h1")).to_have_text("Edited by hand")
    watched.look("flow-8-note")


def dismisses(watched):
    page = watched.page
    watched.go("#/inbox")
    left = page.locator(".list a[data-entry]").count()
    if not left:
        return
    before = notes()
    page.get_by_role("button", name="Dismiss and stop proposing the topic").click()
    page.get_by_role("button", name="Yes, dismiss and stop").click()
    expect(page.locator("#said p")).to_contain_text("Dismissed")
    expect(page.locator(".list a[data-entry]")).to_have_count(left - 1)
    assert notes() == before
    watched.go("#/inbox?status=dismissed")
    expect(page.locator("main")).to_contain_text("can no longer be accepted")
    page.get_by_text("that will not be proposed").click()
    page.get_by_role("button", name="Allow again").first.click()
    expect(page.get_by_text("that will not be proposed")).to_be_hidden()


with browser() as opened:
    watched = Watched(opened, LINK)
    count = proposes(watched)
    blocks_and_approves(watched, count)
    reads_evidence(watched)
    accepts_and_undoes(watched)
    dismisses(watched)
    watched.done()
print("all good")
