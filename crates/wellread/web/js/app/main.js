// The view in a client (MCP Apps): shows what a tool answered, made of the page's own modules. What the server knows about the
// view stands in the document as JSON; everything else comes from the host.

import { problem, wait } from '../pieces.js';
import { claimsView } from './claims.js';
import { differenceView } from './difference.js';
import { findingsView, oneFinding } from './findings.js';
import { openLine, refusal } from './host.js';
import { leadOut } from './links.js';

/** `tool`: the one whose answer is shown; `calls`: how tools of the catalog are called; the vaults' names as far as they matter. */
const offer = JSON.parse(document.getElementById('offer').textContent);
const view = document.getElementById('view');
let input = {};

const line = openLine({
    input: (given) => (input = given),
    result: show,
    cancelled: () => put(problem({ title: 'Cancelled', detail: 'the call was cancelled' })),
    context({ theme }) {
        if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
    },
});

/** What parts of the view need of the outside. */
const tools = {
    canCall: (tool) => line.callsTools() && Object.hasOwn(offer.calls, tool),
    call(tool, given) {
        const { name, arguments: fixed } = offer.calls[tool];
        return line.call({ name, arguments: { ...given, ...fixed, ...vault() } });
    },
    ready: (node) => leadOut(node, { open: line.opensLinks() ? open : null, obsidian: isFirstVault() ? offer.obsidian : null }),
};

/** The vault that the shown call was about. */
function vault() {
    return input.vault === undefined ? {} : { vault: input.vault };
}

function isFirstVault() {
    return !input.vault || String(input.vault).toLowerCase() === offer.vault?.toLowerCase();
}

function open(address) {
    line.openLink(address).catch(() => {});
}

/** What makes the edit that a dry run showed, and no other; nothing where that can't be had. */
function again(answer) {
    if (!line.callsTools() || !answer.diff) return null;
    const { dry_run: _, ...given } = input;
    const make = (more) => line.call({ name: offer.tool, arguments: { ...given, ...more } });
    // A run is written as it was shown. What a model would write anew is another text.
    if (answer.topics_researched !== undefined) {
        const { op, path } = given;
        const shown = { ...(op && { op }), path, preview_run: answer.run_id, ...vault() };
        return () => line.call({ name: offer.tool, arguments: shown });
    }
    if (answer.run_id) return null;
    return async () => {
        const now = await make({ dry_run: true });
        if (now.diff === answer.diff) return make({});
        show(now);
        return now;
    };
}

function show(answer) {
    if (!answer.success) put(problem(refusal(answer)));
    else if (Array.isArray(answer.findings)) put(findingsView(answer, tools));
    else if (Array.isArray(answer.sentences) && answer.agendaId) put(oneFinding(answer, tools));
    else if (Array.isArray(answer.sentences)) put(tools.ready(claimsView(answer)));
    else put(differenceView(answer, tools, again(answer)));
}

function put(node) {
    view.replaceChildren(node);
}

put(wait('Waiting for the answer…'));
// The host makes room for all of it.
new ResizeObserver(() => line.tellSize(Math.ceil(view.getBoundingClientRect().height))).observe(view);
line.start(offer.version).catch((error) => put(problem(error)));
