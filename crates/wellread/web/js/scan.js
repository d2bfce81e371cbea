// Looks ahead in a text without ever reading a part of it twice for the same thing: however often and from wherever it is asked,
// the whole effort grows with the text and no faster.

/** Everything that was looked at, in characters and lines, so that a test can count what a rendering costs. */
export const effort = { steps: 0 };

/** Finds what comes next in one text. Each kind of thing is asked for from places that never go back. */
export class Scan {
    constructor(text) {
        this.text = text;
        this.found = new Map();
    }

    /** Where `mark` stands next, at `from` or after it; `Infinity` where it does not. */
    next(mark, from) {
        return this.ahead(mark, from, (at) => {
            const found = this.text.indexOf(mark, at);
            return found < 0 ? Infinity : found;
        });
    }

    /** Where the next `mark` stands that comes right after something visible: there emphasis can end. */
    nextEnd(mark, from) {
        return this.ahead(`end ${mark}`, from, (start) => {
            let at = this.text.indexOf(mark, start);
            while (at >= 0 && /\s/.test(this.text[at - 1] ?? ' ')) at = this.text.indexOf(mark, at + 1);
            return at < 0 ? Infinity : at;
        });
    }

    ahead(kind, from, look) {
        const known = this.found.get(kind);
        if (known && known.from <= from && from <= known.at) return known.at;
        const at = look(from);
        effort.steps += Math.min(at, this.text.length) - from + 1;
        this.found.set(kind, { from, at });
        return at;
    }
}
