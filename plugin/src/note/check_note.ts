// “Check this note”: every sentence that cites something, against what it cites. No model is asked.

import { MarkdownView, type TFile } from 'obsidian';
import type { Host } from '../host';
import type { ClaimReport } from '../server/answers';

/** The report on the note as it is in the editor, saved or not. With `sources`, against these notes instead. */
export async function checkNote(host: Host, note: TFile, sources?: string[]): Promise<ClaimReport> {
    const client = await host.connection.client();
    const text = await currentText(host, note);
    return client.post<ClaimReport>('/api/tools/check_claims', { path: note.path, text, ...(sources ? { sources } : {}) });
}

/** The notes that this one links to. */
export function linkedNotes(host: Host, note: TFile): string[] {
    const links = host.app.metadataCache.resolvedLinks[note.path] ?? {};
    return Object.keys(links).filter((path) => path.endsWith('.md'));
}

async function currentText(host: Host, note: TFile): Promise<string> {
    for (const leaf of host.app.workspace.getLeavesOfType('markdown')) {
        const { view } = leaf;
        if (view instanceof MarkdownView && view.file?.path === note.path) return view.editor.getValue();
    }
    return host.app.vault.cachedRead(note);
}
