// What only the desktop app can do: find the program, start the server, read the file with the token.
//
// Node's modules are loaded when they are used and only on the desktop: on a phone they do not exist.

import { Platform } from 'obsidian';
import type { Endpoint } from './client';
import { Problem } from './problem';

const NAMES = ['wellread', 'wellread.exe'];
/** Where installers put programs, besides what PATH names: an app that was started from a dock has a short one. */
const FOLDERS = ['~/.cargo/bin', '~/.local/bin', '/usr/local/bin', '/opt/homebrew/bin', '/usr/bin'];
/** How much of what a program complained about is shown. */
const MOST_SHOWN = 600;

/** A server that this window has started. */
export interface StartedServer extends Endpoint {
    stop(): void;
    /** Called when it ends by itself. */
    onEnd(tell: () => void): void;
}

/** Where the program is: as it was set, or where it is usually installed. */
export async function findProgram(set: string): Promise<string> {
    const { fs, path, os } = await loadNode();
    const isThere = async (file: string): Promise<boolean> => {
        try {
            await fs.promises.access(file, fs.constants.X_OK);
            return (await fs.promises.stat(file)).isFile();
        } catch {
            return false;
        }
    };
    const home = (file: string): string => (file.startsWith('~') ? path.join(os.homedir(), file.slice(1)) : file);
    if (set) {
        if (await isThere(home(set))) return home(set);
        throw missing(`there is no program at ${set}`);
    }
    const folders = [...(process.env['PATH'] ?? '').split(path.delimiter).filter(Boolean), ...FOLDERS.map(home)];
    for (const folder of folders)
        for (const name of NAMES) if (await isThere(path.join(folder, name))) return path.join(folder, name);
    throw missing('the program `wellread` was not found on this computer');
}

/** Starts a server for a vault, on a free port, which lets this window in. */
export async function startServer(program: string, vault: string, origin: string): Promise<StartedServer> {
    const { childProcess } = await loadNode();
    const child = childProcess.spawn(program, ['--vault', vault, 'serve', '--port', '0', '--json'], {
        env: { ...process.env, WELLREAD_SERVER_ORIGINS: origin },
        stdio: ['ignore', 'pipe', 'pipe'],
        windowsHide: true,
    });
    try {
        const said = JSON.parse(await firstLine(child)) as { url: string; token_file: string | null };
        if (!said.token_file) throw startFailed('its token is set in its settings, so it can’t be read from a file');
        const token = await readTokenFile(said.token_file);
        // What it says from now on is read by nobody, and must not fill the pipe.
        child.stdout?.resume();
        child.stderr?.resume();
        return {
            address: said.url,
            token,
            stop: () => void child.kill(),
            onEnd: (tell) => void child.once('exit', tell),
        };
    } catch (error) {
        child.kill();
        throw error instanceof Problem ? error : startFailed(String(error));
    }
}

/** What a program prints when it is run with these arguments. */
export async function execProgram(program: string, args: string[]): Promise<string> {
    const { childProcess } = await loadNode();
    return new Promise((resolve, reject) => {
        childProcess.execFile(program, args, { windowsHide: true }, (error, printed, complained) => {
            if (error) reject(startFailed(complained.trim().slice(-MOST_SHOWN) || error.message));
            else resolve(printed);
        });
    });
}

export async function readTokenFile(file: string): Promise<string> {
    const { fs } = await loadNode();
    try {
        return (await fs.promises.readFile(file, 'utf8')).trim();
    } catch {
        throw new Problem({
            title: 'The token can’t be read',
            detail: `the file ${file} can’t be read from here`,
            hint: 'If the server runs on another machine, paste the token itself.',
        });
    }
}

/** The first line that a program prints; a problem with its own words if it ends before. */
function firstLine(child: import('child_process').ChildProcess): Promise<string> {
    return new Promise((resolve, reject) => {
        let printed = '';
        let complained = '';
        child.stdout?.on('data', (piece: Buffer) => {
            printed += piece.toString();
            const end = printed.indexOf('\n');
            if (end >= 0) resolve(printed.slice(0, end));
        });
        child.stderr?.on('data', (piece: Buffer) => (complained = (complained + piece.toString()).slice(-MOST_SHOWN)));
        child.once('error', (error) => reject(startFailed(error.message)));
        child.once('close', (code) => reject(startFailed(complained.trim() || `it ended with status ${code}`)));
    });
}

interface NodeModules {
    childProcess: typeof import('child_process');
    fs: typeof import('fs');
    os: typeof import('os');
    path: typeof import('path');
}

async function loadNode(): Promise<NodeModules> {
    if (Platform.isDesktop && Platform.isDesktopApp) {
        const [childProcess, fs, os, path] = await Promise.all([
            import('child_process'),
            import('fs'),
            import('os'),
            import('path'),
        ]);
        return { childProcess, fs, os, path };
    }
    throw new Problem({
        title: 'Not on this device',
        detail: 'a server can’t be started on a phone or tablet',
        hint: 'Enter the address and the token of a server that runs on another machine.',
    });
}

function missing(detail: string): Problem {
    return new Problem({
        title: 'Wellread is not installed here',
        detail,
        hint: 'Install it, or enter the path of the program, or the address of a running server, in the settings of the plugin.',
    });
}

function startFailed(detail: string): Problem {
    return new Problem({
        title: 'Wellread did not start',
        detail,
        hint: 'Run `wellread doctor` in a terminal: it says what is missing.',
    });
}
