// The line to the host of the view, a client of the Model Context Protocol: JSON-RPC by messages between windows, as MCP Apps
// (SEP-1865) describe it. The host passes calls of tools on to the server; there is no other way out of here.

const PROTOCOL = '2026-01-26';
const UNKNOWN_METHOD = -32601;

/** Why a call came to nothing, in the words of the server or the host. */
export class Refusal extends Error {
    constructor(said, hint = '') {
        super(said);
        this.title = 'Not done';
        this.detail = said;
        this.hint = hint;
        this.isOutside = true;
    }
}

/** The host's end. `heard` has a function for each of its notifications that matters: `input`, `result`, `cancelled`, `context`. */
export function openLine(heard) {
    const waiting = new Map();
    let last = 0;
    let can = {};
    const post = (message) => parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
    const ask = (method, params) =>
        new Promise((resolve, reject) => {
            last += 1;
            waiting.set(last, { resolve, reject });
            post({ id: last, method, params });
        });
    const settle = ({ id, result, error }) => {
        const one = waiting.get(id);
        waiting.delete(id);
        if (error) one?.reject(new Refusal(String(error.message ?? 'the client could not do it')));
        else one?.resolve(result);
    };
    const answer = ({ id, method }) => {
        const isKnown = method === 'ping' || method === 'ui/resource-teardown';
        post(isKnown ? { id, result: {} } : { id, error: { code: UNKNOWN_METHOD, message: `there is no method ${method}` } });
    };
    const tell = (method, params) => {
        if (method === 'ui/notifications/tool-input') heard.input(params?.arguments ?? {});
        if (method === 'ui/notifications/tool-result') heard.result(read(params));
        if (method === 'ui/notifications/tool-cancelled') heard.cancelled();
        if (method === 'ui/notifications/host-context-changed') heard.context(params ?? {});
    };
    addEventListener('message', ({ source, data }) => {
        // Only the window around this one is the host.
        if (source !== parent || data?.jsonrpc !== '2.0') return;
        if (data.method === undefined) settle(data);
        else if (data.id !== undefined) answer(data);
        else tell(data.method, data.params);
    });
    return {
        async start(version) {
            const about = { name: 'Wellread', version };
            const said = await ask('ui/initialize', { appInfo: about, appCapabilities: {}, protocolVersion: PROTOCOL });
            can = said?.hostCapabilities ?? {};
            heard.context(said?.hostContext ?? {});
            post({ method: 'ui/notifications/initialized', params: {} });
        },
        /** Whether it passes calls of tools on. */
        callsTools: () => Boolean(can.serverTools),
        opensLinks: () => Boolean(can.openLinks),
        /** What a tool of the server answers; a `Refusal` where it did not do it. */
        async call({ name, arguments: given }) {
            const answered = read(await ask('tools/call', { name, arguments: given }));
            if (answered.success) return answered;
            throw refusal(answered);
        },
        openLink: (url) => ask('ui/open-link', { url }),
        tellSize: (height) => post({ method: 'ui/notifications/size-changed', params: { height } }),
    };
}

/** What a failed answer says. */
export function refusal({ error, hint }) {
    return new Refusal(error || 'it was not done', hint);
}

/** The one JSON object that every tool answers with. It stands in the text, too, where a host passes on nothing else. */
function read(result) {
    const said = result?.structuredContent ?? parse(result?.content?.find(({ type }) => type === 'text')?.text);
    return said && typeof said === 'object' ? said : { success: false, error: 'the client passed no answer on' };
}

function parse(text) {
    try {
        return JSON.parse(text);
    } catch {
        return text ? { success: false, error: text } : null;
    }
}
