// Where the modules are that the plugin shares with the web page of the server.

import { fileURLToPath } from 'node:url';

export const PAGE = { 'wellread-page': fileURLToPath(new URL('../crates/wellread/web/js', import.meta.url)) };
