import { EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { expect, it } from 'vitest';
import { noteHealth } from '../../src/note/note_health';
import { VerdictGutter } from '../../src/note/verdict_gutter';
import { type LineVerdict, describeLine, verdictsByLine } from '../../src/note/verdict_lines';
import type { CheckedSentence, Health, Verdict } from '../../src/server/answers';
import { TFile, editorInfoField } from '../stand_in/obsidian';

function checked(line: number, verdict: Verdict, reason = ''): CheckedSentence {
    return { text: `sentence ${line}`, line, verdict, reason, evidence: [] };
}

it('the worst verdict of a line decides on its mark, and what was not checked has none', () => {
    const lines = verdictsByLine([checked(5, 'quoted'), checked(3, 'supported'), checked(3, 'contradicted', 'number differs: 44 / 38.5'), checked(9, 'uncited')]);
    expect(lines.map(({ line, verdict, sentences }) => [line, verdict, sentences.length])).toEqual([
        [3, 'contradicted', 2],
        [5, 'quoted', 1],
    ]);
    expect(describeLine(lines[0] as LineVerdict)).toContain('contradicted: number differs: 44 / 38.5');
});

function editor(gutter: VerdictGutter, path: string, doc: string): EditorView {
    const file = new TFile(path);
    const extensions = [editorInfoField.init(() => ({ file })), gutter.extension];
    return new EditorView({ state: EditorState.create({ doc, extensions }), parent: document.body });
}

function marks(view: EditorView): string[] {
    view.requestMeasure();
    return Array.from(view.dom.querySelectorAll('.wellread-mark'), (mark) => mark.className.replace('wellread-mark is-', ''));
}

it('marks are shown in the editors of the note alone, move with the text and go with the line', () => {
    const gutter = new VerdictGutter(() => undefined);
    const [here, there] = [editor(gutter, 'Bees.md', 'one\ntwo\nthree\nfour\n'), editor(gutter, 'Wax.md', 'one\n')];
    gutter.show('Bees.md', verdictsByLine([checked(2, 'supported'), checked(4, 'contradicted'), checked(99, 'quoted')]));
    expect(marks(here)).toEqual(['supported', 'contradicted']);
    expect(marks(there)).toEqual([]);
    here.dispatch({ changes: { from: 0, insert: 'zero\n' } });
    expect(marks(here)).toEqual(['supported', 'contradicted']);
    const two = here.state.doc.line(3);
    here.dispatch({ changes: { from: two.to, insert: ' and a half' } });
    expect(marks(here)).toEqual(['contradicted']);
    gutter.clear('Bees.md');
    expect(marks(here)).toEqual([]);
    for (const view of [here, there]) view.destroy();
});

it('the health of a note is what the report says about it', () => {
    const report: Health = {
        orphans: [],
        deadEnds: ['Bees.md'],
        deadLinks: [
            { path: 'Bees.md', line: 4, target: 'Drone frame' },
            { path: 'Wax.md', line: 1, target: 'Nobody' },
        ],
        duplicates: [{ one: 'Wax.md', other: 'Bees.md', similarity: 0.934 }],
        contradictions: [
            {
                what: 'oxalic acid treatment',
                values: ['2024-12-28', '2024-12-21'],
                one: { path: 'Bramble.md', startLine: 13, quote: '' },
                other: { path: 'Bees.md', startLine: 2, quote: '' },
            },
        ],
        stale: [],
        suggestedLinks: [{ from: 'Bees.md', line: 7, mention: 'wax', to: 'Wax.md' }],
        neverDrawnOn: { count: 0, notes: [] },
    };
    expect(noteHealth(report, 'Bees.md').map(({ title, entries }) => [title, entries[0]?.text, entries[0]?.place])).toEqual([
        ['Dead links', 'Line 4 links to “Drone frame”, which does not exist', { note: 'Bees.md', line: 4 }],
        ['Contradictions', 'oxalic acid treatment: 2024-12-21 here, line 2; 2024-12-28 in Bramble', { note: 'Bramble.md', line: 13 }],
        ['Notes you may have forgotten', 'Line 7 mentions “wax” without a link to Wax', { note: 'Wax.md' }],
        ['Nearly the same text', 'Wax, 93 % similar', { note: 'Wax.md' }],
        ['Links', 'Other notes link to this one, but it links to none', undefined],
    ]);
    expect(noteHealth(report, 'Ink.md')).toEqual([]);
});
