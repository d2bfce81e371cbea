"""The page of consent: python consent.py URL TOKEN QUERY CALLBACK

A browser that is sent here by a client signs in, comes back to the question, and allows some of it; then the user denies, and signs
the client out in the settings. Says `all good` at the end, and ends with an error otherwise.
"""

import sys
from urllib.parse import parse_qs, urlsplit

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect
from watched import DESKTOP, PATIENCE_MS, browser

URL, TOKEN, QUERY, CALLBACK = sys.argv[1:]
QUESTION = f"{URL}/oauth/authorize?{QUERY}"

with browser() as opened:
    context = opened.new_context(**DESKTOP)
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    wrong = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda said: wrong.append(said.text) if said.type == "error" and "401" not in said.text else None)
    # The client, which has nobody listening: its address is as far as the browser gets.
    answers = []

    def client(route):
        answers.append(route.request.url)
        route.fulfill(body="<h1>The client</h1>", content_type="text/html")

    context.route(CALLBACK + "**", client)
    # A page of another site leads here, as a client does.
    context.route("https://client.example/start", lambda route: route.fulfill(body=f'<a href="{QUESTION}">go</a>', content_type="text/html"))
    page.goto("https://client.example/start")
    page.get_by_role("link", name="go").click()
    expect(page.locator("h1")).to_have_text("Sign in")
    page.get_by_label("Token").fill(TOKEN)
    page.get_by_role("button", name="Sign in").click()

    # Back at the question: what the client calls itself is text, and what changes something takes a click.
    expect(page.locator("h1")).to_have_text("Connect a program?")
    expect(page.locator("main")).to_contain_text("<b>Bee</b> client")
    expect(page.locator("main")).to_contain_text("a program on your own computer")
    for scope, on in [("read", True), ("research", True), ("write", False), ("decide", False)]:
        field = page.locator(f'input[name="scope"][value="{scope}"]')
        assert field.is_checked() == on, scope
    found = Axe().run(page).response["violations"]
    assert not found, found
    page.locator('input[name="scope"][value="research"]').uncheck()
    page.locator('input[name="scope"][value="read"]').uncheck()
    page.get_by_role("button", name="Allow").click()
    expect(page.get_by_role("alert")).to_contain_text("choose at least one")
    page.locator('input[name="scope"][value="read"]').check()
    page.get_by_role("button", name="Allow").click()
    expect(page.locator("h1")).to_have_text("The client")
    answer = parse_qs(urlsplit(answers[-1]).query)
    assert answer["iss"] == [URL] and len(answer["code"][0]) == 64, answer

    # Signed in already: the question comes at once, and is denied.
    page.goto(QUESTION)
    page.get_by_role("button", name="Deny").click()
    expect(page.locator("h1")).to_have_text("The client")
    assert parse_qs(urlsplit(answers[-1]).query)["error"] == ["access_denied"], answers

    page.goto(URL + "/oauth/authorize?client_id=x")
    expect(page.locator("main")).to_contain_text("can't be answered")
    assert not [one for one in wrong if "400" not in one], wrong

    page.goto(URL + "/#/settings")
    section = page.get_by_role("region", name="Remote clients")
    expect(section).to_contain_text(URL + "/mcp")
    expect(section.get_by_role("listitem")).to_have_count(1)
    section.get_by_role("button", name="Sign out").click()
    expect(section.get_by_role("listitem")).to_have_count(0)
print("all good")
