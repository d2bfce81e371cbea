import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import * as standIn from '../stand_in/obsidian';

const types = readFileSync('node_modules/obsidian/obsidian.d.ts', 'utf8');

/** The members that the official types declare for a class, with those of the classes that it extends. */
function declared(name: string): Set<string> {
    const found = new RegExp(`^export (?:abstract )?class ${name}(?:<[^{]*?>)?(?: extends (\\w+))?[^{]*\\{$([\\s\\S]*?)^\\}`, 'm').exec(types);
    if (!found) return new Set();
    const members = new Set(found[1] ? declared(found[1]) : []);
    for (const [, member] of (found[2] ?? '').matchAll(/^ {4}(?:abstract |readonly |static |protected |private )*(\w+)[?]?[(:<]/gm)) if (member) members.add(member);
    return members;
}

/** Private to the stand-in, by the keyword that is gone at run time. */
const INTERNAL = new Set(['ask', 'make', 'lookAgain', 'constructor']);

it.each(Object.keys(standIn))('the stand-in has nothing as %s that Obsidian does not have', (name) => {
    expect(types).toMatch(new RegExp(`^export (?:abstract )?(?:class|function|const) ${name}\\b`, 'm'));
    const value: unknown = standIn[name as keyof typeof standIn];
    if (typeof value !== 'function' || !Object.getOwnPropertyNames(value).includes('prototype') || !/^class/.test(String(value))) return;
    const known = declared(name);
    const own = Object.getOwnPropertyNames((value as { prototype: object }).prototype);
    expect(own.filter((member) => !known.has(member) && !INTERNAL.has(member) && !member.startsWith('standIn'))).toEqual([]);
});
