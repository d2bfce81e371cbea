// What the model says in the tests, and the pages of the small web.

export const PAGES = {
    '/heather': {
        title: 'Heather honey and its moisture',
        paragraphs: [
            'Heather honey sets to a jelly in the comb and turns liquid when it is stirred, a property that is called thixotropy.',
            'It holds up to 23 percent of water, more than the 20 percent that other honeys may have, and it ferments easily if it is stored warm.',
            'Beekeepers press the combs instead of spinning them, because the jelly does not leave the cells in an extractor.',
        ],
    },
    '/drones': {
        title: 'Drone brood removal in small apiaries',
        paragraphs: [
            'Removing one frame of capped drone brood every three weeks lowered the mite population by about 50 percent in a trial of 40 colonies.',
            'The colonies raised new drones at once, and their honey yield did not differ from that of the untreated colonies.',
        ],
    },
};

export const ANSWER = 'The treatment threshold for varroa in August is 3 % of adult bees';

/** Answers a request by what it is about. */
export function answer(asked) {
    const last = asked.messages[asked.messages.length - 1];
    const prompt = text(asked.messages.find(({ role }) => role === 'user'));
    const wanted = asked.response_format?.json_schema?.schema?.required ?? [];
    if (wanted.includes('tasks'))
        return { json: { tasks: [task('heather honey moisture', 'The note links to it, but there is no such note.'), task('drone frame', 'The note mentions it without details.')] } };
    if (wanted.includes('topics')) return { json: { topics: [topic('drone frame'), topic('heather honey')] } };
    if (wanted.includes('summary')) return writeUp(prompt);
    if (asked.tools?.length) return talk(asked, last);
    return { text: writeSection(prompt) };
}

function talk({ messages }, last) {
    const message = text([...messages].reverse().find(({ role }) => role === 'user'));
    if (message.includes('slowly')) return { text: 'One block after another.\n\n'.repeat(60), slow: 60 };
    if (message.includes('Note it down')) {
        // What follows on text that others wrote waits for the user.
        if (last.role !== 'tool') return { calls: [['read_file', { path: 'Clippings/Mite thresholds in late summer' }]] };
        const isRead = messages.filter(({ role }) => role === 'tool').length === 1;
        if (isRead) return { calls: [['append_to_file', { path: 'Bees/Varroa mite', content: '- [ ] count mites on 1 August' }]] };
        return { text: 'The line waits for your confirmation.' };
    }
    if (last.role !== 'tool') return { calls: [['read_file', { path: 'Bees/Varroa mite' }]] };
    return { text: `Your note has a section about this.\n\nIt was last changed in May.\n\n**In short:** ${ANSWER} [${/ev-[0-9a-z]+-\d+/.exec(text(last))?.[0]}].\n\nBees are fascinating animals.` };
}

/** A finding in the words of its page. */
function writeUp(prompt) {
    for (const { paragraphs } of Object.values(PAGES)) {
        const [first, second] = paragraphs;
        if (!prompt.includes(first)) continue;
        const cite = (words) => `${words.replace(/\.$/, '')} [${idOf(prompt, words)}].`;
        return { json: { summary: `${cite(first)} ${cite(second)}`, bearing: '', concepts: ['honey'], related_notes: ['Bees/Honey yield.md'] } };
    }
    throw new Error(`no page is shown:\n${prompt}`);
}

function idOf(shown, words) {
    const at = shown.indexOf(words);
    return shown.slice(0, at).split('(cite as [').pop().split(']')[0];
}

/** A section of a note: a heading and a sentence for each page that is shown. */
function writeSection(prompt) {
    const shown = Object.values(PAGES).filter(({ paragraphs }) => prompt.includes(paragraphs[0]));
    const part = ({ title, paragraphs: [first] }) => `### ${title}\n\n${first.replace(/\.$/, '')} [${idOf(prompt, first)}].\n`;
    return shown.map(part).join('\n');
}

function topic(words) {
    return { topic: words, context: '', type: 'concept' };
}

function task(query, motivation) {
    return { query, source: 'web', motivation, related_notes: [] };
}

function text({ content }) {
    return typeof content === 'string' ? content : (content ?? []).map(({ text: part }) => part ?? '').join('');
}
