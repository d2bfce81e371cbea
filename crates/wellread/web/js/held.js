// A dismissal that waits a moment, so that it can be taken back: there is no way to do that once it is sent. It is sent
// when the moment is over, before the next decision, and when the view or the page is left.

import { post } from './api.js';
import { say, sayProblem } from './say.js';

const HELD_MS = 5000;
let waiting = null;
let sent = Promise.resolve();

/** Holds the dismissal of a finding. `back` is called where the user takes it back, `refused` where the server won't have it. */
export function hold(id, { back, refused }) {
    release();
    const undo = () => {
        waiting = null;
        back();
    };
    waiting = { id, refused, word: say('Dismissed.', { undo, over: release, stays: HELD_MS }) };
}

/** Sends what waits. Done when it has arrived, and what was sent before it. */
export function release() {
    if (waiting) {
        const { id, refused, word } = waiting;
        waiting = null;
        word.end();
        const failed = (error) => {
            sayProblem(error);
            refused();
        };
        const address = `/api/research/findings/${id}/dismiss`;
        sent = Promise.all([sent, post(address, { suppressTopic: false }, { keepalive: true }).catch(failed)]);
    }
    return sent;
}

/** Takes back what waits. */
export function takeBack() {
    waiting?.word.undo();
}

export function waits() {
    return Boolean(waiting);
}

addEventListener('pagehide', release);
