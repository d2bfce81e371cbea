// What lies outside the window: files and requests that are not bound by a browser's rules. A test puts its own in place.

export interface NativeReply {
    status: number;
    text: string;
}

export interface NativeRequest {
    url: string;
    method?: string;
    headers?: Record<string, string>;
    body?: string;
}

export interface Native {
    /** The folder of the vault; none on a phone. */
    base: string | null;
    request(request: NativeRequest): Promise<NativeReply>;
    list(): Promise<string[]>;
    read(path: string): Promise<string>;
    write(path: string, text: string): Promise<void>;
}

const nothing: Native = {
    base: '/vault',
    request: () => Promise.reject(new Error('no request was scripted')),
    list: () => Promise.resolve([]),
    read: (path) => Promise.reject(new Error(`no file ${path}`)),
    write: () => Promise.resolve(),
};

export const native: Native = { ...nothing };

export async function requestUrl(request: NativeRequest & { throw?: boolean }): Promise<NativeReply & { json: unknown }> {
    const { throw: throws = true, ...asked } = request;
    const { status, text } = await native.request(asked);
    if (throws && status >= 400) throw new Error(`Request failed, status ${status}`);
    return {
        status,
        text,
        get json(): unknown {
            return JSON.parse(text);
        },
    };
}

export const Platform = { isDesktop: true, isDesktopApp: true, isMobile: false };

export const Keymap = {
    isModEvent(event?: MouseEvent | KeyboardEvent | null): boolean | string {
        return event && (event.ctrlKey || event.metaKey) ? 'tab' : false;
    },
};

/** Calls it once things have been quiet for a while. */
export function debounce<T extends unknown[]>(act: (...args: T) => unknown, ms = 0, resets = false): (...args: T) => void {
    let timer: number | null = null;
    return (...args) => {
        if (timer !== null && !resets) return;
        if (timer !== null) window.clearTimeout(timer);
        timer = window.setTimeout(() => {
            timer = null;
            act(...args);
        }, ms);
    };
}
