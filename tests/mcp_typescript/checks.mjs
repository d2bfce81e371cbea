// What every client of these tests expects of a call. Imported by those that drive `wellread mcp` and `wellread serve`.

import assert from 'node:assert/strict';

import { Client as ModernClient } from '@modelcontextprotocol/client';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';

const ME = { name: 'test', version: '1' };

/** The package with a handshake, and its successor in both of its modes. `transport` has a way to the server for either. */
export const clients = (transport) => [
    {
        name: 'the first package',
        make: (options, server) => [new FirstClient(ME, options), transport.first(server)],
        call: (client, request, options) => client.callTool(request, undefined, options),
        elicit: (client, handler) => client.setRequestHandler(ElicitRequestSchema, handler),
    },
    ...['legacy', { pin: '2026-07-28' }].map((mode) => ({
        name: `its successor, ${JSON.stringify(mode)}`,
        isNew: mode !== 'legacy',
        make: (options, server) => [new ModernClient(ME, { ...options, versionNegotiation: { mode } }), transport.modern(server)],
        call: (client, request, options) => client.callTool(request, options),
        elicit: (client, handler) => client.setRequestHandler('elicitation/create', handler),
    })),
];

/** Runs `act` with a connected client; `answer` is what its user says to every question, if it can ask at all. */
export async function connect({ make, elicit }, { answer = null, capabilities = {}, server = undefined }, act) {
    const [client, transport] = make({ capabilities: { ...capabilities, ...(answer ? { elicitation: {} } : {}) } }, server);
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
        await act(client, asked, tools);
    } finally {
        await client.close();
    }
}

export async function succeeds(client, name, args) {
    const result = await client.callTool({ name, arguments: args });
    assert.equal(result.isError ?? false, false, JSON.stringify(result));
    assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent);
    return result.structuredContent;
}

export async function fails(client, name, args) {
    const result = await client.callTool({ name, arguments: args });
    assert.equal(result.isError, true, JSON.stringify(result));
    const failure = JSON.parse(result.content[0].text);
    assert.equal(failure.success, false);
    assert.ok(failure.error, JSON.stringify(failure));
    return failure;
}
