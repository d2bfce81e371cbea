// What the user has set. The token is kept apart: on this device only, never in a file of the vault, which may be synced.

import type { App } from 'obsidian';

export interface WellreadSettings {
    /** The address of a server that is running already; empty to use one of our own. */
    address: string;
    /** Whether the plugin starts a server itself where none is set. Desktop only. */
    startServer: boolean;
    /** The program, if it is not where it is usually installed. */
    program: string;
    /** Whether research reads the pages that it finds. */
    depth: 'shallow' | 'deep';
}

export const DEFAULTS: WellreadSettings = { address: '', startServer: true, program: '', depth: 'shallow' };

const TOKEN = 'wellread-token';

/** The settings in what was stored; what is missing or of the wrong kind has its default. */
export function readSettings(stored: unknown): WellreadSettings {
    const given = typeof stored === 'object' && stored !== null ? (stored as Record<string, unknown>) : {};
    const text = (name: string, otherwise: string): string => {
        const value = given[name];
        return typeof value === 'string' ? value.trim() : otherwise;
    };
    return {
        address: text('address', DEFAULTS.address),
        startServer: typeof given['startServer'] === 'boolean' ? given['startServer'] : DEFAULTS.startServer,
        program: text('program', DEFAULTS.program),
        depth: given['depth'] === 'deep' ? 'deep' : 'shallow',
    };
}

export function loadToken(app: App): string {
    const token: unknown = app.loadLocalStorage(TOKEN);
    return typeof token === 'string' ? token : '';
}

export function saveToken(app: App, token: string): void {
    app.saveLocalStorage(TOKEN, token || null);
}
