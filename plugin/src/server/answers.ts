// What the server answers with, as far as the plugin reads it. The whole of it is in `/api/openapi.json`.

export type Verdict = 'quoted' | 'supported' | 'contradicted' | 'unknown' | 'uncited';

/** How many sentences have which verdict. */
export interface Coverage {
    sentences: number;
    quoted: number;
    supported: number;
    contradicted: number;
    unknown: number;
    uncited: number;
}

export interface Status {
    vault: string;
    notes: number;
    pending: number;
}

export interface VaultList {
    vaults: { name: string; path: string; address: string }[];
}

export interface SessionList {
    sessions: { id: string; active_file?: string; last: string }[];
}

export interface PendingEdit {
    id: string;
    tool: string;
    diff: string;
}

export interface Session {
    id: string;
    messages: { role: 'user' | 'assistant' | 'tool'; text: string; unchecked?: string[] }[];
    pending: PendingEdit[];
}

export interface ChatAnswer {
    response: string;
    session_id: string;
    pending?: PendingEdit[];
    unchecked?: string[];
    coverage?: Coverage;
    notice?: string;
}

export interface NoteAnswer {
    path: string;
    run_id: string;
    sources: { title?: string; url?: string; path?: string }[];
    forgotten?: { path: string; why: string }[];
    coverage?: Coverage;
    notice?: string;
    operation?: string;
    dry_run?: boolean;
    diff?: string;
}

export interface ClaimEvidence {
    path: string;
    start_line: number;
    end_line: number;
    quote: string;
}

export interface CheckedSentence {
    text: string;
    line: number;
    verdict: Verdict;
    connective?: boolean;
    reason?: string;
    evidence: ClaimEvidence[];
}

export interface ClaimReport {
    sentences: CheckedSentence[];
    coverage: Coverage;
}

export interface SearchResult {
    path: string;
    start_line: number;
    end_line: number;
    text: string;
    heading?: string;
}

export interface SearchAnswer {
    results: SearchResult[];
    notice?: string;
}

export interface Task {
    id: string;
    query: string;
    source: string;
    motivation: string;
    relatedNotes: string[];
    status: string;
    message?: string;
}

export interface Agenda {
    id: string;
    status: string;
    sourceNoteId?: string;
    created: string;
    message?: string;
    tasks: Task[];
    findings: number;
}

export interface FindingEvidence {
    id: string;
    url: string;
    title?: string;
    quote: string;
}

export interface Finding {
    id: string;
    status: 'new' | 'accepted' | 'dismissed';
    title: string;
    url: string;
    source: string;
    query: string;
    motivation: string;
    summary: string;
    bearing?: string;
    created: string;
    relatedNotes: string[];
    sentences: { text: string; verdict: Verdict; evidence: string[] }[];
    evidence: FindingEvidence[];
    notePath?: string | null;
}

export interface FindingList {
    findings: Finding[];
    counts: Counts;
}

export interface Counts {
    new: number;
    accepted: number;
    dismissed: number;
    pending: number;
    running: number;
}

/** A place in a note, as the health report names it. */
export interface HealthPlace {
    path: string;
    startLine: number;
    quote: string;
}

export interface Health {
    orphans: string[];
    deadEnds: string[];
    deadLinks: { path: string; line: number; target: string; reason?: string }[];
    duplicates: { one: string; other: string; similarity: number }[];
    contradictions: { what: string; values: string[]; one: HealthPlace; other: HealthPlace }[];
    stale: { path: string; changed: string; reason: string }[];
    suggestedLinks: { from: string; line: number; mention: string; to: string; reason?: string }[];
    neverDrawnOn: { count: number; notes: string[] };
}
