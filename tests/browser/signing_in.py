"""The door: python signing_in.py URL TOKEN LINK

A browser without a link enters the token, sees who is signed in, and signs out; its other tabs are told. Says `all good` at the
end, and ends with an error otherwise.
"""

import sys

from playwright.sync_api import expect
from watched import DESKTOP, PATIENCE_MS, Watched, browser

URL, TOKEN, LINK = sys.argv[1:]

with browser() as opened:
    other = Watched(opened, LINK)

    context = opened.new_context(**DESKTOP)
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    page.goto(URL)
    expect(page.locator("h1")).to_have_text("Token needed")
    page.get_by_label("Token").fill("wrong")
    page.get_by_role("button", name="Sign in").click()
    expect(page.locator("main")).to_contain_text("wrong token")
    page.get_by_label("Token").fill(TOKEN)
    other.shots(page, "door")
    page.get_by_role("button", name="Sign in").click()
    expect(page.locator("main h1")).to_be_visible()
    page.wait_for_url(URL + "/")
    page.goto(URL + "/#/settings")
    section = page.get_by_role("region", name="Signed-in browsers")
    expect(section.get_by_role("listitem")).to_have_count(2)
    expect(section.get_by_text("this browser")).to_have_count(1)
    section.scroll_into_view_if_needed()
    other.shots(page, "sign-ins")

    # The cookie alone opens nothing: the key is this origin's.
    held = page.evaluate("localStorage.getItem('wellread-key')")
    assert len(held) == 64, held
    status = page.evaluate("fetch('/api/status').then(response => response.status)")
    assert status == 401, status

    # The other browser is signed out from here, and led to the door by what it tries next.
    theirs = section.get_by_role("listitem").filter(has_not=page.get_by_text("this browser"))
    theirs.get_by_role("button").click()
    expect(section.get_by_role("listitem")).to_have_count(1)
    other.page.evaluate("location.hash = '#/runs'")
    other.page.get_by_role("link", name="Sign in").first.click()
    expect(other.page.locator("h1")).to_have_text("Token needed")

    # Signing out everywhere leads to the door as well.
    section.get_by_role("button", name="Sign out everywhere").click()
    expect(page.locator("h1")).to_have_text("Token needed")
    page.goto(URL)
    expect(page.locator("h1")).to_have_text("Token needed")
print("all good")
