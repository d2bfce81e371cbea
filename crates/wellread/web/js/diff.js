// A unified difference, its lines coloured. The signs say the same without colours.

import { el } from './dom.js';

export function diff(text) {
    const line = (one) => {
        const isHead = one.startsWith('+++') || one.startsWith('---');
        const kind = isHead ? '' : ({ '+': '.added', '-': '.taken' }[one[0]] ?? '');
        return el(`span${kind}`, `${one}\n`);
    };
    return el('pre.diff', { tabindex: 0, 'aria-label': 'Difference' }, el('code', ...text.split('\n').map(line)));
}
