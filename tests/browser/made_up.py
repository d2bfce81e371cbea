"""An inbox that was made up: findings of any number and shape, and every decision that the page sends. What it does not know it refuses."""

import json
import re
from urllib.parse import parse_qs, urlsplit

QUOTE = "Treating broodless colonies with oxalic acid removed 93 percent of the mites."


def finding(number, **more):
    """A finding of which only what matters is said."""
    summary = more.pop("summary", QUOTE)
    made = {
        "id": f"f{number:04}",
        "agendaId": "a1",
        "taskId": "t1",
        "runId": "r1",
        "url": f"https://example.org/{number}",
        "title": f"Finding {number}",
        "source": "web",
        "summary": summary,
        "concepts": ["varroa"],
        "sentences": [{"text": summary, "verdict": "supported", "evidence": ["ev-1"]}],
        "evidence": [{"id": "ev-1", "quote": summary, "url": f"https://example.org/{number}", "title": "A page", "snapshot": "0" * 64, "start": 0, "end": len(summary)}],
        "relatedNotes": [],
        "similarity": 0.5,
        "nearest": "Home.md",
        "query": "varroa in winter",
        "motivation": "your notes say little of it",
        "status": "new",
        "created": "2026-01-01T00:00:00Z",
    }
    return made | more


class Inbox:
    """Answers for the server whatever is asked about findings."""

    def __init__(self, watched, findings):
        self.findings = {one["id"]: one for one in findings}
        self.asked = []
        self.refusal = None
        # The server's own counts came first, and nothing changes them.
        watched.page.wait_for_function("import('/page/js/live.js').then(live => live.now.counts !== null)")
        watched.context.route(re.compile(r"/api/research/findings"), self.answer)

    def decisions(self):
        return [f"{what} {which}" for which, what, _ in self.asked]

    def answer(self, route):
        address = urlsplit(route.request.url)
        _, _, _, _, *parts = address.path.split("/")
        method = route.request.method
        if method == "GET" and not parts:
            said = self.listed(parse_qs(address.query))
        elif method == "GET" and parts[0] in self.findings:
            said = self.findings[parts[0]]
        elif method == "POST" and len(parts) == 2 and parts[1] in ("accept", "dismiss", "undo"):
            self.asked.append((*parts, route.request.post_data_json))
            if self.refusal:
                problem, self.refusal = self.refusal, None
                return route.fulfill(status=problem["status"], body=json.dumps(problem), content_type="application/problem+json")
            said = self.decided(*parts)
        else:
            raise AssertionError(f"not made up: {method} {address.path}")
        return route.fulfill(body=json.dumps({"success": True, **said}), content_type="application/json")

    def listed(self, query):
        every = self.findings.values()
        fitting = [one for one in every if one["status"] in query.get("status", [one["status"]])]
        counts = {status: sum(one["status"] == status for one in every) for status in ("new", "accepted", "dismissed")}
        return {"findings": fitting[: int(query.get("limit", ["50"])[0])], "counts": counts | {"pending": 0, "running": 0, "set_aside": 0}}

    def decided(self, which, what):
        one = self.findings[which]
        one["status"] = {"accept": "accepted", "dismiss": "dismissed", "undo": "new"}[what]
        if what == "accept":
            one["notePath"] = f"Inbox/{one['title']}.md"
        return one
