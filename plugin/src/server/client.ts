// Requests to the server and its answers: JSON, or events while long work goes on.
//
// Two ways lead to the server. Obsidian's `requestUrl` goes around the browser, so it needs no permission from the server and
// works on phones; but it hands over an answer only when it is complete. `fetch` can read an answer while it is being written,
// which streaming needs; but the server must know the origin of Obsidian's window (`server.origins`). Therefore everything goes by
// `requestUrl`, and what streams goes by `fetch` once a first request has shown that the server allows it. If it does not,
// answers arrive whole.

import { requestUrl } from 'obsidian';
import { events } from 'wellread-page/sse.js';
import { Problem, isAbort, problemFromAnswer } from './problem';

/** Where the server is, and what it asks of a client. */
export interface Endpoint {
    /** Scheme, host and port, and where a vault begins that is not the first. */
    address: string;
    token: string;
}

export interface ServerEvent {
    name: string;
    data: Record<string, unknown>;
}

export class Client {
    /** Whether answers can be read while they are written. */
    streams = false;

    constructor(
        readonly endpoint: Endpoint,
        /** Called when nobody answers any more. */
        private readonly lost: () => void = () => undefined,
    ) {}

    async get<T>(path: string): Promise<T> {
        return this.whole<T>('GET', path);
    }

    /** `key` makes a repeated request the same request. */
    async post<T>(path: string, body: object = {}, key?: string): Promise<T> {
        return this.whole<T>('POST', path, body, key);
    }

    /** Events of work that takes long. The last one is `done`; where nothing can be streamed, it is the only one. */
    async *stream(path: string, body: object, signal: AbortSignal): AsyncGenerator<ServerEvent> {
        if (!this.streams) {
            const data = await abortable(this.post<Record<string, unknown>>(path, body), signal);
            yield { name: 'done', data };
            return;
        }
        const response = await this.fetch(path, {
            method: 'POST',
            headers: { 'Content-Type': 'application/json', Accept: 'text/event-stream' },
            body: JSON.stringify(body),
            signal,
        });
        let complete = false;
        for await (const event of this.read(response)) {
            complete ||= event.name === 'done';
            yield event;
        }
        if (!complete) throw this.gone();
    }

    /** What happens in the background, for as long as the server tells it. */
    async *follow(path: string, signal: AbortSignal): AsyncGenerator<ServerEvent> {
        const response = await this.fetch(path, { headers: { Accept: 'text/event-stream' }, signal });
        yield* this.read(response);
    }

    /** Finds out whether `fetch` is let in. The request is harmless, so that it can be made a second time by the other way. */
    async probeStreaming(): Promise<boolean> {
        try {
            const response = await fetch(this.endpoint.address + '/readyz', { headers: this.headers(), cache: 'no-store' });
            this.streams = response.ok;
        } catch {
            this.streams = false;
        }
        return this.streams;
    }

    private headers(): Record<string, string> {
        return { Authorization: `Bearer ${this.endpoint.token}` };
    }

    private async whole<T>(method: string, path: string, body?: object, key?: string): Promise<T> {
        const headers = this.headers();
        if (body) headers['Content-Type'] = 'application/json';
        if (key) headers['Idempotency-Key'] = key;
        const request = { url: this.endpoint.address + path, method, headers, throw: false };
        let status: number;
        let text: string;
        try {
            const reply = await requestUrl(body ? { ...request, body: JSON.stringify(body) } : request);
            [status, text] = [reply.status, reply.text];
        } catch {
            throw this.gone();
        }
        return parseAnswer(status, text) as T;
    }

    private async fetch(path: string, request: RequestInit): Promise<Response> {
        const headers = { ...this.headers(), ...(request.headers as Record<string, string>) };
        let response: Response;
        try {
            response = await fetch(this.endpoint.address + path, { ...request, headers, cache: 'no-store' });
        } catch (error) {
            if (isAbort(error)) throw error;
            throw this.gone();
        }
        if (!response.ok) parseAnswer(response.status, await response.text());
        return response;
    }

    private async *read(response: Response): AsyncGenerator<ServerEvent> {
        if (!response.body) throw this.gone();
        for await (const { name, data } of events(response.body)) {
            const fields = data as Record<string, unknown>;
            if (name === 'error') throw problemFromAnswer(Number(fields['status'] ?? 500), fields);
            yield { name, data: fields };
        }
    }

    private gone(): Problem {
        this.lost();
        return new Problem({
            title: 'The server does not answer',
            detail: `there is no connection to Wellread at ${this.endpoint.address}`,
            hint: 'Start it with `wellread serve`, or let the plugin start it (see its settings), and try again.',
        });
    }
}

/** A new key for one intent of the user. */
export function freshKey(): string {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function parseAnswer(status: number, text: string): unknown {
    let said: unknown;
    try {
        said = JSON.parse(text);
    } catch {
        throw problemFromAnswer(status, { title: 'Unexpected answer', detail: `status ${status}, and no JSON` });
    }
    if (status >= 200 && status < 300) return said;
    throw problemFromAnswer(status, said);
}

/** The same, but no longer waited for once it is stopped. */
function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
    return new Promise((resolve, reject) => {
        const stop = (): void => reject(new DOMException('stopped', 'AbortError'));
        if (signal.aborted) stop();
        signal.addEventListener('abort', stop, { once: true });
        work.then(resolve, reject);
    });
}
