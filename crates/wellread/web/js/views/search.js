// Search over notes and code, with what was found shown as it stands there.

import { codeAddress, noteAddress, searchAddress } from '../addresses.js';
import { get } from '../api.js';
import { el } from '../dom.js';
import { keysOf, moveIn } from '../keys.js';
import { chip, counted, empty, head, problem, spoken, wait } from '../pieces.js';
import { note } from '../router.js';
import { lasted } from '../time.js';

const MOST = 30;

export async function search(at) {
    const field = el('input', {
        type: 'search',
        dir: 'auto',
        value: at.query.get('q') ?? '',
        'aria-label': 'Search notes and code',
        placeholder: 'Words or a description',
        autocomplete: 'off',
    });
    const where = choice(
        'Search in',
        'in',
        [
            ['all', 'Everything'],
            ['notes', 'Notes'],
            ['code', 'Code'],
        ],
        at.query.get('in') ?? 'all',
    );
    const how = choice(
        'By',
        'mode',
        [
            ['hybrid', 'Words and meaning'],
            ['keyword', 'Words only'],
        ],
        at.query.get('mode') ?? 'hybrid',
    );
    const results = el('div.stack', { 'aria-live': 'polite' });
    const form = el(
        'form.stack',
        { role: 'search' },
        el('div.join', field, el('button.button.main', { type: 'submit' }, 'Search')),
        el('div.row.options', where, how),
    );
    const look = async () => {
        const query = field.value.trim();
        const asked = new URLSearchParams({ q: query, in: chosen(form, 'in'), mode: chosen(form, 'mode') });
        note(query ? `#/search?${asked}` : '#/search');
        if (!query) return results.replaceChildren(hints());
        results.replaceChildren(wait('Searching…'));
        asked.set('k', MOST);
        try {
            const found = await get(`/api/search?${asked}`, { signal: at.signal });
            results.replaceChildren(...shown(found, query));
        } catch (error) {
            if (error.name !== 'AbortError') results.replaceChildren(problem(error));
        }
    };
    form.addEventListener('submit', (event) => (event.preventDefault(), look()));
    form.addEventListener('change', (event) => event.target.type === 'radio' && look());
    keysOf({ j: () => moveIn(results, 1), k: () => moveIn(results, -1) }, at.signal);
    await look();
    setTimeout(() => field.focus(), 0);
    return { title: 'Search', nodes: [head('Search'), el('div.stack', form, results)] };
}

function choice(legend, name, options, picked) {
    const option = ([value, text]) =>
        el('label', el('input', { type: 'radio', name, value, checked: value === picked }), text);
    return el('fieldset.choices', el('legend', legend), ...options.map(option));
}

function chosen(form, name) {
    return form.querySelector(`input[name="${name}"]:checked`)?.value ?? '';
}

function hints() {
    const example = (query) => el('a.button', { href: searchAddress(query) }, query);
    return empty(
        'Search your notes and code',
        'Words in quotes are a phrase. Otherwise, search also finds the same meaning in other words. ' +
            '#tag and path:Folder narrow the search; -word, -#tag and -path:Folder leave notes out.',
        example('"hive scale"'),
        example('why do colonies die in winter'),
    );
}

function shown({ results, words, mode, notice, took_ms: took }, query) {
    if (!results.length)
        return [
            empty('No results', 'Try fewer or different words, or search everything.'),
            notice && el('p.notice', ...spoken(notice)),
        ].filter(Boolean);
    const files = byFile(results);
    const said = `${counted(results.length, 'passage')} in ${counted(files.length, 'file')}, by ${mode === 'keyword' ? 'words' : 'words and meaning'}, ${lasted(took)}`;
    return [
        el('p.soft.small', said),
        notice && el('p.notice.small', ...spoken(notice)),
        ...files.map((passages) => card(passages, words ?? query)),
    ].filter(Boolean);
}

/** The passages of each file together, in the order of their best. */
function byFile(results) {
    const files = new Map();
    for (const result of results) {
        const place = `${result.repo ?? ''}:${result.path}`;
        if (files.has(place)) files.get(place).push(result);
        else files.set(place, [result]);
    }
    return [...files.values()];
}

function card(passages, words) {
    const [{ path, repo, start_line: first }] = passages;
    const address = repo ? codeAddress(repo, path, first) : noteAddress(path, first);
    const place = repo ? `${repo}:${path}` : path.replace(/\.md$/, '');
    return el(
        'article.card.stack.result',
        el(
            'div.row.spread',
            el('h2.place', { dir: 'auto' }, el('a', { href: address, 'data-entry': true }, place)),
            chip('', repo ? 'code' : 'note'),
        ),
        ...passages.map((passage) => excerpt(passage, words)),
    );
}

function excerpt({ path, repo, heading, symbol, start_line: first, end_line: last, text, weak }, words) {
    const lines = first === last ? `line ${first}` : `lines ${first}–${last}`;
    const address = repo ? codeAddress(repo, path, `${first}-${last}`) : noteAddress(path, first);
    const preview = repo
        ? el('pre', { tabindex: 0, 'aria-label': `Code from ${repo}:${path}` }, el('code', ...markWords(text, words)))
        : shorten(text, heading) && el('p', { dir: 'auto' }, ...markWords(shorten(text, heading), words));
    return el(
        'div.stack.tight.excerpt',
        el(
            'div.row.small.soft',
            el('a', { href: address }, lines),
            heading || symbol ? el('span', { dir: 'auto' }, heading ?? symbol) : null,
            weak && chip('', 'weak match'),
        ),
        preview,
    );
}

/** The words of a passage without the signs of markdown. */
function shorten(text, heading) {
    const plain = text
        .replace(/^#+\s+(.*)$/gm, (_, title) => (title.trim() === heading ? '' : `${title}:`))
        .replace(/^\s*>\s?(\[!\w+\][+-]?)?/gm, '')
        .replace(/^\s*([-*+]|\d+\.)\s+(\[[ xX]\]\s+)?/gm, '· ')
        .replace(/!?\[\[(?:[^\]|]*\|)?([^\]]*)\]\]/g, '$1')
        .replace(/\*\*|==|`/g, '')
        .replace(/\s+/g, ' ')
        .trim();
    return plain.length > 420 ? `${plain.slice(0, 420)}…` : plain;
}

/** The text in pieces, the words of the query as `<mark>`. */
function markWords(text, query) {
    const words = (query.match(/[\p{L}\p{N}_]{2,}/gu) ?? []).slice(0, 20);
    if (!words.length) return [text];
    const wanted = new RegExp(`(${words.join('|')})`, 'giu');
    return text.split(wanted).map((part, at) => (at % 2 ? el('mark', part) : part));
}
