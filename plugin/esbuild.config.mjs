// Builds the plugin into `build/`: `main.js`, and beside it what Obsidian reads with it.

import { cp, mkdir } from 'node:fs/promises';
import { build } from 'esbuild';
import { PAGE } from './page_alias.mjs';

await mkdir('build', { recursive: true });
await build({
    entryPoints: ['src/main.ts'],
    outfile: 'build/main.js',
    bundle: true,
    format: 'cjs',
    platform: 'browser',
    target: 'es2021',
    minify: true,
    alias: PAGE,
    // Node's modules can be had by `require` alone in Obsidian's window.
    supported: { 'dynamic-import': false },
    // Obsidian provides the first three; Node's modules exist only in its desktop app, and are loaded only there.
    external: ['obsidian', '@codemirror/state', '@codemirror/view', 'child_process', 'fs', 'os', 'path'],
    logLevel: 'warning',
});
for (const file of ['manifest.json', 'versions.json', 'styles.css']) await cp(file, `build/${file}`);
