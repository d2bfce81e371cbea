"""The inbox with the keyboard alone, and what the page does when the server is gone: python keyboard.py LINK

Says `all good` at the end, and ends with an error otherwise.
"""

import sys

from playwright.sync_api import expect
from watched import OWN_LINE, Watched, browser


def tab_until(page, selector, most=80):
    """Presses Tab until the focus is on something that fits."""
    for _ in range(most):
        page.keyboard.press("Tab")
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
    raise AssertionError(f"no {selector} can be reached with Tab")


def through_the_inbox(watched):
    page = watched.page
    # The first thing that Tab reaches skips the bar.
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    page.keyboard.press("g")
    page.keyboard.press("i")
    page.wait_for_selector(".sentence")
    tab_until(page, ".list a[data-entry]")
    tab_until(page, ".sentence")
    expect(page.locator(".evidence")).to_contain_text("Evidence")
    # The focus can be seen.
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline != "none", outline
    watched.look("keyboard-sentence")
    first = page.locator(".list a[data-entry]").count()
    page.keyboard.press("j")
    page.keyboard.press("k")
    page.keyboard.press("a")
    expect(page.locator("#said p")).to_contain_text("Accepted")
    page.keyboard.press("u")
    expect(page.locator("#said p")).to_contain_text("Undone")
    expect(page.locator(".list a[data-entry]")).to_have_count(first)
    page.keyboard.press("d")
    expect(page.locator("#said p")).to_contain_text("Dismissed")
    # What waits to be taken back is sent when the page is left.
    page.reload()
    page.wait_for_function("() => import('/page/js/api.js').then(({ get }) => get('/api/research/findings?limit=1')).then(({ counts }) => counts.dismissed === 1)")


def keys_are_told_and_wait_while_one_types(watched):
    page = watched.page
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("Accept the finding")
    watched.look("keyboard-help")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.keyboard.press("/")
    page.wait_for_url("**/#/search**")
    field = page.get_by_role("searchbox")
    expect(field).to_be_focused()
    page.keyboard.type("gi?/bees")
    expect(field).to_have_value("gi?/bees")
    page.keyboard.press("Enter")
    page.wait_for_url("**bees**")


def says_when_the_server_is_gone(opened, storage, base):
    context = opened.new_context(storage_state=storage)
    context.add_init_script(OWN_LINE)
    page = context.new_page()
    context.route("**/api/research/events", lambda route: route.abort())
    page.goto(base)
    expect(page.locator("#gone")).to_contain_text("The server does not answer")
    context.unroute("**/api/research/events")
    expect(page.locator("#gone")).to_be_hidden()
    # What fails says what happened and what to do, and can be tried again.
    context.route("**/api/runs?*", lambda route: route.abort())
    page.evaluate("location.hash = '#/runs'")
    expect(page.get_by_role("alert")).to_contain_text("What to do:")
    context.unroute("**/api/runs?*")
    page.get_by_role("button", name="Try again").click()
    expect(page.locator("h1")).to_have_text("Runs")
    context.close()


with browser() as opened:
    watched = Watched(opened, sys.argv[1])
    through_the_inbox(watched)
    keys_are_told_and_wait_while_one_types(watched)
    says_when_the_server_is_gone(opened, watched.context.storage_state(), watched.base)
    watched.done()
print("all good")
