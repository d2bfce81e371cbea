// Drives `wellread mcp` with the official TypeScript clients: node client.mjs BINARY VAULT DATA AGENDA…
//
// The package with a handshake, and its successor in both of its modes. Each checks structured content against the tool's
// output schema by itself, and throws where it does not fit, for failures too. One of the agendas is cancelled by each client
// whose user agrees. Says `all good` at the end, and ends with an error otherwise.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { StdioClientTransport as ModernTransport } from '@modelcontextprotocol/client/stdio';
import { StdioClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

import { clients, connect, fails, succeeds } from './checks.mjs';

const [BINARY, VAULT, DATA, ...AGENDAS] = process.argv.slice(2);
const FEW = { command: BINARY, args: ['mcp', '--vault', VAULT, '--data', DATA], stderr: 'inherit' };
const ALL = { ...FEW, args: [...FEW.args, '--tools', 'all'] };

const CLIENTS = clients({ first: (server) => new FirstTransport(server), modern: (server) => new ModernTransport(server) });

/** Runs `act` with a client that is connected to a server of its own. */
const withClient = (kind, answer, act, server = ALL) =>
    connect(kind, { answer, server }, async (client, asked, tools) => {
        if (server === ALL) {
            assert.ok(tools.length > 20 && tools.every((tool) => tool.outputSchema), 'every tool has an output schema');
        } else {
            assert.ok(tools.length <= 15, 'few tools');
        }
        await act(client, asked);
    });

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
