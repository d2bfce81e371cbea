// A stand-in for the module `obsidian`: the part of the API that the plugin uses, for unit tests and for a page in a browser.
// What only tests may use begins with `standIn`; a test compares the rest with the official types.

export { App, Plugin } from './app';
export { Component, Events } from './component';
export { setIcon } from './icons';
export { Modal, Notice, SuggestModal } from './modals';
export { Keymap, Platform, debounce, requestUrl } from './native';
export { PluginSettingTab, Setting } from './settings';
export { FileSystemAdapter, MetadataCache, TAbstractFile, TFile, Vault } from './vault';
export { ItemView, MarkdownView, View, Workspace, WorkspaceLeaf, editorInfoField } from './workspace';
