"""A conversation with a model that is scripted: python talk.py LINK VAULT NOTE

What it says comes piece by piece, what it would change waits for the user, and what goes wrong says what to do. Says `all
good` at the end, and ends with an error otherwise.
"""

import sys
from pathlib import Path

from playwright.sync_api import expect
from watched import Watched, browser

LINK, NOTE = sys.argv[1], Path(sys.argv[2]) / sys.argv[3]


def say(page, message):
    page.get_by_label("Your message").fill(message)
    page.keyboard.press("Enter")
    expect(page.locator(".spoken.user").last).to_have_text(message)
    return page.locator(".talk > div.spoken").last


def hears_it_piece_by_piece(watched):
    page = watched.page
    # Each text that was seen, in order.
    page.evaluate(
        """() => { window.seen = []; new MutationObserver(() => { const all = document.querySelectorAll('.talk > div.spoken');
        const text = all[all.length - 1]?.innerText ?? ''; if (seen.at(-1) !== text) seen.push(text); })
        .observe(document.querySelector('.talk'), { childList: true, subtree: true, characterData: true }); }"""
    )
    answer = say(page, "What is there?")
    expect(answer).to_contain_text("the last word")
    expect(answer.locator("strong")).to_have_text("First part")
    expect(answer.locator(".tool").first).to_contain_text("read_file")
    # Nothing that it says acts, loads or leads elsewhere unseen; it is shown as it was written.
    expect(answer).to_contain_text("<img src=x onerror=")
    assert answer.locator("img, script, iframe").count() == 0
    assert page.title() != "taken"
    assert page.evaluate("seen.some(text => text.includes('First part') && !text.includes('the last word'))"), page.evaluate("seen")
    expect(page.get_by_label("Your message")).to_be_editable()
    watched.look("talk-1-answer")


def decides_about_an_edit(watched):
    page = watched.page
    before = NOTE.read_text(encoding="utf-8")
    say(page, "Note it down")
    waits = page.get_by_label("An edit that is waiting for you")
    expect(waits).to_have_count(2)
    expect(waits.first.locator(".added").last).to_contain_text("the first line")
    expect(page.locator(".spoken .tool").last).to_have_text("append_to_file: waiting for you")
    assert NOTE.read_text(encoding="utf-8") == before
    # What is to be decided is in view, above the field.
    field = page.locator("form.say").bounding_box()
    difference = waits.first.locator(".diff").bounding_box()
    assert difference["y"] + difference["height"] <= field["y"] + 1, (difference, field)
    watched.look("talk-2-waits")
    waits.first.get_by_role("button", name="Apply the edit").click()
    expect(page.locator(".talk > div.spoken").last).to_contain_text("is done")
    after = NOTE.read_text(encoding="utf-8")
    assert after.startswith(before) and "the first line" in after and "the second line" not in after, after
    # What waits is there after a reload, too.
    page.reload()
    expect(waits).to_have_count(1)
    expect(page.locator(".talk")).to_contain_text("the last word")
    waits.first.get_by_role("button", name="Discard it").click()
    expect(page.locator(".talk > div.spoken").last).to_contain_text("was not made")
    expect(waits).to_have_count(0)
    assert NOTE.read_text(encoding="utf-8") == after


def is_told_what_went_wrong(watched):
    page = watched.page
    answer = say(page, "Once more")
    expect(answer.locator("[role=alert], .problem").first).to_be_visible()
    expect(answer).to_contain_text("API_KEY")
    watched.look("talk-3-refused")
    # One can go on.
    expect(say(page, "And now?")).to_contain_text("Here again.")


with browser() as opened:
    watched = Watched(opened, LINK)
    watched.go("#/chat")
    hears_it_piece_by_piece(watched)
    decides_about_an_edit(watched)
    is_told_what_went_wrong(watched)
    watched.done()
print("all good")
