// What long work is doing, step by step: each thing that leaves the machine, each stage.

import { el } from './dom.js';

const STAGES = {
    __proto__: null,
    topics: 'Finding topics',
    gather: 'Gathering',
    investigate: 'Investigating',
    write_up: 'Writing up',
    check: 'Checking',
    write: 'Writing',
    search: 'Searching',
    fetch: 'Reading',
    duplicate: 'Already known',
    skipped: 'Skipped',
    wait: 'Waiting',
};

/** A list that grows; screen readers hear each step. */
export function steps() {
    const list = el('ol.steps', { 'aria-live': 'polite', 'aria-label': 'Steps', tabindex: 0 });
    let last = '';
    const add = (what, about) => {
        const line = `${what} ${about}`;
        if (line === last) return;
        last = line;
        list.append(el('li', el('span', what), el('span', { dir: 'auto' }, about)));
        list.scrollTop = list.scrollHeight;
    };
    return {
        node: list,
        /** An event of research as it streams. */
        tell({ name, data }) {
            if (name === 'leaves') add(`To ${data.what}`, `${data.about} → ${data.to}`);
            if (name === 'step') add(STAGES[data.step] ?? data.step, data.about);
            if (name === 'stage')
                add(
                    STAGES[data.stage] ?? data.stage,
                    data.of > 1 ? `${data.about} (${data.done} of ${data.of})` : data.about,
                );
        },
        /** An event of work in the background. */
        progress: ({ step, about }) => add(STAGES[step] ?? step, about),
        add,
    };
}
