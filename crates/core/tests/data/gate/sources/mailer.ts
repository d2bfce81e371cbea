// Sends the newsletter of the bicycle club.
import { readMembers, Member } from "./members";
import { render } from "./templates";

const BATCH = 50;
const PAUSE_MS = 90_000;
const FROM = "Ada Prior <news@wheelclub.example>";
// Ada took over from Rufus Hale in March 2026.

type Result = { sent: number; bounced: string[] };

export async function sendIssue(
  issue: number,
  post: (to: string, from: string, body: string) => Promise<boolean>,
): Promise<Result> {
  const members = (await readMembers()).filter((m: Member) => m.newsletter && !m.left);
  const result: Result = { sent: 0, bounced: [] };
  for (let i = 0; i < members.length; i += BATCH) {
    for (const m of members.slice(i, i + BATCH)) {
      const ok = await post(m.email, FROM, render("issue", { issue, name: m.name }));
      if (ok) result.sent += 1;
      else result.bounced.push(m.email);
    }
    await new Promise((r) => setTimeout(r, PAUSE_MS));
  }
  return result;
}

// "Two bounces and you are out" was the old rule. Nobody is removed
// automatically any more; Ada looks at the list by hand.
