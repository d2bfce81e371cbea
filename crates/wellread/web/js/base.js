// Which vault this page, or its worker, is about: what stands before every address of it. Nothing for the one that is served first.

export const base = location.pathname.match(/^\/vaults\/[^/]+/)?.[0] ?? '';
