// Writes what research has found: all of it by the server, or the chosen parts by Obsidian.

import type { TFile } from 'obsidian';
import type { Host } from '../host';
import type { NoteAnswer } from '../server/answers';
import { Problem } from '../server/problem';
import { type Difference, applyParts } from '../text/difference';
import { counted } from '../ui/words';

export interface Written {
    message: string;
    undo(): Promise<void>;
}

/** What is chosen of a preview. */
export interface ChosenParts {
    /** The note when the preview was shown. */
    before: string;
    difference: Difference;
    chosen: ReadonlySet<number>;
}

/** All that the preview showed: the server writes exactly that, into its journal, too, and merges with what was typed meanwhile. */
export async function writeAll(host: Host, note: TFile, previewRun: string): Promise<Written> {
    const client = await host.connection.client();
    const { operation } = await client.post<NoteAnswer>('/api/note/research', { path: note.path, previewRun });
    return {
        message: `Written to ${note.basename}.`,
        undo: async () => {
            await client.post('/api/undo', operation ? { operation } : {});
        },
    };
}

/** Some parts of it. The note must be the one that the preview was made for: nothing is guessed. */
export async function writeParts(host: Host, note: TFile, { before, difference, chosen }: ChosenParts): Promise<Written> {
    const after = await host.app.vault.process(note, (text) => {
        const made = text === before ? applyParts(text, difference, chosen) : null;
        if (made === null) throw changedMeanwhile('preview');
        return made;
    });
    return {
        message: `${counted(chosen.size, 'part')} written to ${note.basename}.`,
        undo: async () => {
            await host.app.vault.process(note, (text) => {
                if (text !== after) throw changedMeanwhile('edit');
                return before;
            });
        },
    };
}

function changedMeanwhile(since: string): Problem {
    return new Problem({
        title: 'The note has changed',
        detail: `the note was changed after this ${since}, so nothing was written`,
        hint: since === 'preview' ? 'Preview the changes again.' : 'Undo it by hand.',
        status: 409,
    });
}
