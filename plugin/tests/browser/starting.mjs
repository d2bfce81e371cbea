// The part that only the desktop app has, run in Node: the program is found and started, its token read, and it ends when it is told to.

import { strict as assert } from 'node:assert';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { environment } from './stage.mjs';

const PLUGIN = fileURLToPath(new URL('../..', import.meta.url));

export async function startsServer({ program, folder, vault }) {
    const made = join(folder, 'desktop.mjs');
    const { outputFiles } = await build({
        stdin: { contents: `export * from './src/server/desktop'; export * from './src/server/running_server';`, resolveDir: PLUGIN, loader: 'ts' },
        bundle: true,
        write: false,
        format: 'esm',
        platform: 'node',
        alias: { obsidian: join(PLUGIN, 'tests/stand_in/native.ts') },
    });
    await writeFile(made, outputFiles[0].text);
    const { findProgram, findRunningServer, startServer } = await import(made);
    const own = environment(folder);
    Object.assign(process.env, own, { PATH: own.PATH });
    assert.equal(await findProgram(program), program);
    await assert.rejects(findProgram('/nowhere/wellread'), { title: 'Wellread is not installed here' });
    await assert.rejects(startServer(program, join(folder, 'no-vault'), 'app://obsidian.md'), { title: 'Wellread did not start' });

    const started = await startServer(program, vault, 'app://obsidian.md');
    const ended = new Promise((resolve) => started.onEnd(resolve));
    const headers = { Authorization: `Bearer ${started.token}` };
    assert.equal((await fetch(`${started.address}/api/status`, { headers })).status, 200);
    const asked = await fetch(`${started.address}/chat`, {
        method: 'OPTIONS',
        headers: { Origin: 'app://obsidian.md', 'Access-Control-Request-Method': 'POST' },
    });
    assert.equal(asked.headers.get('access-control-allow-origin'), 'app://obsidian.md');

    // A server that runs already is found by the settings of the program.
    const port = new URL(started.address).port;
    process.env.API_PORT = port;
    assert.deepEqual(await findRunningServer(program, vault), { address: started.address, token: started.token });
    started.stop();
    await ended;
}
