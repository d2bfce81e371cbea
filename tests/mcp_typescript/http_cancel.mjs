// Calls off research over HTTP with the official TypeScript clients: TOKEN=… node http_cancel.mjs URL
//
// The model behind the server never answers. Each client begins to research the note `Bees`, hears that it has begun, and calls it off; then the
// server still answers. Says `all good` at the end, and ends with an error otherwise.

import assert from 'node:assert/strict';

import { StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client';
import { StreamableHTTPClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

import { clients, connect, succeeds } from './checks.mjs';

const url = () => new URL(`${process.argv[2]}/mcp`);
const options = { requestInit: { headers: { Authorization: `Bearer ${process.env.TOKEN}` } } };
const CLIENTS = clients({
    first: () => new FirstTransport(url(), options),
    modern: () => new ModernTransport(url(), options),
});
const RESEARCH = { name: 'research_note', arguments: { path: 'Bees' } };

for (const kind of CLIENTS) {
    await connect(kind, {}, async (client) => {
        const abort = new AbortController();
        const heard = { signal: abort.signal, onprogress: () => abort.abort('the user changed their mind') };
        await assert.rejects(kind.call(client, RESEARCH, heard), /changed their mind/);
        await succeeds(client, 'read_note', { path: 'Bees' });
    });
    console.log(`${kind.name}: good`);
}
console.log('all good');
