// All that a test in the browser needs around the plugin: a copy of the example vault, a real server for it with a scripted model
// and a small web, the page, and a browser.

import { spawn } from 'node:child_process';
import { cp, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { chromium } from 'playwright-core';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const PLUGIN = join(HERE, '../..');
const TYPES = { html: 'text/html', css: 'text/css', js: 'text/javascript' };

/** A copy of the example vault and everything around it in a folder that goes with `close`. */
export async function makeFolder() {
    const folder = await mkdtemp(join(tmpdir(), 'wellread-plugin-'));
    const vault = join(folder, 'vault');
    await cp(join(PLUGIN, '../examples/vault'), vault, { recursive: true });
    return { folder, vault, close: () => rm(folder, { recursive: true, force: true }) };
}

/** The variables of a server that knows nothing of this machine's own settings. */
export function environment(folder, more = {}) {
    const own = Object.fromEntries(['CONFIG', 'DATA', 'CACHE', 'STATE'].map((name) => [`XDG_${name}_HOME`, join(folder, name.toLowerCase())]));
    return { PATH: process.env.PATH, HOME: folder, ...own, ...more };
}

export async function startServer(program, { folder, vault }, variables) {
    const child = spawn(program, ['--vault', vault, 'serve', '--port', '0', '--json'], {
        env: environment(folder, variables),
        stdio: ['ignore', 'pipe', 'inherit'],
    });
    const line = await new Promise((resolve, reject) => {
        let printed = '';
        child.stdout.on('data', (piece) => ((printed += piece).includes('\n') ? resolve(printed) : undefined));
        child.once('exit', (code) => reject(new Error(`the server ended with status ${code}`)));
    });
    const { url, token_file: file } = JSON.parse(line);
    const token = (await readFile(file, 'utf8')).trim();
    return { url, token, announced: line.trim(), stop: () => new Promise((resolve) => (child.once('exit', resolve), child.kill())) };
}

/** The page's files: the page, its script, and the plugin as it was built. */
export async function startPage() {
    const made = await build({ entryPoints: [join(HERE, 'page.ts')], bundle: true, write: false, format: 'iife', target: 'es2022' });
    const files = new Map([['/page.js', made.outputFiles[0].text]]);
    for (const [path, file] of [
        ['/', join(HERE, 'page.html')],
        ['/theme.css', join(HERE, 'theme.css')],
        ['/plugin/main.js', join(PLUGIN, 'build/main.js')],
        ['/plugin/styles.css', join(PLUGIN, 'build/styles.css')],
    ])
        files.set(path, await readFile(file, 'utf8'));
    const server = createServer((request, response) => {
        const found = files.get(request.url);
        response.statusCode = found === undefined ? 404 : 200;
        response.setHeader('content-type', TYPES[request.url.split('.').pop()] ?? 'text/html');
        response.end(found ?? '');
    });
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    return { origin: `http://localhost:${server.address().port}`, close: () => server.close() };
}

export function openBrowser() {
    const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
    return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
}

/** A window with the vault in it and the plugin loaded. What goes wrong in it is kept in `errors`. */
export async function openWindow(browser, origin, vault, { settings = {}, links = {}, mobile = false, size = { width: 1280, height: 860 } } = {}) {
    const page = await browser.newPage({ viewport: size });
    const errors = [];
    page.on('pageerror', (error) => errors.push(String(error)));
    await page.exposeFunction('nativeRequest', nativeRequest);
    await page.exposeFunction('nativeList', async () => (await readdir(vault, { recursive: true })).filter((path) => path.endsWith('.md')));
    await page.exposeFunction('nativeRead', (path) => readFile(join(vault, path), 'utf8'));
    await page.exposeFunction('nativeWrite', (path, text) => writeFile(join(vault, path), text));
    await page.goto(origin);
    await page.evaluate(([stored, known, phone]) => window.start(stored, known, phone), [settings, links, mobile]);
    return { page, errors };
}

/** A request that is not made by the browser: without an origin, as Obsidian makes it. */
async function nativeRequest({ url, method = 'GET', headers = {}, body }) {
    try {
        const response = await fetch(url, { method, headers, body });
        return { status: response.status, text: await response.text() };
    } catch {
        return null;
    }
}
