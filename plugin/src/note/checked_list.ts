// What checking a note has shown: the sentences that need a look first, each with the lines of its sources.

import type { Host } from '../host';
import { addNoteLink, parsePlace } from '../open_place';
import type { CheckedSentence, ClaimReport } from '../server/answers';
import { addOutside, addParagraph, addVerdict } from '../ui/elements';
import { VERDICTS, counted, coverageWords, hostOf, lines, sentence } from '../ui/words';

/** `by` says what it was checked against. */
export function addReport(host: Host, parent: HTMLElement, note: string, { sentences, coverage }: ClaimReport, by: string): void {
    const checked = sentences.filter(({ verdict }) => verdict !== 'uncited');
    addParagraph(parent, coverageWords({ ...coverage, sentences: checked.length }, by));
    const uncited = sentences.filter(({ verdict, connective }) => verdict === 'uncited' && !connective).length;
    if (uncited) addParagraph(parent, `${counted(uncited, 'sentence')} without a citation: not checked.`, 'wellread-soft');
    const worst = [...checked].sort((one, other) => VERDICTS[other.verdict].weight - VERDICTS[one.verdict].weight);
    for (const one of worst) addSentence(host, parent, note, one);
}

function addSentence(host: Host, parent: HTMLElement, note: string, one: CheckedSentence): void {
    const card = parent.createDiv({ cls: 'wellread-card', attr: { 'data-line': String(one.line) } });
    const head = card.createDiv({ cls: 'wellread-row wellread-spread' });
    addVerdict(head, one.verdict);
    addNoteLink(host.app, head, { note, line: one.line }, `line ${one.line}`);
    card.createDiv({ text: one.text, attr: { dir: 'auto' } });
    if (one.reason) addParagraph(card, sentence(one.reason), 'wellread-soft');
    for (const { path, start_line: first, end_line: last, quote } of one.evidence) {
        card.createEl('blockquote', { text: quote, attr: { dir: 'auto' } });
        const origin = card.createDiv({ cls: 'wellread-soft' });
        if (/^https?:/i.test(path)) addOutside(origin, path, hostOf(path));
        else addNoteLink(host.app, origin, { ...parsePlace(path), line: first }, `${path}, ${lines(first, last)}`);
    }
}
