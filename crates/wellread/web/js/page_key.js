// The key of this origin's pages. The cookie reaches every port of the host; the server wants this beside it, which does not.

export const HEADER = 'X-Wellread-Key';

/** The key; empty where this browser keeps none. */
export function pageKey() {
    try {
        return localStorage.getItem('wellread-key') ?? '';
    } catch {
        return '';
    }
}
