// A unified difference: its lines, the parts of it that can be chosen, and a text with the chosen ones applied.
//
// A part is a run of changed lines. New text is divided at its headings, so that each topic can be left out. What only frames
// the parts (a heading without text of its own, the mark of the run) goes along with whatever is chosen.

export type LineKind = ' ' | '+' | '-';

export interface DiffLine {
    kind: LineKind;
    /** With its line break. */
    text: string;
    /** The part that it belongs to; none for lines that stay. */
    part: number | null;
}

export interface Hunk {
    /** The first line of the old text, from 1. */
    start: number;
    lines: DiffLine[];
}

export interface Part {
    id: number;
    title: string;
    frame: boolean;
}

export interface Difference {
    hunks: Hunk[];
    parts: Part[];
}

const MARK = /^<!-- wellread: /;
const HEADING = /^#{1,6}\s+/;

export function parseDifference(text: string): Difference {
    const hunks: Hunk[] = [];
    for (const line of splitLines(text)) {
        const head = /^@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@/.exec(line);
        const hunk = hunks[hunks.length - 1];
        // Where nothing is left of the old text, the number is that of the line before.
        if (head?.[1]) hunks.push({ start: head[2] === '0' ? Number(head[1]) + 1 : Number(head[1]), lines: [] });
        else if (hunk && line.startsWith('\\')) withoutBreak(hunk);
        else if (hunk && /^[ +-]/.test(line)) hunk.lines.push({ kind: line[0] as LineKind, text: line.slice(1), part: null });
        else if (hunk && line === '\n') hunk.lines.push({ kind: ' ', text: '\n', part: null });
    }
    return { hunks, parts: divide(hunks) };
}

/** The text with the chosen parts applied; nothing if it is not the text that the difference was made for. */
export function applyParts(text: string, { hunks, parts }: Difference, chosen: ReadonlySet<number>): string | null {
    const isWanted = (part: number | null): boolean =>
        part !== null && (chosen.has(part) || (chosen.size > 0 && parts[part]?.frame === true));
    const old = splitLines(text);
    const made: string[] = [];
    let at = 0;
    for (const { start, lines } of hunks) {
        if (start - 1 < at || start - 1 > old.length) return null;
        made.push(...old.slice(at, start - 1));
        at = start - 1;
        for (const { kind, text: line, part } of lines) {
            if (kind === '+') {
                if (isWanted(part)) made.push(line);
                continue;
            }
            if (old[at] !== line) return null;
            if (kind === ' ' || !isWanted(part)) made.push(line);
            at += 1;
        }
    }
    return joinLines([...made, ...old.slice(at)]);
}

/** Lines with their breaks. */
export function splitLines(text: string): string[] {
    return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** A line that was last in its text may not be last any more: then it needs its break. */
function joinLines(lines: string[]): string {
    return lines.map((line, at) => (at < lines.length - 1 && !line.endsWith('\n') ? `${line}\n` : line)).join('');
}

function withoutBreak(hunk: Hunk): void {
    const last = hunk.lines[hunk.lines.length - 1];
    if (last) last.text = last.text.replace(/\n$/, '');
}

function divide(hunks: Hunk[]): Part[] {
    const parts: Part[] = [];
    for (const { lines } of hunks) {
        let at = 0;
        while (at < lines.length) {
            if (lines[at]?.kind === ' ') {
                at += 1;
                continue;
            }
            let end = at;
            while (end < lines.length && lines[end]?.kind !== ' ') end += 1;
            for (const piece of pieces(lines.slice(at, end))) {
                const id = parts.length;
                for (const line of piece) line.part = id;
                parts.push({ id, title: titleOf(piece), frame: isFrame(piece) });
            }
            at = end;
        }
    }
    // If there is nothing but frames, they are what can be chosen.
    if (parts.every(({ frame }) => frame)) for (const part of parts) part.frame = false;
    return parts;
}

/** A run of changed lines, divided where it only adds. Blank lines go with what they stand before. */
function pieces(run: DiffLine[]): DiffLine[][] {
    const [first, second, ...rest] = run;
    // The last line of a note may only get its line break.
    if (first && second && rest.length && isSameLine(first, second)) return [[first, second], ...pieces(rest)];
    if (run.some(({ kind }) => kind === '-')) return [run];
    const found: DiffLine[][] = [];
    let blank: DiffLine[] = [];
    for (const line of run) {
        const last = found[found.length - 1];
        if (!line.text.trim()) blank.push(line);
        else if (!last || HEADING.test(line.text) || MARK.test(line.text)) {
            found.push([...blank, line]);
            blank = [];
        } else {
            last.push(...blank, line);
            blank = [];
        }
    }
    const last = found[found.length - 1];
    if (last) last.push(...blank);
    return last ? found : [run];
}

function titleOf(piece: DiffLine[]): string {
    const heading = piece.find(({ kind, text }) => kind === '+' && HEADING.test(text));
    if (heading) return heading.text.replace(HEADING, '').trim();
    const kinds = new Set(piece.map(({ kind }) => kind));
    return kinds.size > 1 ? 'Changed lines' : kinds.has('-') ? 'Removed lines' : 'New lines';
}

function isSameLine(one: DiffLine, other: DiffLine): boolean {
    return one.kind === '-' && other.kind === '+' && `${one.text}\n` === other.text;
}

function isFrame(piece: DiffLine[]): boolean {
    const [first, second] = piece;
    if (first && second && piece.length === 2 && isSameLine(first, second)) return true;
    return piece.every(({ kind, text }) => MARK.test(text) || (kind === '+' && (!text.trim() || HEADING.test(text))));
}
