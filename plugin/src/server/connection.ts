// The connection of this window to a server: made when it is first needed, and made again when it was lost.

import { type App, Events, FileSystemAdapter, Platform } from 'obsidian';
import type { WellreadSettings } from '../settings';
import { loadToken } from '../settings';
import type { Status, VaultList } from './answers';
import { Client, type Endpoint } from './client';
import { findProgram, startServer, type StartedServer } from './desktop';
import { Problem, asProblem } from './problem';

export type ConnectionState =
    | { kind: 'off'; problem: Problem | null }
    | { kind: 'connecting' }
    | { kind: 'ready'; client: Client; ours: boolean; otherVault: string | null };

/** Triggers `change` whenever its state does. */
export class Connection extends Events {
    state: ConnectionState = { kind: 'off', problem: null };
    private attempt: Promise<Client> | null = null;
    private started: StartedServer | null = null;
    /** Which attempt counts: one that was begun before a reset has nothing to say any more. */
    private generation = 0;

    constructor(
        private readonly app: App,
        private readonly settings: () => WellreadSettings,
    ) {
        super();
    }

    /** A client that is connected. Throws the problem, with what to do about it, where that can't be had. */
    async client(): Promise<Client> {
        if (this.state.kind === 'ready') return this.state.client;
        if (this.attempt) return this.attempt;
        const attempt = this.connect(this.generation).finally(() => {
            if (this.attempt === attempt) this.attempt = null;
        });
        this.attempt = attempt;
        return attempt;
    }

    /** Drops the connection, so that the next one is made by the settings as they are now. */
    reset(): void {
        this.generation += 1;
        this.attempt = null;
        this.started?.stop();
        this.started = null;
        this.change({ kind: 'off', problem: null });
    }

    private async connect(generation: number): Promise<Client> {
        this.change({ kind: 'connecting' });
        try {
            const { endpoint, ours } = await this.endpoint(generation);
            const { client, vault } = await this.reachVault(endpoint);
            await client.probeStreaming();
            this.checkCurrent(generation);
            this.change({ kind: 'ready', client, ours, otherVault: this.otherVault(vault) });
            return client;
        } catch (error) {
            const problem = asProblem(error);
            if (generation === this.generation) this.change({ kind: 'off', problem });
            throw problem;
        }
    }

    /** A client of the vault that is open here, where the server has it; otherwise of the one that the server has first. */
    private async reachVault(endpoint: Endpoint): Promise<{ client: Client; vault: string }> {
        const lost = (): void => this.change({ kind: 'off', problem: null });
        const client = new Client(endpoint, lost);
        const { vault } = await client.get<Status>('/api/status');
        // A server of before knows of no others.
        const listed: Partial<VaultList> = await client.get<Partial<VaultList>>('/api/vaults').catch(() => ({}));
        const here = this.findVault(listed.vaults ?? []);
        if (!here) return { client, vault };
        return { client: new Client({ ...endpoint, address: endpoint.address + here.address }, lost), vault: here.path };
    }

    /** The vault that is open here: by its folder, or by the folder's name if only one is called so, since elsewhere the path may differ. */
    private findVault(vaults: VaultList['vaults']): VaultList['vaults'][number] | undefined {
        const adapter = this.app.vault.adapter;
        if (vaults.length < 2 || !(adapter instanceof FileSystemAdapter)) return undefined;
        const base = adapter.getBasePath().replace(/[\\/]+$/, '');
        const namesakes = vaults.filter((one) => !this.otherVault(one.path));
        return vaults.find((one) => one.path === base) ?? (namesakes.length === 1 ? namesakes[0] : undefined);
    }

    private async endpoint(generation: number): Promise<{ endpoint: Endpoint; ours: boolean }> {
        const { address, startServer: mayStart, program } = this.settings();
        const token = loadToken(this.app);
        if (address && token) return { endpoint: { address, token }, ours: false };
        if (address)
            throw new Problem({
                title: 'Not paired yet',
                detail: `the server at ${address} asks for a token`,
                hint: 'Paste the token in the settings of the plugin.',
                status: 401,
            });
        const adapter = this.app.vault.adapter;
        if (!Platform.isDesktopApp || !(adapter instanceof FileSystemAdapter))
            throw new Problem({
                title: 'No server is set up',
                detail: 'on a phone or tablet, Wellread needs a server on another machine',
                hint: 'Enter its address and token in the settings of the plugin.',
            });
        if (!mayStart)
            throw new Problem({
                title: 'No server is set up',
                detail: 'the plugin may not start one, and no address is set',
                hint: 'Turn on “Start the server” in the settings of the plugin, or enter the address of a running server.',
            });
        if (!this.started) {
            const started = await this.start(program, adapter.getBasePath());
            if (generation !== this.generation) started.stop();
            this.checkCurrent(generation);
            this.started = started;
        }
        return { endpoint: this.started, ours: true };
    }

    private async start(program: string, vault: string): Promise<StartedServer> {
        const origin = window.location.origin;
        const started = await startServer(await findProgram(program), vault, origin === 'null' ? 'app://obsidian.md' : origin);
        started.onEnd(() => {
            if (this.started !== started) return;
            this.started = null;
            this.change({ kind: 'off', problem: null });
        });
        return started;
    }

    private checkCurrent(generation: number): void {
        if (generation !== this.generation)
            throw new Problem({ title: 'Not connected', detail: 'the settings were changed meanwhile', hint: 'Try again.' });
    }

    /** The vault that the server has, if it is not the one that is open here. By name: on another machine its path may differ. */
    private otherVault(theirs: string): string | null {
        const adapter = this.app.vault.adapter;
        if (!(adapter instanceof FileSystemAdapter)) return null;
        const name = (path: string): string => path.replace(/[\\/]+$/, '').split(/[\\/]/).pop() ?? '';
        return name(theirs) === name(adapter.getBasePath()) ? null : theirs;
    }

    private change(state: ConnectionState): void {
        this.state = state;
        this.trigger('change');
    }
}
