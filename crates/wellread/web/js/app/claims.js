// Sentences that were checked, each with place and quote beside it: the answer of `check_claims`.

import { el } from '../dom.js';
import { inline } from '../inline.js';
import { covered, isAddress, sentence } from '../pieces.js';
import { sideBySide } from '../sentences.js';

export function claimsView({ sentences, coverage }) {
    return el(
        'section.stack',
        el('h2', 'Checked sentences'),
        el('p', covered(coverage) || 'No sentence to check.'),
        sentences.length ? placedSentences(sentences) : null,
    );
}

/** Sentences of a text in Markdown, each with its evidence at its side. */
export function placedSentences(sentences) {
    const evidence = [];
    const name = ({ path, start_line: start, end_line: end, quote }) => {
        const id = `place-${evidence.length}`;
        const url = isAddress(path) ? path : `${path}:${start}-${end}`;
        evidence.push({ id, quote, url });
        return id;
    };
    const judged = sentences.map((one) => ({
        ...one,
        reason: one.reason && sentence(one.reason),
        evidence: one.evidence.map(name),
    }));
    return sideBySide({ sentences: judged, evidence }, [], inline);
}
