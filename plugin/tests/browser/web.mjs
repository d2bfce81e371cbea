// A small web: a search service that finds the pages of this list, and the pages.

import { createServer } from 'node:http';

/** `pages`: path → `{ title, paragraphs }`. */
export async function startWeb(pages) {
    const server = createServer((request, response) => {
        const url = new URL(request.url, 'http://web');
        if (url.pathname === '/search') {
            const results = Object.entries(pages).map(([path, { title, paragraphs }]) => ({
                title,
                url: `http://${request.headers.host}${path}`,
                content: paragraphs[0],
                engine: 'x',
                score: 1,
            }));
            response.setHeader('content-type', 'application/json');
            response.end(JSON.stringify({ query: '', number_of_results: results.length, results, answers: [], unresponsive_engines: [] }));
            return;
        }
        const page = pages[url.pathname];
        response.statusCode = page ? 200 : 404;
        response.setHeader('content-type', 'text/html; charset=utf-8');
        const body = page ? page.paragraphs.map((one) => `<p>${one}</p>`).join('\n') : '';
        response.end(`<!doctype html><html lang="en"><head><title>${page?.title ?? ''}</title></head><body><article><h1>${page?.title ?? ''}</h1>${body}</article></body></html>`);
    });
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    return { base: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}
