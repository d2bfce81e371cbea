// The sentences of a finding, each with the quotes that it rests on beside it; below it where there is no room.

import type { Host } from '../host';
import { addNoteLink, parsePlace } from '../open_place';
import type { Finding, FindingEvidence } from '../server/answers';
import { addOutside, addVerdict } from '../ui/elements';
import { hostOf } from '../ui/words';

export function addSentences(host: Host, parent: HTMLElement, finding: Finding): void {
    const known = new Map(finding.evidence.map((one) => [one.id, one]));
    const grid = parent.createDiv({ cls: 'wellread-sentences' });
    for (const { text, verdict, evidence } of finding.sentences) {
        const row = grid.createDiv({ cls: 'wellread-sentence' });
        const left = row.createDiv();
        left.createSpan({ text: `${text} `, attr: { dir: 'auto' } });
        addVerdict(left, verdict);
        const right = row.createDiv({ cls: 'wellread-evidence' });
        const quotes = evidence.map((id) => known.get(id)).filter((one): one is FindingEvidence => one !== undefined);
        for (const quote of quotes) addQuote(host, right, quote);
        if (!quotes.length) right.createSpan({ cls: 'wellread-soft', text: 'No quote.' });
    }
}

/** A quote, and where it is from: a page, or lines of a note. */
function addQuote(host: Host, parent: HTMLElement, { quote, url, title }: FindingEvidence): void {
    parent.createEl('blockquote', { text: quote, attr: { dir: 'auto' } });
    const origin = parent.createDiv({ cls: 'wellread-soft' });
    if (/^https?:/i.test(url)) addOutside(origin, url, title || hostOf(url));
    else addNoteLink(host.app, origin, parsePlace(url), url);
}
