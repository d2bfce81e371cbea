// Marks the words of a query in a text.

import { el } from './dom.js';

/** The text in pieces, those that the query names as `<mark>`. */
export function markWords(text, query) {
    const words = (query.match(/[\p{L}\p{N}_]{2,}/gu) ?? []).slice(0, 20);
    if (!words.length) return [text];
    const wanted = new RegExp(`(${words.join('|')})`, 'giu');
    return text.split(wanted).map((part, at) => (at % 2 ? el('mark', part) : part));
}
