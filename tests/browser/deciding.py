"""What the user decides about findings, and what must not happen by accident: python deciding.py LINK LINK

Drafts stay, a held key and a second click decide nothing, a dismissal can be taken back, and many findings come page by page.
Says `all good` at the end, and ends with an error otherwise.
"""

import json
import sys

from made_up import Inbox, finding
from playwright.sync_api import expect
from watched import OWN_LINE, PHONE, Watched, browser

LONG = "https://example.org/" + "apathwithoutanend" * 14
# Clicks on whatever decides, in the very moment in which another finding is shown.
CLICKS_AT_ONCE = """() => new Promise((done) => {
    const seen = new MutationObserver(() => {
        const buttons = document.querySelectorAll('.decision button');
        if (!buttons.length) return;
        seen.disconnect();
        for (const one of buttons) one.click();
        done(buttons.length);
    });
    seen.observe(document.querySelector('.finding'), { childList: true, subtree: true });
    document.querySelector('.decision .main').click();
})"""


def button(page, name):
    return page.get_by_role("button", name=name, exact=True)


def begins(watched, findings):
    inbox = Inbox(watched, findings)
    watched.go("#/inbox")
    expect(watched.page.locator(".list a[data-entry]")).not_to_have_count(0)
    return inbox


def a_draft_stays_until_it_is_given_up(watched):
    page = watched.page
    inbox = begins(watched, [finding(1), finding(2)])
    button(page, "Edit, then accept").click()
    page.get_by_label("Summary").fill("My own words.")
    # What would accept the words that stand there is not at hand.
    expect(button(page, "Accept")).to_have_count(0)
    page.locator("h1").click()
    page.keyboard.press("a")
    page.keyboard.press("d")
    watched.look("deciding-1-draft")
    page.locator(".list a[data-entry]").nth(1).click()
    expect(page.locator("article h2")).to_have_text("Finding 2")
    expect(page.get_by_label("Summary")).to_have_count(0)
    page.locator(".list a[data-entry]").first.click()
    expect(page.get_by_label("Summary")).to_have_value("My own words.")
    # The server is gone while the page is loaded anew, and comes back: the form is not replaced.
    watched.context.add_init_script(OWN_LINE)
    watched.context.route("**/api/research/events", lambda route: route.abort())
    page.reload()
    gone = page.locator("#gone")
    expect(gone.locator("code")).to_have_text("wellread serve")
    expect(page.get_by_label("Summary")).to_have_value("My own words.")
    page.evaluate("document.querySelector('.editor').isTheSame = true")
    watched.go("#/nowhere", "main h2")
    tall = gone.bounding_box()["height"]
    assert tall < 90, f"the banner is {tall} pixels tall"
    watched.look("deciding-2-gone")
    watched.go("#/inbox")
    page.get_by_label("Title of the note").fill("Mine")
    page.evaluate("document.querySelector('.editor').isTheSame = true")
    with page.expect_response("**/api/research/findings?status=new*"):
        watched.context.unroute("**/api/research/events")
        expect(gone).to_be_hidden()
    expect(page.get_by_label("Title of the note")).to_have_value("Mine")
    assert page.evaluate("document.querySelector('.editor').isTheSame"), "the form was replaced"
    watched.forgive("ERR_FAILED")
    assert not inbox.asked, inbox.asked
    return inbox


def refused_words_are_not_lost(watched, inbox):
    page = watched.page
    first = inbox.findings["f0001"]
    first |= {"status": "accepted", "notePath": "Inbox/Finding 1.md"}
    inbox.refusal = {"status": 409, "title": "Conflict", "detail": "the finding was accepted in other words", "hint": "undo the acceptance first: `wellread inbox undo ID`", "code": "undo_acceptance"}
    button(page, "Accept as edited").click()
    trouble = page.locator(".editor [role=alert]")
    expect(trouble).to_contain_text("accepted in other words")
    expect(trouble.get_by_role("link")).to_have_attribute("href", "#/inbox?status=accepted")
    expect(page.get_by_label("Summary")).to_have_value("My own words.")
    watched.look("deciding-3-refused")
    button(page, "See what happened to it").click()
    expect(page.locator("article")).to_contain_text("Saved as Inbox/Finding 1.md")
    expect(page.locator(".decision blockquote")).to_contain_text("My own words.")
    watched.look("deciding-4-became")
    button(page, "Undo and remove the note").click()
    expect(page.get_by_label("Summary")).to_have_value("My own words.")
    button(page, "Accept as edited").click()
    expect(page.locator("#said p")).to_contain_text("Accepted")
    assert inbox.asked[-1] == ("f0001", "accept", {"title": "Mine", "summary": "My own words."}), inbox.asked
    # What was said goes with the view.
    page.mouse.move(0, 0)
    watched.go("#/")
    assert not page.locator("#said p").count(), "what was said stands over another view"
    watched.go("#/inbox")
    button(page, "Edit, then accept").click()
    button(page, "Cancel").click()
    expect(button(page, "Accept")).to_be_visible()
    watched.forgive("409")


