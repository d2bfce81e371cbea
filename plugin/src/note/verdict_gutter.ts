// Marks in the gutter of the editor, one for each line that was checked. They move with the text; a line that is edited loses its mark, because
// the verdict was about what stood there before.

import { type Extension, RangeSet, RangeSetBuilder, StateEffect, StateField } from '@codemirror/state';
import { EditorView, GutterMarker, ViewPlugin, gutter } from '@codemirror/view';
import { editorInfoField, setIcon } from 'obsidian';
import { VERDICTS } from '../ui/words';
import { type LineVerdict, describeLine } from './verdict_lines';

const setMarks = StateEffect.define<LineVerdict[]>();

class VerdictMark extends GutterMarker {
    constructor(readonly about: LineVerdict) {
        super();
    }

    override eq(other: GutterMarker): boolean {
        return other instanceof VerdictMark && other.about === this.about;
    }

    override toDOM(): Node {
        const mark = createSpan({
            cls: `wellread-mark is-${this.about.verdict}`,
            attr: {
                title: describeLine(this.about),
                'aria-label': `${VERDICTS[this.about.verdict].word}, line ${this.about.line}`,
            },
        });
        setIcon(mark, VERDICTS[this.about.verdict].icon);
        return mark;
    }
}

const marks = StateField.define<RangeSet<VerdictMark>>({
    create: () => RangeSet.empty,
    update(current, change) {
        for (const effect of change.effects) {
            if (!effect.is(setMarks)) continue;
            const builder = new RangeSetBuilder<VerdictMark>();
            for (const about of effect.value) {
                if (about.line > change.state.doc.lines) continue;
                const { from } = change.state.doc.line(about.line);
                builder.add(from, from, new VerdictMark(about));
            }
            return builder.finish();
        }
        if (!change.docChanged) return current;
        const edited = new Set<number>();
        change.changes.iterChangedRanges((from, to) => {
            const last = change.startState.doc.lineAt(to).number;
            for (let line = change.startState.doc.lineAt(from).number; line <= last; line += 1) edited.add(line);
        });
        const untouched = (from: number): boolean => !edited.has(change.startState.doc.lineAt(from).number);
        return current.update({ filter: untouched }).map(change.changes);
    },
});

/** The extension for every editor, and the way to show marks in those of a note. */
export class VerdictGutter {
    private readonly views = new Set<EditorView>();
    readonly extension: Extension;

    /** `chosen` is called with what a mark that was clicked is about. */
    constructor(chosen: (about: LineVerdict) => void) {
        const views = this.views;
        const watch = ViewPlugin.define((view) => {
            views.add(view);
            return { destroy: () => void views.delete(view) };
        });
        this.extension = [
            marks,
            watch,
            gutter({
                class: 'wellread-gutter',
                markers: (view) => view.state.field(marks),
                domEventHandlers: {
                    click(view, line) {
                        let about: LineVerdict | null = null;
                        view.state.field(marks).between(line.from, line.from, (_from, _to, mark) => {
                            about = mark.about;
                        });
                        if (about) chosen(about);
                        return about !== null;
                    },
                },
            }),
        ];
    }

    /** Shows these marks in every editor of the note. */
    show(path: string, lines: LineVerdict[]): void {
        for (const view of this.views) {
            if (view.state.field(editorInfoField, false)?.file?.path !== path) continue;
            view.dispatch({ effects: setMarks.of(lines) });
        }
    }

    clear(path: string): void {
        this.show(path, []);
    }
}
