// What the views need of the plugin.

import type { App, TFile } from 'obsidian';
import type { Connection } from './server/connection';
import type { WellreadSettings } from './settings';

export interface Host {
    readonly app: App;
    readonly connection: Connection;
    readonly settings: WellreadSettings;
    /** The note that is open, also while the sidebar has the focus. */
    activeNote(): TFile | null;
    research(note: TFile): void;
    checkNote(note: TFile): Promise<void>;
}
