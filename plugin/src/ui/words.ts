// Words that several views need: counts with their noun, verdicts, states.

import type { Coverage, Verdict } from '../server/answers';

export function counted(number: number, one: string, many = `${one}s`): string {
    return `${number.toLocaleString()} ${number === 1 ? one : many}`;
}

/** With a capital first letter and a full stop. */
export function sentence(text: string): string {
    const whole = text.charAt(0).toUpperCase() + text.slice(1);
    return !whole || /[.!?…]["”’)]*$/.test(whole) ? whole : `${whole}.`;
}

/** The name of a note, without its folder and ending. */
export function noteName(path: string): string {
    return (path.split('/').pop() ?? path).replace(/\.md$/, '');
}

/** `line 4`, `lines 4–6`. */
export function lines(first: number, last: number): string {
    return first === last ? `line ${first}` : `lines ${first}–${last}`;
}

export function hostOf(url: string): string {
    try {
        return new URL(url).host;
    } catch {
        return url;
    }
}

/** How many sentences stand word for word in what they cite, or agree with it. */
export function coverageWords({ quoted, supported, sentences }: Coverage, by = 'what they cite'): string {
    return `${quoted + supported} of ${counted(sentences, 'sentence')} supported by ${by}.`;
}

interface VerdictWords {
    /** In a word or two. */
    word: string;
    /** In a sentence. */
    meaning: string;
    /** The name of its icon. */
    icon: string;
    /** How bad it is: the worst of a line decides on the mark. */
    weight: number;
}

export const VERDICTS: Record<Verdict, VerdictWords> = {
    contradicted: { word: 'contradicted', meaning: 'The cited source says something else.', icon: 'x', weight: 4 },
    unknown: { word: 'not confirmed', meaning: 'The cited source does not clearly say this.', icon: 'help-circle', weight: 3 },
    supported: {
        word: 'supported',
        meaning: 'Its figures, names, direction and words agree with the source.',
        icon: 'check',
        weight: 2,
    },
    quoted: { word: 'quoted', meaning: 'The source has it word for word.', icon: 'quote', weight: 1 },
    uncited: { word: 'not checked', meaning: 'It cites no source, so it was not checked.', icon: 'minus', weight: 0 },
};

/** The states of agendas and tasks, where their own names do not say enough. */
export const STATES: Record<string, string> = {
    pending: 'waiting for you',
    proposed: 'proposed',
    queued: 'waiting for its turn',
    running: 'running',
    blocked: 'blocked',
};
