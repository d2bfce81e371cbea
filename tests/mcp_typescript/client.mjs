// Drives `wellread mcp` with the official TypeScript clients: node client.mjs BINARY VAULT DATA AGENDA…
//
// The package with a handshake, and its successor in both of its modes. Each checks structured content against the tool's
// output schema by itself, and throws where it does not fit, for failures too. One of the agendas is cancelled by each client
// whose user agrees. Says `all good` at the end, and ends with an error otherwise.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { Client as ModernClient } from '@modelcontextprotocol/client';
import { StdioClientTransport as ModernTransport } from '@modelcontextprotocol/client/stdio';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';

const [BINARY, VAULT, DATA, ...AGENDAS] = process.argv.slice(2);
const ME = { name: 'test', version: '1' };
const FEW = { command: BINARY, args: ['mcp', '--vault', VAULT, '--data', DATA], stderr: 'inherit' };
const ALL = { ...FEW, args: [...FEW.args, '--tools', 'all'] };

const CLIENTS = [
    {
        name: 'the first package',
        make: (options, server) => [new FirstClient(ME, options), new FirstTransport(server)],
        elicit: (client, handler) => client.setRequestHandler(ElicitRequestSchema, handler),
    },
    ...['legacy', { pin: '2026-07-28' }].map((mode) => ({
        name: `its successor, ${JSON.stringify(mode)}`,
        make: (options, server) => [new ModernClient(ME, { ...options, versionNegotiation: { mode } }), new ModernTransport(server)],
        elicit: (client, handler) => client.setRequestHandler('elicitation/create', handler),
    })),
];

/** Runs `act` with a connected client; `answer` is what its user says to every question, if it can ask at all. */
async function withClient({ make, elicit }, answer, act, server = ALL) {
    const [client, transport] = make({ capabilities: answer ? { elicitation: {} } : {} }, server);
    const asked = [];
    if (answer) {
        elicit(client, async ({ params }) => {
            asked.push(params.message);
            return answer;
        });
    }
    await client.connect(transport);
    try {
        // The client learns the output schemas here.
        const { tools } = await client.listTools();
        if (server === ALL) {
            assert.ok(tools.length > 20 && tools.every((tool) => tool.outputSchema), 'every tool has an output schema');
        } else {
            assert.ok(tools.length <= 15, 'few tools');
        }
        await act(client, asked);
    } finally {
        await client.close();
    }
}

async function succeeds(client, name, args) {
    const result = await client.callTool({ name, arguments: args });
    assert.equal(result.isError ?? false, false, JSON.stringify(result));
    assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent);
    return result.structuredContent;
}

async function fails(client, name, args) {
    const result = await client.callTool({ name, arguments: args });
    assert.equal(result.isError, true, JSON.stringify(result));
    const failure = JSON.parse(result.content[0].text);
    assert.equal(failure.success, false);
    assert.ok(failure.error, JSON.stringify(failure));
    return failure;
}

async function calls(client) {
    const home = await succeeds(client, 'read_file', { path: 'Home' });
    assert.equal(home.content, readFileSync(join(VAULT, 'Home.md'), 'utf8'));
    await succeeds(client, 'find_backlinks', { note_name: 'Varroa mite' });
    const missing = await fails(client, 'read_file', { path: 'Varoa mite' });
    assert.match(missing.error, /^File not found:/);
    assert.match(missing.hint, /Varroa mite/);
    await fails(client, 'read_file', { path: '../../etc/passwd' });
    await fails(client, 'read_file', { path: 'Home', length: 'many' });
    await fails(client, 'create_file', { path: 'Home.md', content: 'over it' });
    await fails(client, 'search_by_date_range', { start_date: 'soon', end_date: 'later' });
    await fails(client, 'show_agenda', { id: '00000000000009' });
}

for (const [at, kind] of CLIENTS.entries()) {
    const id = AGENDAS[at];
    await withClient(kind, null, async (client) => {
        await calls(client);
        const refused = await fails(client, 'cancel_agenda', { id });
        assert.match(refused.error, /only the user decides/);
        assert.match(refused.hint, /mcp\.decides/);
    });
    for (const answer of [{ action: 'decline' }, { action: 'cancel' }, { action: 'accept', content: { agree: false } }]) {
        await withClient(kind, answer, async (client, asked) => {
            const refused = await fails(client, 'cancel_agenda', { id });
            assert.match(refused.error, /did not agree/);
            assert.equal(asked.length, 1);
            assert.match(asked[0], /Cancel this agenda\?\n- topic 1/);
        });
    }
    await withClient(kind, { action: 'accept', content: { agree: true } }, async (client, asked) => {
        assert.equal((await succeeds(client, 'show_agenda', { id })).status, 'pending');
        assert.equal((await succeeds(client, 'cancel_agenda', { id })).status, 'cancelled');
        assert.equal(asked.length, 1);
    });
    const other = AGENDAS[CLIENTS.length + at];
    const cancel = { op: 'cancel', id: other };
    await withClient(kind, null, async (client) => {
        const home = await succeeds(client, 'read_note', { path: 'Home' });
        assert.equal(home.content, readFileSync(join(VAULT, 'Home.md'), 'utf8'));
        const refused = await fails(client, 'agenda', cancel);
        assert.match(refused.error, /only the user decides/);
        await assert.rejects(client.callTool({ name: 'cancel_agenda', arguments: { id: other } }), /--tools all/);
    }, FEW);
    await withClient(kind, { action: 'decline' }, async (client, asked) => {
        assert.match((await fails(client, 'agenda', cancel)).error, /did not agree/);
        assert.match(asked[0], /Cancel this agenda\?\n- topic 1/);
    }, FEW);
    await withClient(kind, { action: 'accept', content: { agree: true } }, async (client, asked) => {
        assert.equal((await succeeds(client, 'agenda', { op: 'show', id: other })).status, 'pending');
        assert.equal((await succeeds(client, 'agenda', cancel)).status, 'cancelled');
        assert.equal(asked.length, 1);
    }, FEW);
    console.log(`${kind.name}: good`);
}
console.log('all good');
