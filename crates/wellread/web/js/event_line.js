// The line on which the server tells what goes on in the background: opened once, and opened again when it breaks.

import { base } from './base.js';
import { HEADER } from './page_key.js';
import { events } from './sse.js';

const RETRY_MS = 4000;

/** Follows the events until the page or the worker ends. `key` is asked for each time; `tell` hears each event's name and data, and `line` whenever the line opens or breaks. */
export async function follow(key, tell) {
    let last = null;
    for (;;) {
        try {
            const headers = { Accept: 'text/event-stream', [HEADER]: key() };
            if (last) headers['Last-Event-ID'] = last;
            const response = await fetch(`${base}/api/research/events`, { headers, credentials: 'same-origin', cache: 'no-store' });
            if (response.ok) {
                tell('line', true);
                for await (const { id, name, data } of events(response.body)) {
                    last = id ?? last;
                    tell(name, data);
                }
            }
        } catch {
            // It is tried again.
        }
        tell('line', false);
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
}
