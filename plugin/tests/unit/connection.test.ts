import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Connection } from '../../src/server/connection';
import { findProgram, startServer } from '../../src/server/desktop';
import { DEFAULTS, type WellreadSettings, loadToken, readSettings, saveToken } from '../../src/settings';
import { Platform, native } from '../stand_in/native';
import { App } from '../stand_in/obsidian';

let folder: string;
let app: App;

beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'wellread-unit-'));
    native.base = '/home/a/vault';
    app = new App(createDiv(), createDiv(), createDiv());
    vi.stubGlobal('fetch', () => Promise.resolve(new Response('{}')));
    native.request = () => Promise.resolve({ status: 200, text: '{"vault":"/home/b/vault","notes":1,"pending":0}' });
});
afterEach(() => {
    Object.assign(Platform, { isDesktop: true, isDesktopApp: true });
    vi.unstubAllGlobals();
    rmSync(folder, { recursive: true });
});

function connection(settings: Partial<WellreadSettings>): Connection {
    return new Connection(app as never, () => ({ ...DEFAULTS, ...settings }));
}

/** A program that behaves like the server's, as far as starting it goes. */
function program(lines: string): string {
    const path = join(folder, 'wellread');
    writeFileSync(path, `#!/bin/sh\n${lines}\n`);
    chmodSync(path, 0o755);
    return path;
}

it('says on a phone that a server elsewhere is needed', async () => {
    Object.assign(Platform, { isDesktop: false, isDesktopApp: false });
    const made = connection({});
    await expect(made.client()).rejects.toMatchObject({ detail: expect.stringContaining('another machine') as string });
    expect(made.state).toMatchObject({ kind: 'off', problem: { title: 'No server is set up' } });
    await expect(findProgram('')).rejects.toMatchObject({ title: 'Not on this device' });
});

it('asks for the token of a server that has an address alone, and starts none where it may not', async () => {
    await expect(connection({ address: 'http://127.0.0.1:8000' }).client()).rejects.toMatchObject({ title: 'Not paired yet' });
    await expect(connection({ startServer: false }).client()).rejects.toMatchObject({ hint: expect.stringContaining('Start the server') as string });
});

it('connects once, however many ask, and notices a vault of another name', async () => {
    saveToken(app as never, '0a1b');
    const made = connection({ address: 'http://127.0.0.1:8000' });
    const [one, other] = await Promise.all([made.client(), made.client()]);
    expect(one).toBe(other);
    expect(made.state).toMatchObject({ kind: 'ready', ours: false, otherVault: null });
    native.request = () => Promise.resolve({ status: 200, text: '{"vault":"/home/b/other"}' });
    made.reset();
    await made.client();
    expect(made.state).toMatchObject({ otherVault: '/home/b/other' });
});

it('finds the vault that is open here among those of the server', async () => {
    saveToken(app as never, '0a1b');
    const asked: string[] = [];
    const says: Record<string, object> = {
        '/api/status': { vault: '/srv/other' },
        '/api/vaults': { vaults: [{ name: 'other', path: '/srv/other', address: '/vaults/other' }, { name: 'mine', path: '/srv/vault', address: '/vaults/mine' }] },
    };
    native.request = ({ url }) => {
        asked.push(new URL(url).pathname);
        return Promise.resolve({ status: 200, text: JSON.stringify(says[new URL(url).pathname] ?? {}) });
    };
    const made = connection({ address: 'http://127.0.0.1:8000' });
    const client = await made.client();
    expect(made.state).toMatchObject({ kind: 'ready', otherVault: null });
    await client.get('/api/sessions');
    expect(asked).toContain('/vaults/mine/api/sessions');
    // Two folders of one name: the path tells them apart.
    says['/api/status'] = { vault: '/srv/vault' };
    says['/api/vaults'] = { vaults: [{ name: 'mine', path: '/srv/vault', address: '/vaults/mine' }, { name: 'work', path: '/home/a/vault', address: '/vaults/work' }] };
    made.reset();
    await (await made.client()).get('/api/sessions');
    expect(asked).toContain('/vaults/work/api/sessions');
});

it('an attempt that was begun before a reset is void', async () => {
    saveToken(app as never, '0a1b');
    const made = connection({ address: 'http://127.0.0.1:8000' });
    const attempt = made.client();
    made.reset();
    const next = made.client();
    await expect(attempt).rejects.toMatchObject({ title: 'Not connected' });
    await next;
    expect(made.state.kind).toBe('ready');
});

it('starts the program for the vault, lets its own window in, and ends it', async () => {
    const token = join(folder, 'token');
    writeFileSync(token, '0a1b\n');
    const path = program(`echo "$@ $WELLREAD_SERVER_ORIGINS" > ${folder}/args; echo '{"success":true,"url":"http://127.0.0.1:4","token_file":"${token}"}'; exec sleep 60`);
    const started = await startServer(path, '/home/a/vault', 'app://obsidian.md');
    expect(started).toMatchObject({ address: 'http://127.0.0.1:4', token: '0a1b' });
    const { readFileSync } = await import('node:fs');
    expect(readFileSync(join(folder, 'args'), 'utf8')).toBe('--vault /home/a/vault serve --port 0 --json app://obsidian.md\n');
    const ended = new Promise<void>((resolve) => started.onEnd(resolve));
    started.stop();
    await ended;
});

it('tells in the words of the program why it did not start', async () => {
    const path = program('echo "error: there is no vault" >&2; exit 3');
    await expect(startServer(path, '/x', 'app://obsidian.md')).rejects.toMatchObject({ detail: 'error: there is no vault' });
    await expect(startServer(program('echo no json; exec sleep 60'), '/x', 'app://obsidian.md')).rejects.toMatchObject({ title: 'Wellread did not start' });
    await expect(findProgram(join(folder, 'nowhere'))).rejects.toMatchObject({ title: 'Wellread is not installed here' });
});

it('settings of the wrong kind have their defaults, and the token is kept apart', () => {
    expect(readSettings(null)).toEqual(DEFAULTS);
    expect(readSettings({ address: 7, startServer: 'yes', program: ' /x ', depth: 'deep', other: 1 })).toEqual({
        address: '',
        startServer: true,
        program: '/x',
        depth: 'deep',
    });
    saveToken(app as never, '0a1b');
    expect(loadToken(app as never)).toBe('0a1b');
    saveToken(app as never, '');
    expect(loadToken(app as never)).toBe('');
});
