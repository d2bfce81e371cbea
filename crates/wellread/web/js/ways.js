// The way out of a problem within the page, where the server names a command or an address for programs.

const WAYS = [
    [/take the note back first/, 'Take the note back first, in the inbox', '#/inbox?status=accepted'],
    [/`wellread inbox suppressed`/, 'Allow a topic again, in the inbox', '#/inbox'],
    [/`wellread inbox`/, 'To the inbox', '#/inbox'],
    [/`wellread agenda new`/, 'Propose a new one', '#/agenda'],
    [/`wellread agenda new --note/, 'Choose a note, and propose research there', '#/search'],
    [/`wellread agenda (list|show)/, 'To the agendas', '#/agenda'],
    [/`wellread runs|\/api\/runs/, 'To the runs', '#/runs'],
    [/\/api\/sessions/, 'To the conversations', '#/chat'],
    [/\/api\/search|search for the note/, 'Search for it', '#/search'],
    [/\/api\/openapi/, 'To the first page', '#/'],
    [/^`wellread doctor`/, 'See what the doctor says', '#/settings'],
];

/** `{ words, address }` for a hint; nothing where the page has no such place. */
export function wayOut(hint) {
    const way = WAYS.find(([names]) => names.test(hint));
    return way ? { words: way[1], address: way[2] } : null;
}
