// Connects to the server's /mcp by OAuth, with the official TypeScript clients: TOKEN=… node oauth.mjs URL VAULT
//
// The package with a handshake, and its successor in both of its modes. Each finds the authorization server, registers, and sends its
// user to the page of consent. The user is played here: signs in with the token and allows reading alone. Says `all good` at the end,
// and ends with an error otherwise.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const [URL_OF_SERVER, VAULT] = process.argv.slice(2);
const { TOKEN } = process.env;
const ENDPOINT = new URL('/mcp', URL_OF_SERVER);
const CALLBACK = 'http://127.0.0.1:4711/callback';
const ME = { name: 'test', version: '1' };

const CLIENTS = [
    {
        name: 'the first package',
        make: (authProvider) => [new FirstClient(ME), new FirstTransport(ENDPOINT, { authProvider })],
        finish: (transport, answer) => transport.finishAuth(answer.get('code')),
    },
    ...['legacy', { pin: '2026-07-28' }].map((mode) => ({
        name: `its successor, ${JSON.stringify(mode)}`,
        make: (authProvider) => [new ModernClient(ME, { versionNegotiation: { mode } }), new ModernTransport(ENDPOINT, { authProvider })],
        finish: (transport, answer) => transport.finishAuth(answer),
    })),
];

/** What a client keeps, and where it sends its user. */
class Provider {
    kept = {};
    visits = [];

    get redirectUrl() {
        return CALLBACK;
    }

    get clientMetadata() {
        return { client_name: 'The TypeScript client', redirect_uris: [CALLBACK], token_endpoint_auth_method: 'none' };
    }

    state() {
        return 'a state';
    }

    clientInformation() {
        return this.kept.client;
    }

    saveClientInformation(client) {
        this.kept.client = client;
    }

    tokens() {
        return this.kept.tokens;
    }

    saveTokens(tokens) {
        this.kept.tokens = tokens;
    }

    redirectToAuthorization(address) {
        this.visits.push(address);
    }

    saveCodeVerifier(verifier) {
        this.kept.verifier = verifier;
    }

    codeVerifier() {
        return this.kept.verifier;
    }

    discoveryState() {
        return this.kept.discovery;
    }

    saveDiscoveryState(discovery) {
        this.kept.discovery = discovery;
    }
}

/** The user's browser: signs in, allows reading, and is sent back with an answer. */
async function consent(address) {
    assert.equal((await fetch(address)).status, 200);
    const query = address.search.slice(1);
    const opened = await fetch(new URL('/open', URL_OF_SERVER), { method: 'POST', body: new URLSearchParams({ token: TOKEN }) });
    const [, key] = /content="(\w{64})"/.exec(await opened.text());
    const headers = {
        'Content-Type': 'application/json',
        'X-Wellread-Key': key,
        Cookie: opened.headers.get('set-cookie').split(';')[0],
    };
    const say = async (path, body) => {
        const answer = await fetch(new URL(path, URL_OF_SERVER), { method: 'POST', headers, body: JSON.stringify({ query, ...body }) });
        assert.equal(answer.status, 200, path);
        return answer.json();
    };
    const { vaults } = await say('/oauth/consent/request', {});
    const { redirect } = await say('/oauth/consent', { allow: true, scopes: ['read'], vaults });
    assert.ok(redirect.startsWith(`${CALLBACK}?`), redirect);
    const answer = new URL(redirect).searchParams;
    assert.equal(answer.get('state'), 'a state');
    assert.equal(answer.get('iss'), URL_OF_SERVER);
    return answer;
}

for (const { name, make, finish } of CLIENTS) {
    const provider = new Provider();
    const [stranger, first] = make(provider);
    await assert.rejects(stranger.connect(first));
    assert.ok(provider.visits.length > 0, 'the user was sent to the page of consent');
    await finish(first, await consent(provider.visits.at(-1)));
    assert.equal(provider.kept.tokens.scope, 'read');

    const [client, transport] = make(provider);
    await client.connect(transport);
    const { tools } = await client.listTools();
    const names = tools.map((tool) => tool.name);
    assert.ok(names.includes('read_note') && !names.includes('edit_note'), names.join());
    const read = async () => {
        const home = await client.callTool({ name: 'read_note', arguments: { path: 'Home' } });
        assert.equal(home.structuredContent.content, readFileSync(join(VAULT, 'Home.md'), 'utf8'));
    };
    await read();

    // The token has run out: the client gets another by itself, and the user is not asked.
    const visits = provider.visits.length;
    const before = provider.kept.tokens;
    provider.kept.tokens = { ...before, access_token: before.access_token.replace(/.$/, (last) => (last === '0' ? '1' : '0')) };
    await read();
    assert.notEqual(provider.kept.tokens.refresh_token, before.refresh_token);
    assert.equal(provider.visits.length, visits);

    const edit = { name: 'edit_note', arguments: { op: 'append', path: 'Home', content: 'not allowed' } };
    await assert.rejects(client.callTool(edit));
    assert.ok(!readFileSync(join(VAULT, 'Home.md'), 'utf8').includes('not allowed'));
    await client.close();
    console.log(`${name}: good`);
}
console.log('all good');
