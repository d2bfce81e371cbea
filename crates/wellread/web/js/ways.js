// The way out of a problem within the page, by the code that the server gives it.

const WAYS = {
    undo_acceptance: ['Take the note back first, in the inbox', '#/inbox?status=accepted'],
    allow_topic: ['Allow a topic again, in the inbox', '#/inbox'],
    findings: ['To the inbox', '#/inbox'],
    propose_agenda: ['Propose a new one', '#/agenda'],
    choose_note: ['Choose a note, and propose research there', '#/search'],
    agendas: ['To the agendas', '#/agenda'],
    runs: ['To the runs', '#/runs'],
    conversations: ['To the conversations', '#/chat'],
    search: ['Search for it', '#/search'],
    overview: ['To the first page', '#/'],
    check_setup: ['See what the doctor says', '#/settings'],
};

/** `{ words, address }` for a problem's code; nothing where the page has no such place. */
export function wayOut(code) {
    if (!Object.hasOwn(WAYS, code)) return null;
    const [words, address] = WAYS[code];
    return { words, address };
}
