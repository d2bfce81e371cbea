// The modules that the plugin shares with the web page of the server, which are plain JavaScript.

declare module 'wellread-page/markdown.js' {
    /** A text as a block of elements. No HTML is read and no picture is loaded. */
    export function markdown(text: string, options?: { from?: number }): HTMLElement;
}

declare module 'wellread-page/sse.js' {
    /** Each event of a stream. */
    export function events(
        body: ReadableStream<Uint8Array>,
    ): AsyncGenerator<{ id: string | null; name: string; data: unknown }>;
}

declare module 'wellread-page/time.js' {
    /** How long ago a moment was: `2 hours ago`. */
    export function ago(moment: string): string;
    /** `80 ms`, `4.5 s`, `4 min 3 s`. */
    export function lasted(ms: number): string;
}
