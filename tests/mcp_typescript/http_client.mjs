// Drives `wellread serve` with the official TypeScript clients over HTTP: TOKEN=… node http_client.mjs URL VAULT AGENDA…
//
// The package with a handshake, and its successor in both of its modes. Each lists, calls, hears a call fail, reads resources, has its
// user asked, and waits for long work whose progress it hears; one without the token is refused. One of the agendas is cancelled by each
// client whose user agrees. Says `all good` at the end, and ends with an error otherwise.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client';
import { StreamableHTTPClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

import { clients, connect, fails, succeeds } from './checks.mjs';

const [URL_OF_SERVER, VAULT, ...AGENDAS] = process.argv.slice(2);
const url = () => new URL(`${URL_OF_SERVER}/mcp`);
const options = (token) => ({ requestInit: { headers: token ? { Authorization: `Bearer ${token}` } : {} } });
const CLIENTS = clients({
    first: (token = process.env.TOKEN) => new FirstTransport(url(), options(token)),
    modern: (token = process.env.TOKEN) => new ModernTransport(url(), options(token)),
});
const QUESTION = 'How is the varroa mite treated in winter?';
const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
/** A schema that takes whatever comes: the client has none for an extension. */
const ANYTHING = { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } };

async function lists(client, tools) {
    assert.ok(tools.length <= 15 && tools.some((tool) => tool.name === 'search_notes'), JSON.stringify(tools));
    const { prompts } = await client.listPrompts();
    assert.ok(prompts.some((prompt) => prompt.name === 'ask'));
}

async function calls(client) {
    const home = await succeeds(client, 'read_note', { path: 'Home' });
    assert.equal(home.content, readFileSync(join(VAULT, 'Home.md'), 'utf8'));
    const missing = await fails(client, 'read_note', { path: 'Varoa mite' });
    assert.match(missing.hint, /Varroa mite/);
    await fails(client, 'read_note', { path: '../../etc/passwd' });
    await assert.rejects(client.callTool({ name: 'read_a_mind', arguments: {} }), /read_a_mind/);
    // Many at once, over connections of their own.
    const reads = await Promise.all(Array.from({ length: 20 }, () => succeeds(client, 'read_note', { path: 'Home' })));
    assert.equal(reads.length, 20);
}

async function readsResources(client) {
    const { resourceTemplates } = await client.listResourceTemplates();
    assert.ok(resourceTemplates.some((template) => template.uriTemplate.startsWith('vault:')), JSON.stringify(resourceTemplates));
    await client.listResources();
    const { contents } = await client.readResource({ uri: 'vault:///Home.md' });
    assert.equal(contents[0].text, readFileSync(join(VAULT, 'Home.md'), 'utf8'));
    await assert.rejects(client.readResource({ uri: 'vault:///Nowhere.md' }));
}

/** Research takes its time: the client hears how far it is before it has the answer. */
async function waitsForResearch(kind, client) {
    const told = [];
    const request = { name: 'research_note', arguments: { path: 'Bees/Varroa mite', dry_run: true } };
    const result = await kind.call(client, request, { onprogress: (progress) => told.push(progress) });
    assert.equal(result.isError ?? false, false, JSON.stringify(result));
    const steps = told.map((one) => one.progress);
    assert.ok(steps.length >= 3 && steps.every((step, at) => at === 0 || step > steps[at - 1]), JSON.stringify(told));
}

/**
 * What was researched is a task, whose id is the run's. This client takes no task for the answer of a call (it says "Unsupported result
 * type"), so that the call is made by one that does not declare the extension; the client for Python does the whole of it.
 */
async function findsTask(kind) {
    let run;
    await connect(kind, {}, async (client) => {
        run = (await succeeds(client, 'ask', { query: QUESTION })).run_id;
    });
    await connect(kind, { capabilities: TASKS }, async (client) => {
        const request = (method, taskId) => client.request({ method, params: { taskId } }, ANYTHING);
        const task = await request('tasks/get', run);
        assert.equal(task.status, 'completed', JSON.stringify(task));
        assert.equal(task.result.structuredContent.run_id, run);
        await request('tasks/cancel', run);
        assert.equal((await request('tasks/get', run)).status, 'completed', 'what is over stays as it is');
        await assert.rejects(request('tasks/get', '00000000000009'), /no task/);
    });
}

async function asksTheUser(kind, id) {
    const cancel = { op: 'cancel', id };
    await connect(kind, {}, async (client) => {
        assert.match((await fails(client, 'agenda', cancel)).error, /only the user decides/);
    });
    for (const answer of [{ action: 'decline' }, { action: 'cancel' }, { action: 'accept', content: { agree: false } }]) {
        await connect(kind, { answer }, async (client, asked) => {
            assert.match((await fails(client, 'agenda', cancel)).error, /did not agree/);
            assert.equal(asked.length, 1);
            assert.match(asked[0], /Cancel this agenda\?\n- topic 1/);
        });
    }
    await connect(kind, { answer: { action: 'accept', content: { agree: true } } }, async (client, asked) => {
        assert.equal((await succeeds(client, 'agenda', { op: 'show', id })).status, 'pending');
        assert.equal((await succeeds(client, 'agenda', cancel)).status, 'cancelled');
        assert.equal(asked.length, 1);
    });
}

for (const [at, kind] of CLIENTS.entries()) {
    await connect(kind, {}, async (client, _, tools) => {
        await lists(client, tools);
        await calls(client);
        await readsResources(client);
        await waitsForResearch(kind, client);
    });
    await asksTheUser(kind, AGENDAS[at]);
    if (kind.isNew) {
        await findsTask(kind);
    }
    for (const token of ['', 'wrong']) {
        await assert.rejects(connect(kind, { server: token }, () => {}), `a client with the token '${token}' was let in`);
    }
    console.log(`${kind.name}: good`);
}
console.log('all good');
