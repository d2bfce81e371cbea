// A passage as a line of plain words.

const LONGEST = 240;

/** The words without the signs of markdown, and without the heading that is shown anyway. */
export function plainPassage(text: string, heading?: string): string {
    const plain = text
        .replace(/^#+\s+(.*)$/gm, (_all, title: string) => (title.trim() === heading ? '' : `${title}:`))
        .replace(/^\s*>\s?(\[!\w+\][+-]?)?/gm, '')
        .replace(/^\s*([-*+]|\d+\.)\s+(\[[ xX]\]\s+)?/gm, '· ')
        .replace(/!?\[\[(?:[^\]|]*\|)?([^\]]*)\]\]/g, '$1')
        .replace(/\*\*|==|`/g, '')
        .replace(/\s+/g, ' ')
        .trim();
    return plain.length > LONGEST ? `${plain.slice(0, LONGEST).trimEnd()}…` : plain;
}