def nothing_moves_under_a_click(watched):
    page = watched.page
    inbox = begins(watched, [finding(1), finding(2, title="A title of many words " * 9, summary="A long story. " * 250), finding(3), finding(4)])
    accept = button(page, "Accept")
    before = accept.bounding_box()
    expect(accept).to_be_enabled()
    assert page.evaluate(CLICKS_AT_ONCE) >= 4
    expect(page.locator("article h2")).to_contain_text("A title of many words")
    expect(accept).to_be_enabled()
    assert accept.bounding_box() == before, (accept.bounding_box(), before)
    assert inbox.decisions() == ["accept f0001"], inbox.asked
    watched.look("deciding-5-long")
    # A key that is held down decides once.
    for _ in range(4):
        page.keyboard.down("d")
    page.keyboard.up("d")
    expect(page.locator(".list a[data-entry]")).to_have_count(2)


def a_dismissal_can_be_taken_back(watched):
    page = watched.page
    inbox = begins(watched, [finding(1), finding(2), finding(3)])
    badge = page.locator("nav .badge").nth(3)
    expect(badge).to_have_text("3 new")
    button(page, "Dismiss").click()
    expect(page.locator("article h2")).to_have_text("Finding 2")
    expect(badge).to_have_text("2 new")
    # It stays for as long as somebody points at it.
    page.locator("#said p").hover()
    watched.look("deciding-6-dismissed")
    page.locator("#said").get_by_role("button", name="Undo").click()
    expect(page.locator("article h2")).to_have_text("Finding 1")
    expect(page.locator(".list a[data-entry]")).to_have_count(3)
    expect(badge).to_have_text("3 new")
    assert not inbox.asked, inbox.asked
    # By key; and it is sent when nobody takes it back, when the next decision comes, and when the view is left.
    page.keyboard.press("d")
    expect(page.locator("article h2")).to_have_text("Finding 2")
    page.keyboard.press("u")
    expect(page.locator("article h2")).to_have_text("Finding 1")
    page.mouse.move(0, 0)
    with page.expect_response("**/f0001/dismiss"):
        page.keyboard.press("d")
    expect(page.locator("#said p")).to_have_count(0)
    page.keyboard.press("d")
    expect(page.locator("article h2")).to_have_text("Finding 3")
    page.keyboard.press("a")
    expect(page.locator("#said p")).to_contain_text("Accepted")
    assert inbox.decisions() == ["dismiss f0001", "dismiss f0002", "accept f0003"], inbox.asked
    page.keyboard.press("u")
    expect(page.locator("article h2")).to_have_text("Finding 3")
    page.keyboard.press("d")
    watched.go("#/inbox?status=dismissed")
    expect(page.locator(".list a[data-entry]")).to_have_count(3)
    assert inbox.decisions()[-1] == "dismiss f0003", inbox.asked


