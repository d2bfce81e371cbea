// What goes on in the background, told by the server as it happens: on one line for all tabs, where the browser can share one.

import { base } from './base.js';
import { follow } from './event_line.js';
import { pageKey } from './page_key.js';

const heard = new EventTarget();
/** Whether the line is open, and what was counted last. */
export const now = { open: true, counts: null };

/** Calls `listener` with each event of that name until `signal` ends it. `back` is told when the server was gone and is there again. */
export function hear(name, listener, signal) {
    heard.addEventListener(name, (event) => listener(event.detail), { signal });
}

export function open() {
    if (typeof SharedWorker === 'undefined') {
        follow(pageKey, receive);
        return;
    }
    const worker = new SharedWorker(`${base}/page/js/live_worker.js`, { type: 'module' });
    worker.port.addEventListener('message', ({ data }) => receive(data.name, data.data));
    worker.port.start();
    const join = () => worker.port.postMessage({ key: pageKey() });
    join();
    addEventListener('pagehide', () => worker.port.postMessage({}));
    addEventListener('pageshow', ({ persisted }) => persisted && join());
}

/** Says how many there are, where the page knows it before the server. */
export function recount(counts) {
    now.counts = counts;
    tell('counts', counts);
}

function receive(name, data) {
    if (name === 'line') {
        if (data && !now.open) tell('back');
        state(data);
        return;
    }
    if (name === 'counts') now.counts = data;
    tell(name, data);
}

function state(isOpen) {
    if (now.open === isOpen) return;
    now.open = isOpen;
    tell('line', isOpen);
}

function tell(name, detail) {
    heard.dispatchEvent(new CustomEvent(name, { detail }));
}
