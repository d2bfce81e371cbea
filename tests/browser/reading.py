"""Notes and code in the page: python reading.py LINK LINK

Opens folders of the tree, sees the pictures of a note and nothing that they try, finds passages together by their file, follows one
into code, and leaves a dialog behind. Says `all good` at the end, and ends with an error otherwise.
"""

import sys

from playwright.sync_api import expect
from watched import DESKTOP, PHONE, Watched, browser

LINKS = sys.argv[1:]


def tree(watched, name):
    page = watched.page
    watched.go("#/notes")
    folder = page.locator("main details", has=page.get_by_text("Bees", exact=True)).first
    expect(page.get_by_role("link", name="Pictures")).to_have_count(0)
    folder.locator("summary").first.press("Enter")
    expect(page.get_by_role("link", name="Pictures")).to_be_visible()
    watched.look(f"notes-{name}")
    page.get_by_role("link", name="Pictures").click()
    expect(page.locator("h1")).to_have_text("Pictures")


def pictures(watched, name):
    page = watched.page
    for alt in ("A hive", "plan.svg", "small.gif"):
        picture = page.get_by_role("img", name=alt, exact=True)
        expect(picture).to_be_visible()
        assert picture.evaluate("node => node.decode().then(() => node.naturalWidth > 0)"), alt
        assert picture.get_attribute("src").startswith("blob:"), alt
    assert page.get_by_role("img", name="small.gif").evaluate("node => node.width") == 50
    # A picture that is a script is drawn, and runs nothing; one of the web is only a link.
    assert page.title().startswith("Pictures"), page.title()
    expect(page.locator("main")).to_contain_text("Picture: elsewhere")
    expect(page.locator("main")).to_contain_text("Embedded: none.png (File not found: none.png)")
    expect(page.locator("main")).to_contain_text("Embedded: broken.png (it can't be shown as a picture)")
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save talk.pdf").click()
    assert saved.value.suggested_filename == "talk.pdf"
    href = page.get_by_role("link", name="Open in Obsidian").get_attribute("href")
    assert href.startswith("obsidian://open?path=%2F") and href.endswith("%2FBees%2FPictures.md"), href
    # The folder leads back to where the note is in the tree.
    watched.look(f"note-pictures-{name}")
    watched.forgive("status of 404")
    page.get_by_role("link", name="Bees", exact=True).first.click()
    expect(page.get_by_role("link", name="Pictures")).to_be_visible()


def found_together(watched, name):
    page = watched.page
    watched.go("#/search?q=swarm&in=all&mode=keyword", "article.result")
    places = page.locator("article.result h2").all_inner_texts()
    assert len(places) == len(set(places)), places
    assert page.locator(".excerpt").count() >= len(places)
    watched.look(f"search-together-{name}")
    code = page.locator("article.result", has=page.locator("pre")).first
    code.locator(".excerpt a").first.click()
    expect(page.locator(".code-file tr.cited").first).to_be_in_viewport()
    watched.look(f"code-{name}")
    page.locator(".code-file .number a").first.click()
    expect(page.locator(".code-file tr.cited")).to_have_count(1)
    watched.go("#/code/hivelog/none.py")
    expect(page.locator("main h1")).to_have_text("Not found")
    watched.forgive("status of 404")


def leaves_the_dialog(watched):
    page = watched.page
    watched.go("#/runs")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.evaluate("location.hash = '#/health'")
    expect(page.get_by_role("dialog")).to_have_count(0)


def whole_words(watched):
    """What stands in a tile is on as few lines as its words are."""
    watched.go("#/")
    watched.page.wait_for_selector(".tile")
    for tile in watched.page.locator(".tile b").all():
        lines = tile.evaluate("node => { const range = document.createRange(); range.selectNodeContents(node); return range.getClientRects().length; }")
        assert lines == 1, tile.inner_text()
    wide = watched.page.evaluate("[...document.querySelectorAll('.tile')].filter(node => node.scrollWidth > node.clientWidth).length")
    assert wide == 0, wide


def no_shell(watched):
    """Where a way out is a command of a shell, the page has its own."""
    hint = "run `wellread config set search.services duckduckgo`, or `wellread doctor`"
    problem = {"status": 424, "title": "Failed Dependency", "detail": "no search service is set up", "hint": hint}
    watched.page.route("**/api/runs*", lambda route: route.fulfill(status=424, json=problem, content_type="application/problem+json"))
    watched.go("#/runs")
    expect(watched.page.get_by_role("link", name="Check the setup")).to_have_attribute("href", "#/settings")
    watched.page.get_by_role("link", name="Set search.services").click()
    expect(watched.page.get_by_role("form", name="Edit search.services")).to_be_visible()
    watched.page.unroute("**/api/runs*")
    watched.forgive("status of 424")


with browser() as opened:
    for link, size, name in zip(LINKS, (DESKTOP, PHONE), ("desktop", "phone")):
        watched = Watched(opened, link, size)
        tree(watched, name)
        pictures(watched, name)
        found_together(watched, name)
        whole_words(watched)
        leaves_the_dialog(watched)
        no_shell(watched)
        watched.done()
print("all good")
