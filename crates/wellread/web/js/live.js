// What goes on in the background, told by the server as it happens. The line is opened once and kept open.

const NAMES = ['agenda', 'task', 'progress', 'finding', 'counts'];
const RETRY_MS = 4000;

const heard = new EventTarget();
/** Whether the line is open, and what was counted last. */
export const now = { open: true, counts: null };

/** Calls `listener` with each event of that name until `signal` ends it. `back` is told when the server was gone and is there again. */
export function hear(name, listener, signal) {
    heard.addEventListener(name, (event) => listener(event.detail), { signal });
}

export function open() {
    const source = new EventSource('/api/research/events');
    for (const name of NAMES) {
        source.addEventListener(name, (event) => {
            const data = JSON.parse(event.data);
            if (name === 'counts') now.counts = data;
            tell(name, data);
        });
    }
    source.addEventListener('open', () => {
        if (!now.open) tell('back');
        state(true);
    });
    source.addEventListener('error', () => {
        state(false);
        // The browser tries again by itself, unless the server answered with a refusal.
        if (source.readyState === EventSource.CLOSED) setTimeout(open, RETRY_MS);
    });
    addEventListener('pagehide', () => source.close(), { once: true });
}

/** Says how many there are, where the page knows it before the server. */
export function recount(counts) {
    now.counts = counts;
    tell('counts', counts);
}

function state(isOpen) {
    if (now.open === isOpen) return;
    now.open = isOpen;
    tell('line', isOpen);
}

function tell(name, detail) {
    heard.dispatchEvent(new CustomEvent(name, { detail }));
}
