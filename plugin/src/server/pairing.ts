// What a user may paste to pair with a server: the token, a pairing link, or what `wellread serve` printed.

import { Problem } from './problem';

export interface Pairing {
    /** Scheme, host and port. */
    address?: string;
    token?: string;
    /** The file that the token is in, on the server's machine. */
    tokenFile?: string;
}

/** The name of the plugin's own links: `obsidian://wellread?address=…&token=…`. */
export const ACTION = 'wellread';

export function parsePairing(pasted: string): Pairing {
    const text = pasted.trim();
    if (!text) throw unclear('nothing was pasted');
    if (text.startsWith('{')) return parseAnnouncement(text);
    const link = /\S*:\/\/\S+/.exec(text)?.[0];
    if (!link) return { token: checkToken(text) };
    const rest = text.replace(link, '').trim();
    const found = link.toLowerCase().startsWith('obsidian:') ? parseOwnLink(link) : parseAddress(link);
    return rest && !found.token ? { ...found, token: checkToken(rest) } : found;
}

/** The address of a server: scheme, host and port. */
export function checkAddress(written: string): string {
    let url: URL;
    try {
        url = new URL(written.includes('://') ? written : `http://${written}`);
    } catch {
        throw unclear(`“${written}” is not an address`);
    }
    if (url.protocol !== 'http:' && url.protocol !== 'https:') throw unclear(`“${written}” is not an address of the web`);
    return `${url.protocol}//${url.host}`;
}

/** Whether an address is on this machine. */
export function isLocal(address: string): boolean {
    const host = new URL(address).hostname;
    return host === 'localhost' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host);
}

/** The line that `wellread serve --json` prints. */
function parseAnnouncement(text: string): Pairing {
    let said: { url?: unknown; token_file?: unknown };
    try {
        said = JSON.parse(text) as typeof said;
    } catch {
        throw unclear('this JSON is not complete');
    }
    if (typeof said.url !== 'string') throw unclear('this JSON has no `url`');
    const address = checkAddress(said.url);
    return typeof said.token_file === 'string' ? { address, tokenFile: said.token_file } : { address };
}

function parseOwnLink(link: string): Pairing {
    const query = new URLSearchParams(link.slice(link.indexOf('?') + 1));
    return pairing(query.get('address'), query.get('token'));
}

/** An address, or the link that opens the page in a browser. The code in that link is for one browser and of no use here. */
function parseAddress(link: string): Pairing {
    const address = checkAddress(link);
    const url = new URL(link);
    const token = new URLSearchParams(url.hash.slice(1)).get('token') ?? url.searchParams.get('token');
    return pairing(address, token);
}

function pairing(address: string | null, token: string | null): Pairing {
    if (!address && !token) throw unclear('this link names neither an address nor a token');
    return { ...(address ? { address: checkAddress(address) } : {}), ...(token ? { token: checkToken(token) } : {}) };
}

/** A token goes into a header: visible characters, no blanks. */
function checkToken(text: string): string {
    if (!/^[\x21-\x7e]+$/.test(text)) throw unclear('a token has no blanks and only plain characters');
    return text;
}

function unclear(detail: string): Problem {
    return new Problem({
        title: 'This can’t be used for pairing',
        detail,
        hint: 'Paste the token, which is in the file that `wellread serve --json` names, or that whole line.',
        status: 400,
    });
}
