// The rules by which the community store reviews plugins, as their authors publish them.

import { defineConfig } from 'eslint/config';
import obsidianmd from 'eslint-plugin-obsidianmd';

export default defineConfig([
    { ignores: ['build/**', 'node_modules/**', 'tests/**', '*.mjs', '*.json', 'vitest.config.ts', '*.mts', 'package*.json'] },
    ...obsidianmd.configs.recommended,
    {
        files: ['src/**/*.ts'],
        languageOptions: { parserOptions: { projectService: true } },
        rules: {
            // The compiler reports these with more precision.
            'no-undef': 'off',
            // The declarative settings need Obsidian 1.13; the plugin runs on older ones, too.
            'obsidianmd/settings-tab/prefer-setting-definitions': 'off',
            'obsidianmd/ui/sentence-case': [
                'error',
                { brands: ['Wellread', 'Obsidian', 'arXiv'], acronyms: ['URL', 'JSON', 'HTTP'] },
            ],
        },
    },
    {
        // `requestUrl` can't stream; the file says when `fetch` is used.
        files: ['src/server/client.ts'],
        rules: { 'no-restricted-globals': 'off' },
    },
]);
