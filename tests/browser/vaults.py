"""Several vaults in one server: python vaults.py LINK

One is chosen in the bar, and everything in the page is about it. Says `all good` at the end, and ends with an error otherwise.
"""

import sys

from playwright.sync_api import expect
from watched import Watched, browser

(LINK,) = sys.argv[1:]

with browser() as opened:
    watched = Watched(opened, LINK)
    page = watched.page
    choice = page.get_by_label("Vault", exact=True)
    expect(choice).to_have_value("garden")
    watched.go("#/note/Beds.md")
    expect(page.locator("main")).to_contain_text("The north bed has leeks.")
    watched.look("vaults-first")
    choice.select_option("Work")
    page.wait_for_url("**/vaults/Work/**")
    expect(page.get_by_label("Vault", exact=True)).to_have_value("Work")
    watched.go("#/note/Launch.md")
    expect(page.locator("main")).to_contain_text("Falcon is launched on 3 March.")
    page.wait_for_function("() => import('/page/js/live.js').then(live => live.now.open && live.now.counts !== null)")
    watched.look("vaults-second")
    # On a phone, too.
    page.set_viewport_size({"width": 390, "height": 800})
    expect(page.get_by_label("Vault", exact=True)).to_be_visible()
    watched.look("vaults-narrow")
    assert not watched.wrong, watched.wrong
print("all good")
