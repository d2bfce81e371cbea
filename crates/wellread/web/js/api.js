// The server's answers: JSON, or what happened and what to do about it.

import { events } from './sse.js';

/** Statuses whose names say nothing to people. */
const TITLES = {
    400: 'That can’t be done like this',
    401: 'Not let in',
    404: 'Not there',
    405: 'That can’t be done here',
    409: 'Not possible any more',
    413: 'Too large',
    415: 'That can’t be done like this',
    422: 'That can’t be done like this',
    424: 'Not set up yet',
    429: 'Too much at once',
    500: 'It failed',
    503: 'Not now',
};

/** Why something was not done: `title`, `detail` and `hint`, as the server says them, and the `code` of the way out. */
export class Problem extends Error {
    constructor({ title, detail, hint, code, status }) {
        super(detail ?? title ?? 'It failed');
        this.title = TITLES[status] ?? title ?? 'It failed';
        this.detail = detail ?? '';
        this.hint = hint ?? '';
        this.code = code ?? '';
        this.status = status ?? 0;
    }
}

export async function get(path, { signal } = {}) {
    return read(await send(path, { signal }));
}

/** The text of a document, such as a run's report. */
export async function text(path, { signal } = {}) {
    const response = await send(path, { signal });
    return response.ok ? response.text() : read(response);
}

/** `key` makes a repeated request the same request; with `keepalive` it is sent even where the page is being left. */
export async function post(path, body = {}, { signal, key, keepalive } = {}) {
    return read(await send(path, { ...posted(body, { signal, key }), keepalive }));
}

/** Events of work that takes long: `{ name, data }`. The last one is `done` or becomes a problem. */
export async function* stream(path, body, { signal } = {}) {
    const request = posted(body, { signal });
    request.headers.Accept = 'text/event-stream';
    const response = await send(path, request);
    if (!response.ok) await read(response);
    let complete = false;
    for await (const event of events(response.body)) {
        if (event.name === 'error') throw new Problem(event.data);
        complete ||= event.name === 'done';
        yield event;
    }
    if (!complete) throw lost();
}

/** A new key for one intent of the user. */
export function freshKey() {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** A path within an address: its slashes stay. */
export function within(path) {
    return path.split('/').map(encodeURIComponent).join('/');
}

function posted(body, { signal, key }) {
    const headers = { 'Content-Type': 'application/json' };
    if (key) headers['Idempotency-Key'] = key;
    return { method: 'POST', headers, body: JSON.stringify(body), signal };
}

async function send(path, request) {
    try {
        return await fetch(path, { credentials: 'same-origin', ...request });
    } catch (error) {
        if (error.name === 'AbortError') throw error;
        throw lost();
    }
}

async function read(response) {
    let said;
    try {
        said = await response.json();
    } catch (error) {
        if (error.name === 'AbortError') throw error;
        throw new Problem({
            title: 'Not understood',
            detail: `the server answered ${response.status} without JSON`,
            status: response.status,
        });
    }
    if (response.ok) return said;
    if (response.status === 401) {
        said.hint = 'This browser is not let in any more. `wellread serve` prints a new link: open that.';
    }
    throw new Problem({ ...said, status: response.status });
}

function lost() {
    return new Problem({
        title: 'The server does not answer',
        detail: 'the connection to Wellread was lost',
        hint: 'Look whether `wellread serve` still runs, start it again, and try once more.',
    });
}
