// The vault: files by their paths, read and written through `native`; and where links lead.

import { Events } from './component';
import { native } from './native';

export class TAbstractFile {
    constructor(readonly path: string) {}

    get name(): string {
        return this.path.split('/').pop() ?? this.path;
    }
}

export class TFile extends TAbstractFile {
    get extension(): string {
        return /\.([^.]+)$/.exec(this.name)?.[1] ?? '';
    }

    get basename(): string {
        return this.name.replace(/\.[^.]+$/, '');
    }
}

export class FileSystemAdapter {
    getBasePath(): string {
        return native.base ?? '';
    }
}

export class Vault extends Events {
    readonly adapter: object = native.base === null ? {} : new FileSystemAdapter();
    private readonly files = new Map<string, TFile>();

    async standInLoad(): Promise<void> {
        for (const path of await native.list()) if (!this.files.has(path)) this.files.set(path, new TFile(path));
    }

    getAbstractFileByPath(path: string): TFile | null {
        return this.files.get(path) ?? null;
    }

    getMarkdownFiles(): TFile[] {
        return [...this.files.values()].filter(({ extension }) => extension === 'md');
    }

    async read(file: TFile): Promise<string> {
        return native.read(file.path);
    }

    async cachedRead(file: TFile): Promise<string> {
        return this.read(file);
    }

    async process(file: TFile, change: (text: string) => string): Promise<string> {
        const made = change(await this.read(file));
        await native.write(file.path, made);
        this.trigger('modify', file);
        return made;
    }
}

export class MetadataCache extends Events {
    resolvedLinks: Record<string, Record<string, number>> = {};

    constructor(private readonly vault: Vault) {
        super();
    }

    /** By path, with or without ending, or by name. */
    getFirstLinkpathDest(link: string, _source: string): TFile | null {
        const wanted = link.toLowerCase().replace(/\.md$/, '');
        const files = this.vault.getMarkdownFiles();
        return (
            files.find(({ path }) => path.toLowerCase().replace(/\.md$/, '') === wanted) ??
            files.find(({ basename }) => basename.toLowerCase() === wanted) ??
            null
        );
    }
}
