// Rows of settings.

import type { App, Plugin } from './app';

export class PluginSettingTab {
    readonly containerEl = createDiv({ cls: 'vertical-tab-content' });

    constructor(
        readonly app: App,
        _plugin: Plugin,
    ) {}

    display(): void {}
}

class ButtonComponent {
    readonly buttonEl: HTMLElement;

    constructor(parent: HTMLElement) {
        this.buttonEl = parent.createEl('button');
    }

    setButtonText(text: string): this {
        this.buttonEl.setText(text);
        return this;
    }

    setCta(): this {
        this.buttonEl.addClass('mod-cta');
        return this;
    }

    onClick(act: () => unknown): this {
        this.buttonEl.addEventListener('click', act);
        return this;
    }
}

class TextComponent {
    readonly inputEl: HTMLInputElement;

    constructor(parent: HTMLElement) {
        this.inputEl = parent.createEl('input', { type: 'text' });
    }

    setValue(value: string): this {
        this.inputEl.value = value;
        return this;
    }

    setPlaceholder(text: string): this {
        this.inputEl.placeholder = text;
        return this;
    }

    onChange(act: (value: string) => unknown): this {
        this.inputEl.addEventListener('input', () => act(this.inputEl.value));
        return this;
    }
}

class ToggleComponent {
    readonly toggleEl: HTMLInputElement;

    constructor(parent: HTMLElement) {
        this.toggleEl = parent.createEl('input', { type: 'checkbox', cls: 'checkbox-container' });
    }

    setValue(isOn: boolean): this {
        this.toggleEl.checked = isOn;
        return this;
    }

    onChange(act: (isOn: boolean) => unknown): this {
        this.toggleEl.addEventListener('change', () => act(this.toggleEl.checked));
        return this;
    }
}

export class Setting {
    readonly settingEl: HTMLElement;
    readonly nameEl: HTMLElement;
    readonly descEl: HTMLElement;
    readonly controlEl: HTMLElement;

    constructor(parent: HTMLElement) {
        this.settingEl = parent.createDiv({ cls: 'setting-item' });
        const info = this.settingEl.createDiv({ cls: 'setting-item-info' });
        this.nameEl = info.createDiv({ cls: 'setting-item-name' });
        this.descEl = info.createDiv({ cls: 'setting-item-description' });
        this.controlEl = this.settingEl.createDiv({ cls: 'setting-item-control' });
    }

    setName(name: string): this {
        this.nameEl.setText(name);
        return this;
    }

    setDesc(words: string): this {
        this.descEl.setText(words);
        return this;
    }

    setHeading(): this {
        this.settingEl.addClass('setting-item-heading');
        return this;
    }

    addButton(fill: (button: ButtonComponent) => unknown): this {
        fill(new ButtonComponent(this.controlEl));
        return this;
    }

    addText(fill: (text: TextComponent) => unknown): this {
        fill(new TextComponent(this.controlEl));
        return this;
    }

    addToggle(fill: (toggle: ToggleComponent) => unknown): this {
        fill(new ToggleComponent(this.controlEl));
        return this;
    }
}
