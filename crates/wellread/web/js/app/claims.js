// Sentences that were checked, each with place and quote beside it: the answer of `check_claims`.

import { el } from '../dom.js';
import { covered, isAddress, sentence } from '../pieces.js';
import { sideBySide } from '../sentences.js';

export function claimsView({ sentences, coverage }) {
    return el(
        'section.stack',
        el('h2', 'Checked sentences'),
        el('p', covered(coverage) || 'No sentence to check.'),
        sentences.length ? sideBySide(withPlaces(sentences)) : null,
    );
}

/** The sentences as a finding has them: their evidence in one list, each with its place. */
export function withPlaces(sentences) {
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
    return { sentences: judged, evidence };
}
