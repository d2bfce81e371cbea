import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { PAGE } from './page_alias.mjs';

export default defineConfig({
    resolve: {
        alias: { ...PAGE, obsidian: fileURLToPath(new URL('tests/stand_in/obsidian.ts', import.meta.url)) },
    },
    test: {
        environment: 'happy-dom',
        include: ['tests/unit/**/*.test.ts'],
        setupFiles: ['tests/stand_in/dom.ts'],
        maxWorkers: 1,
    },
});
