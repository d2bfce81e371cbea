// The way out of a problem within the page, by the code that the server gives it.

const WAYS = {
    __proto__: null,
    undo_acceptance: ['Undo the acceptance first, in the inbox', '#/inbox?status=accepted'],
    allow_topic: ['Allow a topic again, in the inbox', '#/inbox'],
    findings: ['Open the inbox', '#/inbox'],
    propose_agenda: ['Propose a new agenda', '#/agenda'],
    choose_note: ['Choose a note and propose research for it', '#/search'],
    agendas: ['Show the agendas', '#/agenda'],
    runs: ['Show the runs', '#/runs'],
    conversations: ['Show the conversations', '#/chat'],
    search: ['Search for it', '#/search'],
    overview: ['Go to the home page', '#/'],
    check_setup: ['Check the setup', '#/settings'],
};

/** What commands of a shell are called here: the words that a hint has, and where the page does the same. */
const COMMANDS = [
    [/`wellread config set ([a-z_.]+)[^`]*`/g, (key) => [`Set ${key}`, `#/settings?edit=${key}`]],
    [/`wellread repo (?:add|remove)[^`]*`/g, () => ['Add or remove repositories', '#/settings']],
    [/`wellread (?:doctor|config show)`/g, () => ['Check the setup', '#/settings']],
];

/** The places of the page for the commands in a hint, each once. */
export function waysFor(hint) {
    const found = COMMANDS.flatMap(([pattern, way]) => [...hint.matchAll(pattern)].map(([, key]) => way(key)));
    const once = new Map(found.map(([words, address]) => [words, address]));
    return [...once].map(([words, address]) => ({ words, address }));
}

/** `{ words, address }` for a problem's code; nothing where the page has no such place. */
export function wayOut(code) {
    if (!Object.hasOwn(WAYS, code)) return null;
    const [words, address] = WAYS[code];
    return { words, address };
}
