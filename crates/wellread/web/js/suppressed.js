// The topics that the user does not want proposed again, and a way to allow one.

import { get, post } from './api.js';
import { el } from './dom.js';
import { hear } from './live.js';
import { button, counted, when } from './pieces.js';
import { sayProblem } from './say.js';

export function suppressed(signal) {
    const part = el('details.fold', { hidden: true });
    const draw = ({ topics }) => {
        part.hidden = !topics.length;
        const forget = (topic) => post('/api/research/suppressed/forget', { topic }).then(draw, sayProblem);
        const entry = ({ topic, at }) =>
            el(
                'li',
                el(
                    'div.row.spread',
                    el('span', el('bdi', topic), ' ', el('span.soft.small', when(at))),
                    button('Allow again', () => forget(topic)),
                ),
            );
        part.replaceChildren(
            el('summary', `${counted(topics.length, 'topic')} that will not be proposed`),
            el('ul.entries', ...topics.map(entry)),
        );
    };
    const load = () =>
        get('/api/research/suppressed', { signal }).then(draw, (error) => signal.aborted || sayProblem(error));
    load();
    hear('counts', load, signal);
    return part;
}
