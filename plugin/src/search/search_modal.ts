// Search by meaning: passages of notes for a description in one's own words.

import { type App, SuggestModal } from 'obsidian';
import type { Host } from '../host';
import { openPlace } from '../open_place';
import type { SearchAnswer, SearchResult } from '../server/answers';
import { asProblem } from '../server/problem';
import { lines, noteName, sentence } from '../ui/words';
import { plainPassage } from './passage';

const MOST = 20;
/** A search is asked for when the user pauses. */
const PAUSE_MS = 250;

export class SearchModal extends SuggestModal<SearchResult> {
    /** The number of the last query: answers to earlier ones come too late. */
    private searchNumber = 0;

    constructor(private readonly host: Host) {
        super(host.app satisfies App);
        this.setPlaceholder('Describe what you are looking for');
        this.setInstructions([
            { command: '↵', purpose: 'to open' },
            { command: 'ctrl ↵', purpose: 'to open in a new tab' },
        ]);
        this.modalEl.addClass('wellread-search');
        this.emptyStateText = 'Words in quotes are a phrase; otherwise search also finds the same meaning in other words.';
    }

    override async getSuggestions(query: string): Promise<SearchResult[]> {
        const mine = ++this.searchNumber;
        const words = query.trim();
        if (!words) return [];
        await new Promise((resolve) => window.setTimeout(resolve, PAUSE_MS));
        if (mine !== this.searchNumber) return [];
        try {
            const client = await this.host.connection.client();
            const search = new URLSearchParams({ q: words, k: String(MOST), in: 'notes', mode: 'hybrid' });
            const { results, notice } = await client.get<SearchAnswer>(`/api/search?${search.toString()}`);
            this.emptyStateText = notice ? sentence(notice) : 'No results. Try fewer or different words.';
            return mine === this.searchNumber ? results : [];
        } catch (error) {
            const { title, detail, hint } = asProblem(error);
            this.emptyStateText = `${title}: ${sentence(detail)} ${sentence(hint)}`;
            return [];
        }
    }

    override renderSuggestion(result: SearchResult, el: HTMLElement): void {
        const head = el.createDiv({ cls: 'wellread-row wellread-spread' });
        const heading = result.heading && result.heading !== noteName(result.path) ? ` › ${result.heading}` : '';
        head.createSpan({ cls: 'wellread-result-title', text: noteName(result.path) + heading });
        head.createSpan({ cls: 'wellread-soft', text: lines(result.start_line, result.end_line) });
        el.createDiv({ cls: 'wellread-result-text wellread-soft', text: plainPassage(result.text, result.heading), attr: { dir: 'auto' } });
    }

    override onChooseSuggestion(result: SearchResult, event: MouseEvent | KeyboardEvent): void {
        void openPlace(this.app, { note: result.path, line: result.start_line }, event);
    }
}
