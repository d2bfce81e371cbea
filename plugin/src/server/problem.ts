// Why something was not done, in words that can be shown: what happened, and what to do about it.

export interface ProblemParts {
    title: string;
    detail?: string | undefined;
    hint?: string | undefined;
    status?: number | undefined;
}

export class Problem extends Error {
    readonly title: string;
    readonly detail: string;
    readonly hint: string;
    /** The status of the answer; 0 if there was none. */
    readonly status: number;

    constructor({ title, detail = '', hint = '', status = 0 }: ProblemParts) {
        super(detail || title);
        this.name = 'Problem';
        this.title = title;
        this.detail = detail;
        this.hint = hint;
        this.status = status;
    }

    /** Whether nobody answered: a server that is gone may have to be started again. */
    get isUnreachable(): boolean {
        return this.status === 0;
    }
}

/** Statuses whose names say nothing to people. */
const TITLES: Record<number, string> = {
    400: 'Invalid request',
    401: 'Not paired',
    403: 'Refused',
    404: 'Not found',
    409: 'No longer possible',
    413: 'Too large',
    424: 'Not set up yet',
    429: 'Too many requests',
    500: 'Something went wrong',
    503: 'Not available right now',
};

/** The problem that an answer of the server describes. */
export function problemFromAnswer(status: number, said: unknown): Problem {
    const fields = typeof said === 'object' && said !== null ? (said as Record<string, unknown>) : {};
    const text = (name: string): string | undefined =>
        typeof fields[name] === 'string' ? fields[name] : undefined;
    if (status === 401)
        return new Problem({
            title: 'Not paired',
            detail: text('detail'),
            hint: 'Pair with the server again in the settings of the plugin.',
            status,
        });
    return new Problem({
        title: TITLES[status] ?? text('title') ?? 'Something went wrong',
        detail: text('detail') ?? `the server answered with status ${status}`,
        hint: text('hint'),
        status,
    });
}

/** The problem in whatever was thrown. */
export function asProblem(error: unknown): Problem {
    if (error instanceof Problem) return error;
    return new Problem({ title: 'Something went wrong', detail: error instanceof Error ? error.message : String(error) });
}

/** Whether the user has stopped it, which is no problem. */
export function isAbort(error: unknown): boolean {
    return error instanceof Error && error.name === 'AbortError';
}
