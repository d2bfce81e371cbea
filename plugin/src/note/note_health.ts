// What the health report of the vault says about one note.

import type { Health } from '../server/answers';
import type { Place } from '../open_place';
import { noteName } from '../ui/words';

/** One thing to look at: words, and the place that they are about. */
export interface HealthEntry {
    text: string;
    place?: Place;
}

export interface HealthSection {
    title: string;
    entries: HealthEntry[];
}

export function noteHealth(report: Health, path: string): HealthSection[] {
    const sections: HealthSection[] = [
        { title: 'Dead links', entries: deadLinks(report, path) },
        { title: 'Contradictions', entries: contradictions(report, path) },
        { title: 'Notes you may have forgotten', entries: forgotten(report, path) },
        { title: 'Nearly the same text', entries: duplicates(report, path) },
        { title: 'Possibly out of date', entries: stale(report, path) },
        { title: 'Links', entries: links(report, path) },
    ];
    return sections.filter(({ entries }) => entries.length);
}

function deadLinks({ deadLinks: all }: Health, path: string): HealthEntry[] {
    return all
        .filter((one) => one.path === path)
        .map(({ line, target, reason }) => ({
            text: `Line ${line} links to “${target}”, which does not exist${reason ? `: ${reason}` : ''}`,
            place: { note: path, line },
        }));
}

function contradictions({ contradictions: all }: Health, path: string): HealthEntry[] {
    return all.flatMap(({ what, values, one, other }) => {
        if (one.path !== path && other.path !== path) return [];
        const [here, there] = one.path === path ? [one, other] : [other, one];
        const [value, otherValue] = one.path === path ? values : [...values].reverse();
        return [
            {
                text: `${what}: ${value} here, line ${here.startLine}; ${otherValue} in ${noteName(there.path)}`,
                place: { note: there.path, line: there.startLine },
            },
        ];
    });
}

/** Notes that this one speaks of without a link, and that speak of this one. */
function forgotten({ suggestedLinks }: Health, path: string): HealthEntry[] {
    return suggestedLinks.flatMap(({ from, line, mention, to }) => {
        if (from === path)
            return [{ text: `Line ${line} mentions “${mention}” without a link to ${noteName(to)}`, place: { note: to } }];
        if (to === path)
            return [{ text: `${noteName(from)} mentions this note without a link`, place: { note: from, line } }];
        return [];
    });
}

function duplicates({ duplicates: all }: Health, path: string): HealthEntry[] {
    return all.flatMap(({ one, other, similarity }) => {
        const twin = one === path ? other : other === path ? one : null;
        return twin ? [{ text: `${noteName(twin)}, ${Math.round(similarity * 100)} % similar`, place: { note: twin } }] : [];
    });
}

function stale({ stale: all }: Health, path: string): HealthEntry[] {
    return all.filter((one) => one.path === path).map(({ changed, reason }) => ({ text: `Last changed ${changed}: ${reason}` }));
}

function links({ orphans, deadEnds }: Health, path: string): HealthEntry[] {
    if (orphans.includes(path)) return [{ text: 'Nothing links to this note, and it links to nothing' }];
    return deadEnds.includes(path) ? [{ text: 'Other notes link to this one, but it links to none' }] : [];
}
