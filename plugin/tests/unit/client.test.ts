import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Client } from '../../src/server/client';
import { Problem } from '../../src/server/problem';
import { type NativeRequest, native } from '../stand_in/native';

const ENDPOINT = { address: 'http://127.0.0.1:8000', token: '0a1b' };
let asked: NativeRequest[] = [];

beforeEach(() => {
    asked = [];
});
afterEach(() => vi.unstubAllGlobals());

function answers(status: number, body: unknown): void {
    native.request = (request) => {
        asked.push(request);
        return Promise.resolve({ status, text: typeof body === 'string' ? body : JSON.stringify(body) });
    };
}

function streamed(...blocks: string[]): Response {
    const bytes = new TextEncoder();
    const body = new ReadableStream<Uint8Array>({
        start(controller) {
            for (const block of blocks) controller.enqueue(bytes.encode(block));
            controller.close();
        },
    });
    return new Response(body, { status: 200 });
}

async function names(client: Client, signal = new AbortController().signal): Promise<string[]> {
    const found = [];
    for await (const { name } of client.stream('/chat', { message: 'x' }, signal)) found.push(name);
    return found;
}

it('sends the token, and a key for what must happen once', async () => {
    answers(200, { success: true, vault: '/v' });
    const client = new Client(ENDPOINT);
    expect(await client.get('/api/status')).toMatchObject({ vault: '/v' });
    await client.post('/api/x', { a: 1 }, 'key');
    expect(asked[0]).toMatchObject({ url: 'http://127.0.0.1:8000/api/status', method: 'GET', headers: { Authorization: 'Bearer 0a1b' } });
    expect(asked[1]).toMatchObject({ body: '{"a":1}', headers: { 'Idempotency-Key': 'key', 'Content-Type': 'application/json' } });
});

it('a refusal becomes a problem in the words of the server', async () => {
    answers(409, { title: 'Conflict', detail: 'the note changed', hint: 'preview it again' });
    const problem = await new Client(ENDPOINT).get('/x').catch((error: unknown) => error);
    expect(problem).toMatchObject({ title: 'No longer possible', detail: 'the note changed', hint: 'preview it again', status: 409 });
});

it('a token that is refused leads to the settings', async () => {
    answers(401, { detail: 'wrong token', hint: 'curl …' });
    await expect(new Client(ENDPOINT).get('/x')).rejects.toMatchObject({ title: 'Not paired', hint: expect.stringContaining('settings') as string });
});

it('an answer that is no JSON is told as such', async () => {
    answers(502, '<html>');
    await expect(new Client(ENDPOINT).get('/x')).rejects.toMatchObject({ detail: 'status 502, and no JSON' });
});

it('a server that is gone is told, and the connection is dropped', async () => {
    native.request = () => Promise.reject(new Error('net::ERR_CONNECTION_REFUSED'));
    const lost = vi.fn();
    const problem = await new Client(ENDPOINT, lost).get('/x').catch((error: unknown) => error as Problem);
    expect(problem).toMatchObject({ isUnreachable: true, hint: expect.stringContaining('wellread serve') as string });
    expect(lost).toHaveBeenCalledOnce();
});

it('streams by fetch where the server lets it in', async () => {
    const fetched = vi.fn((url: string) =>
        Promise.resolve(url.endsWith('/readyz') ? new Response('{}') : streamed('event: text\ndata: {"text":"a"}\n\nevent: do', 'ne\ndata: {"response":"a"}\n\n')),
    );
    vi.stubGlobal('fetch', fetched);
    const client = new Client(ENDPOINT);
    expect(await client.probeStreaming()).toBe(true);
    expect(await names(client)).toEqual(['text', 'done']);
    expect(fetched.mock.calls.map(([url]) => url)).toEqual(['http://127.0.0.1:8000/readyz', 'http://127.0.0.1:8000/chat']);
});

it('where fetch is refused, the answer arrives whole, and is asked for once', async () => {
    const fetched = vi.fn(() => Promise.reject(new TypeError('Failed to fetch')));
    vi.stubGlobal('fetch', fetched);
    answers(200, { response: 'a' });
    const client = new Client(ENDPOINT);
    expect(await client.probeStreaming()).toBe(false);
    expect(await names(client)).toEqual(['done']);
    expect([fetched.mock.calls.length, asked.length]).toEqual([1, 1]);
});

it('a stream that breaks off is no answer, and an error in it is a problem', async () => {
    const client = new Client(ENDPOINT);
    client.streams = true;
    vi.stubGlobal('fetch', () => Promise.resolve(streamed('event: text\ndata: {"text":"a"}\n\n')));
    await expect(names(client)).rejects.toMatchObject({ title: 'The server does not answer' });
    vi.stubGlobal('fetch', () => Promise.resolve(streamed('event: error\ndata: {"status":424,"detail":"no model","hint":"set one"}\n\n')));
    await expect(names(client)).rejects.toMatchObject({ title: 'Not set up yet', detail: 'no model', hint: 'set one' });
});

it('stopping ends the waiting, also for an answer that arrives whole', async () => {
    native.request = () => new Promise(() => undefined);
    const stop = new AbortController();
    const waiting = names(new Client(ENDPOINT), stop.signal);
    stop.abort();
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
});
