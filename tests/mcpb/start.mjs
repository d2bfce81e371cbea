// How a desktop app starts the server of an unpacked bundle: node start.mjs FOLDER VAULT READ_ONLY
//
// Prints command, arguments and variables, as the format's own package makes them of the manifest and of what the user chose. READ_ONLY is
// `true`, `false`, or `default` where the user chose nothing.

import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, sep } from 'node:path';

import { getMcpConfigForManifest } from '@anthropic-ai/mcpb';

const [folder, vault, readOnly] = process.argv.slice(2);
const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
const chosen = { vault, ...(readOnly === 'default' ? {} : { read_only: readOnly === 'true' }) };
const start = (userConfig) =>
    getMcpConfigForManifest({ manifest, extensionPath: folder, systemDirs: { HOME: homedir() }, userConfig, pathSeparator: sep });
if ((await start({})) !== undefined) {
    throw new Error('the server starts though nobody said where the notes are');
}
console.log(JSON.stringify(await start(chosen)));
