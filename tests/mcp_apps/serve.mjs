// A host of MCP Apps for tests: node serve.mjs BINARY VAULT DATA
//
// Serves a page whose client speaks to a `wellread mcp` process of its own for as long as the page is open, and, from another
// origin, the proxy in whose frame views are shown, under the policy that the specification has for views that ask for nothing.
// Says the address of the page.

import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';

import { buildSync } from 'esbuild';

const [BINARY, VAULT, DATA] = process.argv.slice(2);
const POLICY =
    "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
    "media-src 'self' data:; connect-src 'none'";
const local = (name) => new URL(name, import.meta.url);
const bundled = buildSync({ entryPoints: [local('host.js').pathname], bundle: true, format: 'esm', write: false });
const script = bundled.outputFiles[0].text;
const servers = new Map();

/** A process for one page: what it says is streamed, and it ends with the stream. */
function startServer(query, response) {
    const args = ['--offline', 'mcp', '--vault', VAULT, '--data', DATA, ...query.getAll('arg')];
    // By words alone, which takes no time.
    const env = { ...process.env, WELLREAD_EMBEDDING_NAME: 'all-MiniLM-L6-v2', WELLREAD_GATE_VERIFIER: 'off' };
    const child = spawn(BINARY, args, { env, stdio: ['pipe', 'pipe', 'inherit'] });
    const id = randomUUID();
    servers.set(id, child);
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.write(`data: ${JSON.stringify({ id })}\n\n`);
    createInterface({ input: child.stdout }).on('line', (line) => response.write(`data: ${line}\n\n`));
    response.on('close', () => {
        servers.delete(id);
        child.stdin.end();
    });
}

async function answer(request, response) {
    const { pathname, searchParams } = new URL(request.url, 'http://localhost');
    const say = (type, text, headers = {}) => response.writeHead(200, { 'Content-Type': type, ...headers }).end(text);
    if (pathname === '/') say('text/html', readFileSync(local('host.html')));
    else if (pathname === '/host.js') say('text/javascript', script);
    else if (pathname === '/sandbox.html') say('text/html', readFileSync(local('sandbox.html')), { 'Content-Security-Policy': POLICY });
    else if (pathname === '/lines') startServer(searchParams, response);
    else if (pathname === '/say') {
        let body = '';
        for await (const chunk of request) body += chunk;
        servers.get(searchParams.get('id')).stdin.write(`${body}\n`);
        response.writeHead(204).end();
    } else response.writeHead(404).end();
}

const listen = () =>
    new Promise((resolve) => {
        const server = createServer(answer).listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${server.address().port}`));
    });
const [page, sandbox] = [await listen(), await listen()];
console.log(`${page}/?sandbox=${encodeURIComponent(sandbox)}`);
