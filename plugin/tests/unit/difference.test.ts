import { describe, expect, it } from 'vitest';
import { applyParts, parseDifference } from '../../src/text/difference';

const NOTE = '# Bees\n\nHoney.\n';
const ADDED = `--- a/Bees.md\t
+++ b/Bees.md\t
@@ -1,3 +1,13 @@
 # Bees
 
 Honey.
+
+## Research
+
+### Hives
+
+- One. ([[Hive]]:3)
+
+### Wax
+
+- Two. ([[Wax]]:4)
+
+<!-- wellread: run 01 -->
`;

describe('a difference that adds a section', () => {
    const difference = parseDifference(ADDED);

    it('is divided at its headings, and what only frames them has no choice', () => {
        expect(difference.parts.map(({ title, frame }) => [title, frame])).toEqual([
            ['Research', true],
            ['Hives', false],
            ['Wax', false],
            ['New lines', true],
        ]);
    });

    it('gives exactly the new text where all is chosen', () => {
        const made = applyParts(NOTE, difference, new Set([1, 2]));
        expect(made).toBe(`${NOTE}\n## Research\n\n### Hives\n\n- One. ([[Hive]]:3)\n\n### Wax\n\n- Two. ([[Wax]]:4)\n\n<!-- wellread: run 01 -->\n`);
    });

    it('leaves out what is not chosen, and keeps the frame', () => {
        const made = applyParts(NOTE, difference, new Set([2]));
        expect(made).toBe(`${NOTE}\n## Research\n\n### Wax\n\n- Two. ([[Wax]]:4)\n\n<!-- wellread: run 01 -->\n`);
    });

    it('changes nothing where nothing is chosen', () => {
        expect(applyParts(NOTE, difference, new Set())).toBe(NOTE);
    });

    it('is refused by a note that has changed', () => {
        expect(applyParts('# Bees\n\nHoney and wax.\n', difference, new Set([1]))).toBeNull();
        expect(applyParts('', difference, new Set([1]))).toBeNull();
    });
});

describe('a difference that replaces lines', () => {
    const text = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', ''].join('\n');
    const difference = parseDifference(
        '@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n@@ -7,3 +7,2 @@\n g\n-h\n i\n',
    );

    it('has a part for each run of changed lines', () => {
        expect(difference.parts.map(({ title }) => title)).toEqual(['Changed lines', 'Removed lines']);
        expect(applyParts(text, difference, new Set([0]))).toBe(text.replace('b', 'B'));
        expect(applyParts(text, difference, new Set([1]))).toBe(text.replace('h\n', ''));
        expect(applyParts(text, difference, new Set([0, 1]))).toBe(text.replace('b', 'B').replace('h\n', ''));
    });
});

it('a last line without a line break gets one, whatever is chosen after it', () => {
    const difference = parseDifference(
        '@@ -1,1 +1,5 @@\n-Honey.\n\\ No newline at end of file\n+Honey.\n+\n+### One\n+x\n+### Two\n+y\n',
    );
    expect(difference.parts.map(({ frame }) => frame)).toEqual([true, false, false]);
    expect(applyParts('Honey.', difference, new Set([2]))).toBe('Honey.\n### Two\ny\n');
    expect(applyParts('Honey.\n', difference, new Set([2]))).toBeNull();
});

it('a mark of a run that alone has changed can be chosen', () => {
    const difference = parseDifference('@@ -1,1 +1,1 @@\n-<!-- wellread: run 01 -->\n+<!-- wellread: run 02 -->\n');
    expect(difference.parts).toMatchObject([{ frame: false }]);
});

it('an empty note gets its first lines', () => {
    const difference = parseDifference('@@ -0,0 +1,1 @@\n+# New\n');
    expect(applyParts('', difference, new Set([0]))).toBe('# New\n');
});

it('carriage returns are kept', () => {
    const difference = parseDifference('@@ -1,2 +1,3 @@\n a\r\n b\r\n+c\r\n');
    expect(applyParts('a\r\nb\r\n', difference, new Set([0]))).toBe('a\r\nb\r\nc\r\n');
});
