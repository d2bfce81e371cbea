"""Settings changed in the page: python settings.py LINK LINK LINK FILE CODE

Opens the form of a setting of each shape, saves, is told what is wrong, goes back to the default, and does so by keyboard; adds and
removes a codebase. FILE is the settings file, CODE a folder with code. Says `all good` at the end, and ends with an error otherwise.
"""

import sys
from pathlib import Path

from playwright.sync_api import expect
from watched import DESKTOP, PHONE, Watched, browser

LINKS, FILE, CODE = sys.argv[1:4], Path(sys.argv[4]), sys.argv[5]


def text():
    return FILE.read_text(encoding="utf-8") if FILE.exists() else ""


def form_of(watched, key):
    """Opens the form of a setting by the button of its row."""
    page = watched.page
    page.get_by_label("Filter the settings").fill(key)
    page.get_by_role("button", name=f"Edit {key}", exact=True).click()
    return page.get_by_role("form", name=f"Edit {key}")


def saves(watched, key, written):
    watched.page.get_by_role("form", name=f"Edit {key}").get_by_role("button", name="Save").click()
    expect(watched.page.locator("#said p")).to_contain_text(f"Saved {key}. It takes effect when the server starts again.")
    expect(watched.page.get_by_role("form", name=f"Edit {key}")).to_have_count(0)
    # Whoever uses the keyboard is where they were.
    expect(watched.page.get_by_role("button", name=f"Edit {key}", exact=True)).to_be_focused()
    assert written in text(), text()


def every_shape(watched):
    page = watched.page
    form_of(watched, "chat.rounds").get_by_label("New value").fill("7")
    saves(watched, "chat.rounds", "rounds = 7")
    row = page.locator("tbody", has=page.get_by_role("button", name="Edit chat.rounds"))
    expect(row).to_contain_text("after a restart 7")
    expect(page.locator("main")).to_contain_text("1 change takes effect when the server starts again.")
    form_of(watched, "okf.fields").get_by_role("switch").click()
    saves(watched, "okf.fields", 'fields = "on"')
    form_of(watched, "model.provider").get_by_label("New value").select_option("openai")
    saves(watched, "model.provider", 'provider = "openai"')
    services = form_of(watched, "search.services")
    services.get_by_label("arXiv").check()
    services.get_by_label("Brave").check()
    expect(services).to_contain_text("In this order: arXiv, Brave")
    saves(watched, "search.services", 'services = ["arxiv", "brave"]')
    key = form_of(watched, "search.brave.api_key")
    field = key.get_by_label("The new key")
    expect(field).to_have_attribute("type", "password")
    field.fill("sk-not-to-be-seen")
    saves(watched, "search.brave.api_key", "sk-not-to-be-seen")
    assert "sk-not-to-be-seen" not in page.content()


def what_is_wrong(watched):
    page, before = watched.page, text()
    form = form_of(watched, "http.user_agent")
    form.get_by_label("New value").fill("Bienen/ä")
    form.get_by_role("button", name="Save").click()
    expect(form.get_by_role("alert")).to_contain_text("must be plain ASCII on one line.")
    expect(form.get_by_label("New value")).to_be_focused()
    expect(form.get_by_label("New value")).to_have_attribute("aria-invalid", "true")
    expect(form).not_to_contain_text("openapi")
    watched.look("settings-wrong")
    # Another form stays while one looks for something else, and Escape gives it up.
    page.get_by_label("Filter the settings").fill("")
    expect(form.get_by_label("New value")).to_have_value("Bienen/ä")
    form.get_by_label("New value").press("Escape")
    expect(form).to_have_count(0)
    watched.forgive("status of 400")
    # What a flag says is shown as such.
    page.get_by_label("Filter the settings").fill("vault.path")
    expect(page.locator("main")).to_contain_text("--vault overrides the file")
    # What would open a door is shown and not offered.
    page.get_by_label("Filter the settings").fill("server.token")
    expect(page.get_by_role("button", name="Edit server.token")).to_have_count(0)
    expect(page.locator("main")).to_contain_text("Not in a browser: it decides who can reach this server.")
    assert text() == before


def back_to_the_default(watched):
    form = form_of(watched, "chat.rounds")
    expect(form.get_by_label("New value")).to_have_value("7")
    form.get_by_role("button", name="Back to the default: 20").press("Enter")
    expect(watched.page.get_by_role("form")).to_have_count(1)
    assert "rounds" not in text(), text()


def codebases(watched):
    page = watched.page
    section = page.get_by_role("region", name="Repositories")
    section.get_by_label("Folder").fill("apiary")
    section.get_by_role("button", name="Add").click()
    expect(section.get_by_role("alert")).to_contain_text("The folder must be an absolute path.")
    watched.forgive("status of 400")
    section.get_by_label("Folder").fill(CODE)
    section.get_by_label("Name").fill("apiary")
    section.get_by_role("button", name="Add").click()
    expect(section.get_by_role("listitem")).to_contain_text("after a restart")
    assert "[[repos]]" in text(), text()
    watched.look("settings-repos")
    section.get_by_role("button", name="Remove apiary").click()
    expect(section).to_contain_text("No repositories yet.")
    assert "[[repos]]" not in text(), text()


def looks(opened, link, size, theme, name):
    """Forms of some shapes, open side by side."""
    watched = Watched(opened, link, size, theme)
    watched.go("#/settings?edit=model.base_url")
    expect(watched.page.get_by_role("form", name="Edit model.base_url")).to_be_visible()
    watched.page.get_by_label("Filter the settings").fill("e")
    for key in ("model.provider", "model.api_key", "gate.model", "search.services", "research.max_topics"):
        watched.page.get_by_role("button", name=f"Edit {key}", exact=True).click()
    watched.look(f"settings-{name}")
    for key in ("model.api_key", "search.services"):
        watched.page.get_by_role("form", name=f"Edit {key}").scroll_into_view_if_needed()
        watched.shoot(f"settings-{key}-{name}")
    watched.done()


with browser() as opened:
    looks(opened, LINKS[1], DESKTOP, "dark", "dark")
    looks(opened, LINKS[2], PHONE, "light", "phone")
    watched = Watched(opened, LINKS[0])
    watched.go("#/settings")
    every_shape(watched)
    what_is_wrong(watched)
    back_to_the_default(watched)
    codebases(watched)
    watched.done()
print("all good")
