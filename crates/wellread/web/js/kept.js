// What the user has begun and not sent: kept in this tab, through other views and a reload, until it is sent or given up.

import { base } from './base.js';

/** A keeping of one kind, by id: `kept('draft')`. */
export function kept(kind) {
    const memory = new Map();
    const key = (id) => `wellread${base}-${kind}-${id}`;
    return {
        of(id) {
            if (!memory.has(id)) memory.set(id, stored(key(id)));
            return memory.get(id);
        },
        keep(id, value) {
            memory.set(id, value);
            try {
                sessionStorage.setItem(key(id), JSON.stringify(value));
            } catch {
                // It holds until the page is left.
            }
        },
        drop(id) {
            memory.set(id, null);
            try {
                sessionStorage.removeItem(key(id));
            } catch {
                // Nothing was stored.
            }
        },
    };
}

function stored(key) {
    try {
        return JSON.parse(sessionStorage.getItem(key));
    } catch {
        return null;
    }
}
