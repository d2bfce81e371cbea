"""The link graph of ten thousand notes, made up in the browser: python graph.py LINK LINK

Moves and zooms it, with the mouse and with two fingers, and prints how long frames took. Says `all good` at the end, and ends with an error otherwise.
"""

import json
import random
import sys

from playwright.sync_api import expect
from watched import PHONE, Watched, browser

NOTES, LINKED = 10_000, 9_400

# So many frames, each after a small move; the times between them in milliseconds.
FRAMES = """act => new Promise(done => {
    const canvas = document.querySelector('canvas');
    const box = canvas.getBoundingClientRect();
    const pointer = (type, x, y) => canvas.dispatchEvent(new PointerEvent(type, { pointerId: 1, pointerType: 'mouse', bubbles: true, clientX: box.x + x, clientY: box.y + y }));
    canvas.setPointerCapture = () => {};
    const times = [];
    let last = performance.now();
    if (act === 'pan') pointer('pointerdown', 300, 200);
    const frame = () => {
        const now = performance.now();
        times.push(now - last);
        last = now;
        const step = times.length;
        if (act === 'pan') pointer('pointermove', 300 + step * 2, 200 + Math.sin(step / 5) * 60);
        else canvas.dispatchEvent(new WheelEvent('wheel', { deltaY: step < 60 ? -20 : 20, clientX: box.x + 400, clientY: box.y + 200, cancelable: true }));
        if (step < 120) return requestAnimationFrame(frame);
        if (act === 'pan') pointer('pointercancel', 0, 0);
        times.shift();
        times.sort((one, other) => one - other);
        done({ median: times[times.length >> 1], 'of 100, 95 below': times[Math.floor(times.length * 0.95)], longest: times.at(-1) });
    };
    requestAnimationFrame(frame);
})"""


def made_up():
    chance = random.Random(3)
    cluster, edges, begun = [0] * NOTES, set(), 0
    number = 0
    while begun < LINKED:
        size = min(LINKED - begun, max(20, int(1800 / (1 + number * 0.35))))
        for note in range(begun, begun + size):
            cluster[note] = number
            for _ in range(3):
                near = chance.random() < 0.93
                other = begun + int(size * chance.random() ** 2) if near else int(LINKED * chance.random())
                if other != note:
                    edges.add((min(note, other), max(note, other)))
        begun, number = begun + size, number + 1
    links = [0] * NOTES
    for one, other in edges:
        links[one] += 1
        links[other] += 1
    nodes = [{"path": f"Folder {cluster[i]}/Note {i}.md", "title": f"Note {i}", "cluster": cluster[i], "links": links[i]} for i in range(NOTES)]
    return {"success": True, "nodes": nodes, "edges": sorted(edges)}


def opens(watched, graph):
    watched.context.route("**/api/kb/graph", lambda route: route.fulfill(body=json.dumps(graph), content_type="application/json"))
    watched.go("#/health")
    watched.page.wait_for_selector("canvas")


def with_two_fingers(watched):
    """Fingers that go apart make the picture larger, and the page stays as large as it is."""
    page = watched.page
    page.wait_for_selector("canvas[data-settled]")
    canvas = page.locator("canvas")
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    client = watched.context.new_cdp_session(page)

    def touch(kind, *apart):
        client.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x + side * far, "y": y, "id": number} for far in apart for number, side in enumerate((-1, 1))]})

    before = canvas.screenshot()
    touch("touchStart", 20)
    for step in range(1, 9):
        touch("touchMove", 20 + step * 12)
    touch("touchEnd")
    page.wait_for_timeout(300)
    assert canvas.screenshot() != before, "the picture did not grow"
    assert page.evaluate("visualViewport.scale") == 1, "the page grew instead"
    watched.shoot("graph-pinched")


with browser() as opened:
    graph = made_up()
    phone = Watched(opened, sys.argv[2], size=PHONE)
    opens(phone, graph)
    with_two_fingers(phone)
    phone.done()
    watched = Watched(opened, sys.argv[1])
    page = watched.page
    opens(watched, graph)
    # The page goes on while the picture settles.
    page.get_by_label("Find a note in the graph").fill("Note 17")
    page.wait_for_selector("canvas[data-settled]")
    orphans = sum(node["links"] == 0 for node in graph["nodes"])
    expect(page.get_by_role("button", name=f"Orphans ({orphans})")).to_be_visible()
    page.locator(".graph-picture").scroll_into_view_if_needed()
    print(f"{NOTES} notes, {len(graph['edges'])} links; milliseconds a frame:")
    for act in ("pan", "zoom"):
        times = page.evaluate(FRAMES, act)
        print(f"  {act}: " + ", ".join(f"{name} {time:.1f}" for name, time in times.items()))
    watched.look("graph-large")
    # With the keyboard: find a note, go to the picture, open it.
    field = page.get_by_label("Find a note in the graph")
    field.fill("Folder 0/Note 17.md")
    expect(page.locator(".graph-label")).to_contain_text("Note 17")
    page.locator("canvas").focus()
    before = page.locator("canvas").screenshot()
    for key in ("ArrowLeft", "+", "-", "0"):
        page.keyboard.press(key)
    page.get_by_role("button", name=f"Orphans ({orphans})").click()
    page.wait_for_timeout(300)
    assert page.locator("canvas").screenshot() != before, "the picture did not move"
    watched.shoot("graph-orphans")
    watched.done()
print("all good")
