// Which line of a note gets which mark: the worst verdict among its sentences.

import type { CheckedSentence, Verdict } from '../server/answers';
import { VERDICTS } from '../ui/words';

export interface LineVerdict {
    /** Counted from 1. */
    line: number;
    verdict: Verdict;
    sentences: CheckedSentence[];
}

/** A sentence that cites nothing was not checked and gets no mark. */
export function verdictsByLine(sentences: CheckedSentence[]): LineVerdict[] {
    const byLine = new Map<number, LineVerdict>();
    for (const sentence of sentences) {
        if (sentence.verdict === 'uncited') continue;
        const known = byLine.get(sentence.line);
        if (!known) {
            byLine.set(sentence.line, { line: sentence.line, verdict: sentence.verdict, sentences: [sentence] });
            continue;
        }
        known.sentences.push(sentence);
        if (VERDICTS[sentence.verdict].weight > VERDICTS[known.verdict].weight) known.verdict = sentence.verdict;
    }
    return [...byLine.values()].sort((one, other) => one.line - other.line);
}

/** What a mark says when it is pointed at. */
export function describeLine({ sentences }: LineVerdict): string {
    return sentences
        .map(({ verdict, reason }) => {
            const { word, meaning } = VERDICTS[verdict];
            return `${word}: ${reason || meaning}`;
        })
        .join('\n');
}
