// The page in which the plugin is driven: a window with an editor and a sidebar, and the built plugin loaded as Obsidian loads it.

import '../stand_in/dom';
import * as state from '@codemirror/state';
import * as view from '@codemirror/view';
import { native, Platform, type NativeReply, type NativeRequest } from '../stand_in/native';
import * as obsidian from '../stand_in/obsidian';

declare global {
    interface Window {
        nativeRequest(request: NativeRequest): Promise<NativeReply | null>;
        nativeList(): Promise<string[]>;
        nativeRead(path: string): Promise<string>;
        nativeWrite(path: string, text: string): Promise<void>;
        standIn: { app: obsidian.App; plugin: obsidian.Plugin; obsidian: typeof obsidian };
        start(stored: unknown, links: Record<string, Record<string, number>>, mobile?: boolean): Promise<void>;
    }
}

const MODULES: Record<string, unknown> = { obsidian, '@codemirror/state': state, '@codemirror/view': view };

native.request = async (request) => {
    const reply = await window.nativeRequest(request);
    if (!reply) throw new Error('net::ERR_CONNECTION_REFUSED');
    return reply;
};
native.list = () => window.nativeList();
native.read = (path) => window.nativeRead(path);
native.write = (path, text) => window.nativeWrite(path, text);

window.start = async (stored, links, mobile = false) => {
    if (mobile) Object.assign(Platform, { isDesktop: false, isDesktopApp: false, isMobile: true });
    const place = (name: string): HTMLElement => document.querySelector<HTMLElement>(name)!;
    const app = new obsidian.App(place('.main'), place('.right'), place('.ribbon'));
    await app.vault.standInLoad();
    app.metadataCache.resolvedLinks = links;
    const code = await (await fetch('/plugin/main.js')).text();
    const module = { exports: {} as { default?: new (app: obsidian.App, manifest: object) => obsidian.Plugin } };
    const require = (name: string): unknown => {
        if (name in MODULES) return MODULES[name];
        throw new Error(`there is no module ${name} in a browser`);
    };
    new Function('module', 'exports', 'require', code)(module, module.exports, require);
    const plugin = new module.exports.default!(app, { id: 'wellread', name: 'Wellread', version: '0' });
    await plugin.saveData(stored);
    window.standIn = { app, plugin, obsidian };
    plugin.load();
};
