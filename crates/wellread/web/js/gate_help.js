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
                'units, names, negation, direction and enough of the words. A small model inside Wellread then reads both for their meaning. ' +
                'No language model is asked, and nothing leaves this machine.',
        ),
        el(
            'p',
            '“Supported” means that these agree; it does not prove that the sentence follows from the source. A subtle change can pass, above all ' +
                'in calculations and comparisons, and a right paraphrase can fail. Across languages, less can be compared.',
        ),
        el('p', 'A sentence without a citation was not checked.'),
    );
}
