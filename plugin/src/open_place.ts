// Opens a note at a place, and makes links that do.

import { type App, Keymap, Notice, TFile } from 'obsidian';
import { noteName } from './ui/words';

export interface Place {
    /** A path in the vault, or the name in a link. */
    note: string;
    heading?: string | undefined;
    /** Counted from 1. */
    line?: number | undefined;
}

/** `Bees/Mites.md:12-14`, a path with its first line; without one, the path alone. */
export function parsePlace(written: string): Place {
    const found = /^(.+?):(\d{1,9})(?:-\d{1,9})?$/.exec(written);
    return found?.[1] && found[2] ? { note: found[1], line: Number(found[2]) } : { note: written };
}

export async function openPlace(app: App, place: Place, event?: MouseEvent | KeyboardEvent): Promise<void> {
    const { note, heading, line } = place;
    const file = app.metadataCache.getFirstLinkpathDest(note, '') ?? app.vault.getAbstractFileByPath(note);
    if (!(file instanceof TFile)) {
        new Notice(`There is no note “${noteName(note)}” in this vault.`);
        return;
    }
    const leaf = app.workspace.getLeaf(event ? Keymap.isModEvent(event) : false);
    const where = line ? { line: line - 1 } : heading ? { subpath: `#${heading}` } : {};
    await leaf.openFile(file, { eState: where });
}

export function addNoteLink(app: App, parent: HTMLElement, place: Place, text = noteName(place.note)): HTMLElement {
    const link = parent.createEl('a', { text, cls: 'internal-link', href: '#', attr: { title: place.note } });
    link.addEventListener('click', (event) => {
        event.preventDefault();
        void openPlace(app, place, event);
    });
    return link;
}
