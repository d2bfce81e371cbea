import { readFileSync, readdirSync } from 'node:fs';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import WellreadPlugin from '../../src/main';
import { native } from '../stand_in/native';
import { App, type Plugin, TFile } from '../stand_in/obsidian';

interface Held {
    path: string;
    answer: (text: string) => void;
}

let app: App;
let plugin: Plugin;
/** What the server says, by the end of the address. */
let says: Record<string, unknown>;
let held: Held[];

beforeEach(async () => {
    document.body.empty();
    native.list = () => Promise.resolve(['Bees.md']);
    native.read = () => Promise.resolve('# Bees\n');
    held = [];
    says = { '/api/status': { vault: '/vault' }, '/api/vaults': { vaults: [] }, '/api/sessions': { sessions: [] } };
    native.request = ({ url }) => {
        const path = new URL(url).pathname;
        if (path in says) return Promise.resolve({ status: 200, text: JSON.stringify(says[path]) });
        return new Promise((resolve) => held.push({ path, answer: (text) => resolve({ status: 200, text }) }));
    };
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('refused')));
    const places = ['main', 'right', 'ribbon'].map((cls) => document.body.createDiv({ cls }));
    app = new App(places[0] as HTMLElement, places[1] as HTMLElement, places[2] as HTMLElement);
    await app.vault.standInLoad();
    app.saveLocalStorage('wellread-token', '0a1b');
    plugin = new WellreadPlugin(app as never, { id: 'wellread', name: 'Wellread', version: '0' } as never) as unknown as Plugin;
    await plugin.saveData({ address: 'http://127.0.0.1:8000' });
    plugin.load();
    await vi.waitFor(() => expect(app.standInCommands.size).toBeGreaterThan(0));
});
// The browser's own requests stay refused: one that is under way when a test ends must not reach this machine.
afterEach(() => plugin.unload());

it('has commands without hotkeys, those about a note only where one is open', () => {
    for (const command of app.standInCommands.values()) expect(command).not.toHaveProperty('hotkeys');
    expect(app.standInRun('research-note')).toBe(false);
    app.workspace.standInOpened(new TFile('Bees.md'), {});
    expect(app.standInCommands.get('research-note')?.checkCallback?.(true)).toBe(true);
});

it('leaves nothing behind when it is unloaded', () => {
    plugin.unload();
    expect([app.standInCommands.size, document.querySelectorAll('.ribbon button').length]).toEqual([0, 0]);
});

it('what was said before stands above a message that was sent before it arrived', async () => {
    delete says['/api/sessions'];
    app.workspace.standInOpened(new TFile('Bees.md'), {});
    app.standInRun('open-chat');
    await vi.waitFor(() => expect(held.map(({ path }) => path)).toContain('/api/sessions'));
    const field = document.querySelector('textarea') as HTMLTextAreaElement;
    field.value = 'now';
    field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter' }));
    says['/api/sessions/s1'] = { id: 's1', messages: [{ role: 'user', text: 'before' }], pending: [] };
    held[0]?.answer(JSON.stringify({ sessions: [{ id: 's1', active_file: 'Bees.md', last: '' }] }));
    const said = (): string[] => Array.from(document.querySelectorAll('.wellread-said'), (one) => one.textContent ?? '');
    await vi.waitFor(() => expect(said()).toEqual(['before', 'now']));
});

it('a link from elsewhere pairs only after the user has agreed', async () => {
    app.standInHandlers.get('wellread')?.({ action: 'wellread', address: 'http://192.0.2.1:8000', token: 'theirs' });
    expect(document.querySelector('.modal')?.textContent).toContain('http://192.0.2.1:8000, on another machine');
    expect(app.loadLocalStorage('wellread-token')).toBe('0a1b');
    const [pair] = Array.from(document.querySelectorAll<HTMLElement>('.modal button'));
    pair?.click();
    await vi.waitFor(async () => expect(await plugin.loadData()).toMatchObject({ address: 'http://192.0.2.1:8000' }));
    expect(app.loadLocalStorage('wellread-token')).toBe('theirs');
    expect(JSON.stringify(await plugin.loadData())).not.toContain('theirs');
});

it('follows the rules of the community store that no lint sees', () => {
    const read = (file: string): Record<string, string> => JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;
    const [manifest, versions, own] = [read('manifest.json'), read('versions.json'), read('package.json')];
    expect(manifest['version']).toBe(own['version']);
    expect(versions[manifest['version'] as string]).toBe(manifest['minAppVersion']);
    expect(manifest['description']).toMatch(/^.{1,249}\.$/);
    expect(`${manifest['id']} ${manifest['name']}`).not.toMatch(/obsidian|plugin/i);
    const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
    for (const name of sources) {
        const text = readFileSync(`src/${name}`, 'utf8');
        expect(text, name).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|console\.|window\.app|hotkeys|\(\?<[!=]/);
        expect(text.split('\n').length, name).toBeLessThan(250);
    }
    expect(readFileSync('styles.css', 'utf8')).not.toMatch(/#[0-9a-f]{3,8}\b|!important/i);
});
