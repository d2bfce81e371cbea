// Finds the server that already runs on this computer, so that one click pairs with it.

import { execProgram, findProgram, readTokenFile } from './desktop';
import type { Endpoint } from './client';
import { Problem } from './problem';

interface ShownSettings {
    settings: Record<string, { value: string | number | string[] } | undefined>;
}

/** Its address by the program's settings, and its token by the folder that the program keeps it in. */
export async function findRunningServer(program: string, vault: string): Promise<Endpoint> {
    const found = await findProgram(program);
    const shown = parse<ShownSettings>(await execProgram(found, ['config', 'show', '--json']));
    const { data } = parse<{ data: string }>(await execProgram(found, ['--vault', vault, 'status', '--json']));
    const value = (name: string): string => String(shown.settings[name]?.value ?? '');
    return { address: localAddress(value('server.bind'), value('server.port')), token: await readTokenFile(tokenFile(data)) };
}

/** The address under which a server can be reached from its own machine. */
export function localAddress(bind: string, port: string): string {
    const host = bind === '' || bind === '0.0.0.0' ? '127.0.0.1' : bind === '::' ? '::1' : bind;
    return `http://${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${port || '8000'}`;
}

/** The token is kept beside the data of all vaults: `…/vaults/NAME` is the data of one. */
export function tokenFile(data: string): string {
    const separator = data.includes('\\') ? '\\' : '/';
    return [...data.split(separator).slice(0, -2), 'token'].join(separator);
}

function parse<T>(printed: string): T {
    try {
        return JSON.parse(printed) as T;
    } catch {
        throw new Problem({
            title: 'The server was not found',
            detail: 'the installed program answers in a way that this plugin does not know',
            hint: 'Paste the line that `wellread serve --json` prints instead.',
        });
    }
}