def a_topic_is_dropped_only_after_a_second_word(watched):
    page = watched.page
    inbox = begins(watched, [finding(1), finding(2)])
    button(page, "Dismiss and stop proposing the topic").click()
    expect(button(page, "No, keep it")).to_be_focused()
    watched.look("deciding-7-drop")
    page.keyboard.press("Enter")
    expect(button(page, "Dismiss and stop proposing the topic")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    expect(button(page, "Accept")).to_be_visible()
    assert not inbox.asked, inbox.asked
    button(page, "Dismiss and stop proposing the topic").click()
    button(page, "Yes, dismiss and stop").click()
    expect(page.locator("#said p")).to_contain_text("will not be proposed")
    assert inbox.asked == [("f0001", "dismiss", {"suppressTopic": True})], inbox.asked


def many_come_page_by_page(watched):
    page = watched.page
    begins(watched, [finding(number) for number in range(450)])
    entries = page.locator(".list a[data-entry]")
    expect(entries).to_have_count(200)
    expect(page.locator(".list")).to_contain_text("200 of 450 shown.")
    expect(page.locator("nav .badge").nth(3)).to_have_text("450 new")
    button(page, "Show 200 more").click()
    expect(entries).to_have_count(400)
    expect(entries.nth(200)).to_be_focused()
    watched.shoot("deciding-8-more")
    button(page, "Show 50 more").click()
    expect(entries).to_have_count(450)
    expect(page.locator(".rest")).to_have_count(0)


def what_it_is_like_is_named_rightly(watched):
    page = watched.page
    begins(watched, [finding(1, nearest=LONG, similarity=0.53, relatedNotes=[LONG]), finding(2, title="نحل العسل في الشتاء", summary="النحل يعيش في الخلية طوال الشتاء.", url=LONG)])
    facts = page.locator(".facts")
    expect(facts).to_contain_text("53 % similar to an earlier finding, from example.org")
    expect(facts.get_by_role("link", name="example.org").last).to_have_attribute("rel", "noopener noreferrer")
    expect(page.locator("a[href^='#/note/http']")).to_have_count(0)
    # Words that run from the right do so here.
    watched.go("#/inbox/f0002")
    for words in ("article h2", ".text-line"):
        assert page.locator(words).first.evaluate("node => getComputedStyle(node).direction") == "rtl", words
    watched.look("deciding-9-from-the-right")


def an_agenda_with_long_addresses_fits(watched):
    page = watched.page
    task = {"id": "t1", "query": "varroa", "source": "web", "motivation": f"see {LONG}", "relatedNotes": [], "status": "done"}
    agenda = {"success": True, "id": "a1", "status": "done", "created": "2026-01-01T00:00:00Z", "tasks": [task], "findings": 2, "message": LONG}
    watched.context.route("**/api/research/agenda/a1", lambda route: route.fulfill(body=json.dumps(agenda), content_type="application/json"))
    Inbox(watched, [finding(1, url=LONG), finding(2, title=LONG, nearest=LONG)])
    watched.go("#/agenda/a1")
    watched.look("deciding-phone-agenda")
    watched.go("#/inbox/f0002")
    watched.look("deciding-phone-finding")
    page.get_by_role("button", name="Dismiss", exact=True).tap()
    expect(page.locator("article h2")).to_have_text("Finding 1")
    watched.look("deciding-phone-dismissed")


def what_is_not_there_leads_on(watched):
    page = watched.page
    watched.context.unroute_all()
    for address, leads in (("#/note/Nothing.md", "#/search"), ("#/inbox/zzz", "#/inbox"), ("#/agenda/zzz", "#/agenda"), ("#/runs/zzz", "#/runs")):
        watched.go(address)
        alert = page.get_by_role("alert")
        expect(alert.get_by_role("link")).to_have_attribute("href", leads)
        for words in ("Bad Request", "Not Found", "/api/", "`"):
            expect(alert).not_to_contain_text(words)
    watched.look("deciding-not-there")
    watched.forgive("status of 4")


with browser() as opened:
    watched = Watched(opened, sys.argv[1])
    made_up = a_draft_stays_until_it_is_given_up(watched)
    refused_words_are_not_lost(watched, made_up)
    for checks in (nothing_moves_under_a_click, a_dismissal_can_be_taken_back, a_topic_is_dropped_only_after_a_second_word, many_come_page_by_page, what_it_is_like_is_named_rightly, what_is_not_there_leads_on):
        watched.go("#/")
        watched.context.unroute_all()
        checks(watched)
    watched.done()
    phone = Watched(opened, sys.argv[2], size=PHONE)
    an_agenda_with_long_addresses_fits(phone)
    phone.done()
print("all good")
