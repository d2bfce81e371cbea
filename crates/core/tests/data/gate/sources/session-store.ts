// Session store of the booking site.

export interface Session {
  id: string;
  userId: string;
  createdAt: number; // milliseconds since 1970
  lastSeen: number;
  role: "guest" | "member" | "staff";
}

const IDLE_LIMIT_MS = 20 * 60 * 1000;
const STAFF_IDLE_LIMIT_MS = 5 * 60 * 1000;

const sessions = new Map<string, Session>();

export function idleLimit(s: Session): number {
  return s.role === "staff" ? STAFF_IDLE_LIMIT_MS : IDLE_LIMIT_MS;
}

export function touch(id: string, now: number): Session | undefined {
  const s = sessions.get(id);
  if (!s) return undefined;
  if (now - s.lastSeen > idleLimit(s)) {
    sessions.delete(id);
    return undefined;
  }
  s.lastSeen = now;
  return s;
}

// Used by the nightly job. Guests are removed regardless of their age.
export function sweep(now: number): number {
  let removed = 0;
  for (const [id, s] of sessions) {
    if (s.role === "guest" || now - s.lastSeen > idleLimit(s)) {
      sessions.delete(id);
      removed += 1;
    }
  }
  return removed;
}
