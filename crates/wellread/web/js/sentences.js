// Sentences with their evidence, word for word: beside the one that is hovered, focused or tapped, or beside each of them at once.

import { el } from './dom.js';
import { gateHelp } from './gate_help.js';
import { chip, hostOf, noteLink, outside, sentence as capital, spoken } from './pieces.js';

const MEANS = {
    __proto__: null,
    quoted: 'It stands in the source word for word.',
    supported: 'Its figures, names, direction and words agree with the source.',
    contradicted: 'The quoted source says something else.',
    unknown: 'The cited source does not clearly say this.',
    uncited: 'It cites no source, so it was not checked.',
};
const narrow = matchMedia('(max-width: 68rem)');

/** A finding's texts, and the panel in which the evidence of the chosen sentence stands. */
export function reading(finding, texts) {
    const panel = el('aside.evidence', { 'aria-label': 'Evidence', 'aria-live': 'polite', id: 'evidence' });
    const left = el('div.stack');
    const beside = el('div.reading', left, panel);
    const known = new Map(finding.evidence.map((one) => [one.id, one]));
    const taken = new Set();
    let pinned = null;

    const rest = () =>
        panel.replaceChildren(
            el('h3', 'Evidence'),
            el('p.soft', 'Point at, tab to or tap a sentence to see the quotes that support it.'),
        );
    const show = (node, sentence) => {
        for (const other of left.querySelectorAll('.sentence'))
            other.setAttribute('aria-pressed', String(other === node));
        panel.replaceChildren(...evidence(sentence, known));
        // Where there is no room beside the text, it stands below the paragraph.
        if (narrow.matches) node.closest('p').after(panel);
        else if (panel.parentNode !== beside) beside.append(panel);
    };
    const spoken = (sentence, text) => {
        const node = el(
            'span',
            {
                class: `sentence ${sentence.verdict}`,
                role: 'button',
                tabindex: 0,
                'aria-pressed': 'false',
                'aria-controls': 'evidence',
            },
            text,
        );
        node.addEventListener('mouseenter', () => narrow.matches || pinned || show(node, sentence));
        node.addEventListener('focus', () => show(node, sentence));
        node.addEventListener('click', () => {
            pinned = pinned === node ? null : node;
            show(node, sentence);
        });
        node.addEventListener('keydown', (event) => {
            if (event.key !== 'Enter' && event.key !== ' ') return;
            event.preventDefault();
            show(node, sentence);
        });
        return node;
    };

    for (const { title, text } of texts) {
        left.append(
            ...[
                title && el('h3', title),
                el('p', { class: 'text-line', dir: 'auto' }, ...split(text, finding.sentences, taken, spoken)),
            ].filter(Boolean),
        );
    }
    const others = finding.sentences.filter((sentence) => !taken.has(sentence));
    if (others.length)
        left.append(
            el('h3', 'Also checked'),
            el(
                'p',
                { class: 'text-line', dir: 'auto' },
                ...others.flatMap((sentence) => [spoken(sentence, sentence.text), ' ']),
            ),
        );
    left.append(gateHelp());
    rest();
    // Where there is room, the first is shown at once.
    const first = left.querySelector('.sentence');
    if (first && !narrow.matches) first.dispatchEvent(new Event('mouseenter'));
    return beside;
}

/** The same texts where nothing has to be pointed at: each sentence has its evidence at its side. `words` makes nodes of a sentence. */
export function sideBySide({ sentences, evidence }, texts = [], words = (text) => text) {
    const known = new Map(evidence.map((one) => [one.id, one]));
    const taken = new Set();
    const pair = (sentence) =>
        el(
            'li.pair',
            el(
                'p',
                { class: `text-line sentence ${sentence.verdict}`, dir: 'auto' },
                words(sentence.text),
                sentence.line ? el('span.soft.small', ` line ${sentence.line}`) : null,
            ),
            el('div.evidence', el('div.row', chip(sentence.verdict)), ...grounds(sentence, known)),
        );
    // Between the sentences that were judged stands what was not.
    const plain = (text) => el('li.pair', el('p.text-line', { dir: 'auto' }, text.trim()));
    const pairs = (pieces) =>
        el('ol.pairs', ...pieces.map((piece) => (typeof piece === 'string' ? piece.trim() && plain(piece) : piece)));
    const parts = texts.flatMap(({ title, text }) => [
        title && el('h3', title),
        pairs(split(text, sentences, taken, pair)),
    ]);
    const others = sentences.filter((sentence) => !taken.has(sentence));
    if (others.length) parts.push(texts.length ? el('h3', 'Also checked') : null, pairs(others.map(pair)));
    return el('div.stack', ...parts, gateHelp());
}

/** The text in pieces: those that were judged can be chosen, the rest is text. */
function split(text, sentences, taken, spoken) {
    const parts = [];
    let last = 0;
    for (const sentence of sentences) {
        const at = taken.has(sentence) ? -1 : text.indexOf(sentence.text, last);
        if (at < 0) continue;
        taken.add(sentence);
        if (at > last) parts.push(text.slice(last, at));
        parts.push(spoken(sentence, sentence.text));
        last = at + sentence.text.length;
    }
    return last < text.length ? [...parts, text.slice(last)] : parts;
}

function evidence(sentence, known) {
    return [el('div.row', el('h3', 'Evidence'), chip(sentence.verdict)), ...grounds(sentence, known)];
}

/** What a verdict means, why it was given where that is known, and the quotes. */
function grounds(sentence, known) {
    const quotes = sentence.evidence.map((id) => known.get(id)).filter(Boolean);
    return [
        el('p.small.soft', MEANS[sentence.verdict] ?? ''),
        sentence.reason && el('p.small', { dir: 'auto' }, ...spoken(capital(sentence.reason))),
        ...quotes.map((one) =>
            el('figure', el('blockquote.quote', { dir: 'auto' }, one.quote), el('figcaption', ...origin(one))),
        ),
        quotes.length ? null : el('p', 'No quote.'),
    ].filter(Boolean);
}

/** Where a quotation stands: on a page as it was kept, in a note, or in code. */
function origin({ url, title, snapshot, start, end }) {
    const kept = snapshot ? `characters ${start}–${end} of the snapshot ${snapshot.slice(0, 12)}` : null;
    const placed = (...words) => el('span.soft', words.filter(Boolean).join(', '));
    const note = /^(.+\.md):(\d+)(?:-(\d+))?$/.exec(url);
    if (note) {
        const [, path, first, last] = note;
        const lines = !last || first === last ? `line ${first}` : `lines ${first}–${last}`;
        return ['Your note ', noteLink(path, undefined, first), el('br'), placed(lines, kept)];
    }
    const host = hostOf(url);
    return [outside(url, title || host), el('br'), placed(host === url ? null : host, kept)];
}
