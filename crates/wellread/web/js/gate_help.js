// What the check of a sentence can and can't see, in a few words.

import { el } from './dom.js';

/** A fold that says what the verdicts mean. */
export function gateHelp() {
    return el(
        'details.fold.small',
        el('summary', 'What is checked, and what is not'),
        el(
            'p',
            'Each sentence that cites something is compared with the cited lines: quotations word for word, then figures, dates, ' +
                'units, names, negation, direction and enough of the words. No model is asked.',
        ),
        el(
            'p',
            '“Supported” means that these agree, not that the sentence follows from the source. A detail that was added in words of the ' +
                'source can pass, and a right paraphrase in quite different words can fail. Across languages, hardly anything can be compared.',
        ),
        el('p', 'A sentence without a citation was not checked.'),
    );
}
