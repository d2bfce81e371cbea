// The server's answers: JSON, or what happened and what to do about it.

import { base } from './base.js';
import { HEADER, pageKey } from './page_key.js';
import { events } from './sse.js';

/** Statuses whose names say nothing to people. */
const TITLES = {
    __proto__: null,
    400: 'Invalid request',
    401: 'Not signed in',
    404: 'Not found',
    405: 'Not possible here',
    409: 'No longer possible',
    413: 'Too large',
    415: 'Invalid request',
    422: 'Invalid request',
    424: 'Not set up yet',
    429: 'Too many requests',
    500: 'Something went wrong',
    503: 'Not available right now',
};

/** Why something was not done: `title`, `detail` and `hint`, as the server says them, and the `code` of the way out. */
export class Problem extends Error {
    constructor({ title, detail, hint, code, status }) {
        super(detail ?? title ?? 'Something went wrong');
        this.title = TITLES[status] ?? title ?? 'Something went wrong';
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

/** A file's bytes. */
export async function blob(path, { signal } = {}) {
    const response = await send(path, { signal });
    return response.ok ? response.blob() : read(response);
}

/** `key` makes a repeated request the same request; with `keepalive` it is sent even where the page is being left. */
export async function post(path, body = {}, { signal, key, keepalive } = {}) {
    return read(await send(path, { ...posted(body, { signal, key }), keepalive }));
}

/** Takes away what is at an address. */
export async function remove(path, { signal } = {}) {
    return read(await send(path, { method: 'DELETE', signal }));
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
        const headers = { ...request.headers, [HEADER]: pageKey() };
        return await fetch(base + path, { credentials: 'same-origin', ...request, headers });
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
            title: 'Unexpected answer',
            detail: `the server answered with status ${response.status} and no JSON`,
            status: response.status,
        });
    }
    if (response.ok) return said;
    if (response.status === 401) {
        said.hint = 'This browser is no longer signed in. Open the new link that `wellread serve` prints, or enter the token.';
    }
    throw new Problem({ ...said, status: response.status });
}

function lost() {
    return new Problem({
        title: 'The server does not answer',
        detail: 'the connection to Wellread was lost',
        hint: 'Check that `wellread serve` is still running, restart it if necessary, and try again.',
    });
}
