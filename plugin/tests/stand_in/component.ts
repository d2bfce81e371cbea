// Events and the life of components, as Obsidian has them.

type Listener = (...data: unknown[]) => unknown;

export interface EventRef {
    events: Events;
    name: string;
    listener: Listener;
}

export class Events {
    private readonly listeners = new Map<string, Set<Listener>>();

    on(name: string, listener: Listener): EventRef {
        const known = this.listeners.get(name) ?? new Set();
        this.listeners.set(name, known.add(listener));
        return { events: this, name, listener };
    }

    offref({ name, listener }: EventRef): void {
        this.listeners.get(name)?.delete(listener);
    }

    trigger(name: string, ...data: unknown[]): void {
        for (const listener of [...(this.listeners.get(name) ?? [])]) listener(...data);
    }
}

export class Component {
    private readonly ends: (() => unknown)[] = [];
    private readonly children = new Set<Component>();
    private isLoaded = false;

    load(): void {
        if (this.isLoaded) return;
        this.isLoaded = true;
        void this.onload();
        for (const child of this.children) child.load();
    }

    unload(): void {
        if (!this.isLoaded) return;
        this.isLoaded = false;
        for (const child of this.children) child.unload();
        for (const end of this.ends.splice(0).reverse()) end();
        this.onunload();
    }

    onload(): unknown {
        return undefined;
    }

    onunload(): void {}

    addChild<T extends Component>(child: T): T {
        this.children.add(child);
        if (this.isLoaded) child.load();
        return child;
    }

    removeChild<T extends Component>(child: T): T {
        this.children.delete(child);
        child.unload();
        return child;
    }

    register(end: () => unknown): void {
        this.ends.push(end);
    }

    registerEvent(event: EventRef): void {
        this.register(() => event.events.offref(event));
    }

    registerDomEvent(target: EventTarget, name: string, listener: EventListener): void {
        target.addEventListener(name, listener);
        this.register(() => target.removeEventListener(name, listener));
    }

    registerInterval(id: number): number {
        this.register(() => window.clearInterval(id));
        return id;
    }
}
