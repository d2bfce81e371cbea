// The page of the host: a client of the server, and a bridge to the view that it shows, both as others wrote them.
//
// Its address says what it is like: `revision` (the protocol's), `asks` (whether it puts questions to the user), `tools` (whether a
// view may call tools), `theme`. The test calls `host.show` and reads what was `heard`.

import { Client } from '@modelcontextprotocol/client';
import { AppBridge, PostMessageTransport, getToolUiResourceUri } from '@modelcontextprotocol/ext-apps/app-bridge';

const query = new URLSearchParams(location.search);
const KIND = 'text/html;profile=mcp-app';
const ME = { name: 'host of the tests', version: '1' };
const question = document.getElementById('question');
const heard = { opened: [], asked: [], called: [], sizes: [] };

/** The line to the process that the server started for this page. */
class Line {
    async start() {
        const args = query.getAll('arg').map((arg) => `arg=${encodeURIComponent(arg)}`);
        const events = new EventSource(`/lines?${args.join('&')}`);
        this.events = events;
        this.id = await new Promise((resolve) => {
            events.onmessage = ({ data }) => resolve(JSON.parse(data).id);
        });
        events.onmessage = ({ data }) => this.onmessage?.(JSON.parse(data));
    }

    async send(message) {
        if (message.method === 'tools/call') heard.called.push(message.params);
        await fetch(`/say?id=${this.id}`, { method: 'POST', body: JSON.stringify(message) });
    }

    async close() {
        this.events.close();
        this.onclose?.();
    }
}

/** What the user says to a question. */
function ask({ params }) {
    heard.asked.push(params.message);
    question.querySelector('pre').textContent = params.message;
    question.showModal();
    return new Promise((resolve) => {
        question.onclose = () =>
            resolve(question.returnValue === 'yes' ? { action: 'accept', content: { agree: true } } : { action: 'decline' });
    });
}

async function connect() {
    const capabilities = {
        ...(query.get('asks') === 'no' ? {} : { elicitation: {} }),
        extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: [KIND] } },
    };
    const revision = query.get('revision');
    const mode = revision ? { pin: revision } : 'legacy';
    const client = new Client(ME, { capabilities, versionNegotiation: { mode } });
    if (capabilities.elicitation) client.setRequestHandler('elicitation/create', ask);
    await client.connect(new Line());
    return client;
}

const client = await connect();
const { tools } = await client.listTools();
let bridge;

/** Calls a tool, and shows the view that it names beside its answer. */
async function show(name, args) {
    await bridge?.close();
    const tool = tools.find((one) => one.name === name);
    const uri = getToolUiResourceUri(tool);
    const { contents } = await client.readResource({ uri });
    const [{ mimeType, text: html, _meta }] = contents;
    if (mimeType !== KIND) throw new Error(`the view is ${mimeType}`);
    const frame = document.createElement('iframe');
    frame.id = 'outer';
    frame.title = 'A sandbox';
    document.getElementById('place').replaceChildren(frame);
    const capabilities = { openLinks: {}, ...(query.get('tools') === 'no' ? {} : { serverTools: {} }) };
    bridge = new AppBridge(client, ME, capabilities, { hostContext: { theme: query.get('theme') ?? 'light' } });
    bridge.onopenlink = async ({ url }) => {
        heard.opened.push(url);
        return {};
    };
    const isReady = new Promise((resolve) => bridge.addEventListener('sandboxready', resolve));
    const isInitialized = new Promise((resolve) => bridge.addEventListener('initialized', resolve));
    bridge.addEventListener('sizechange', ({ height }) => {
        heard.sizes.push(height);
        frame.style.height = `${height}px`;
    });
    await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
    frame.src = `${query.get('sandbox')}/sandbox.html`;
    await isReady;
    await bridge.sendSandboxResourceReady({ html, csp: _meta.ui.csp });
    await isInitialized;
    await bridge.sendToolInput({ arguments: args });
    const result = await client.callTool({ name, arguments: args });
    await bridge.sendToolResult(result);
    return result.structuredContent ?? JSON.parse(result.content[0].text);
}

async function call(name, args) {
    const result = await client.callTool({ name, arguments: args });
    return JSON.parse(result.content[0].text);
}

document.body.className = query.get('theme') ?? 'light';
window.host = {
    show,
    call,
    heard,
    views: tools.filter((tool) => getToolUiResourceUri(tool)).map(({ name }) => name),
    setTheme: (theme) => bridge.sendHostContextChange({ theme }),
};
document.title = 'A host that is ready';
