//! The broad tools.

use super::{BroadOperation, BroadTool};

const fn op(op: &'static str, tool: &'static str, about: &'static str) -> BroadOperation {
    BroadOperation { op, tool, about }
}

/// Every broad tool, in the order of display.
pub const BROAD_TOOLS: &[BroadTool] = &[
    BroadTool {
        name: "search_notes",
        about: "Searches the user's notes by words and by meaning. Start here for any question about what the notes say, or to \
                find the note about a topic. Each hit has its source (a path), heading and lines; read it with `read_note` before relying on it. \
                Example: {\"query\": \"when do bees swarm\"}",
        about_reading: None,
        operations: &[
            op("passages", "search_vault", "the best passages"),
            op("notes", "find_notes", "one row per note, with filters by folder, tag, frontmatter and date"),
        ],
        default: Some("passages"),
    },
    BroadTool {
        name: "read_note",
        about: "Reads one file of the vault whose path is known: its text, its outline of headings and properties, or the links \
                to and from it. Example: {\"path\": \"Projects/Bees.md\"}",
        about_reading: None,
        operations: &[
            op("text", "read_file", "the text, long ones in parts"),
            op(
                "info",
                "get_note_info",
                "frontmatter, headings, tags, aliases, size and dates, without the text",
            ),
            op("backlinks", "find_backlinks", "the notes that link to it"),
            op("links", "find_outlinks", "what it links to"),
        ],
        default: Some("text"),
    },
    BroadTool {
        name: "list_notes",
        about: "Lists the paths of files without searching their text: what is in a folder, which notes were created or changed \
                between two dates, or which have a value in a frontmatter field. Example: {\"op\": \"dates\", \"start_date\": \
                \"2026-01-01\", \"end_date\": \"2026-01-31\"}",
        about_reading: None,
        operations: &[
            op("folder", "search_by_folder", "files in a folder"),
            op("dates", "search_by_date_range", "notes created or modified between two dates"),
            op("field", "list_files_by_frontmatter", "notes whose frontmatter field has a value"),
        ],
        default: Some("folder"),
    },
    BroadTool {
        name: "edit_note",
        about: "Changes the vault: creates, extends, rewrites, renames, moves or deletes a note, or sets a frontmatter property. \
                Only the named part changes, links follow a move, and `undo` takes it back. With `dry_run` it returns the diff \
                and changes nothing: show that first if the user has not asked for the change. Example: {\"op\": \
                \"append_to_section\", \"path\": \"Bees\", \"heading\": \"## Ideas\", \"content\": \"- Try a top-bar hive.\"}",
        about_reading: None,
        operations: &[
            op("create", "create_file", "a new note; never overwrites"),
            op("append", "append_to_file", "add text at the end"),
            op("prepend", "prepend_to_file", "add text at the top, below the frontmatter"),
            op("append_to_section", "append_to_section", "add text at the end of a section"),
            op("replace_section", "replace_section", "rewrite a section, heading included"),
            op(
                "frontmatter",
                "update_frontmatter",
                "set, remove or extend one property, such as tags or status",
            ),
            op("move", "move_file", "rename or move, and update links to it"),
            op("delete", "delete_file", "move to the vault's trash"),
        ],
        default: None,
    },
    BroadTool {
        name: "research_note",
        about: "Researches a note in depth and writes the result into it: finds its topics and open questions, gathers evidence \
                from the vault, the codebases and the web, and adds a `## Research` section in which every sentence was checked. \
                Takes minutes. `summarize` writes a checked summary instead. Example: {\"path\": \"Bees\", \"depth\": \"deep\"}",
        about_reading: None,
        operations: &[
            op("research", "research_note", "a `## Research` section from other sources"),
            op("summarize", "summarize_file", "a `## Summary` section from the note itself"),
        ],
        default: Some("research"),
    },
    BroadTool {
        name: "ask",
        about: "Answers one factual question right away, in a paragraph with its source, from notes, code and the web, without \
                changing anything. Use it for a quick fact; for passages to read yourself use `search_notes`. Example: {\"query\": \
                \"How much honey does a colony need for winter?\"}",
        about_reading: None,
        operations: &[op("ask", "research", "a short answer with its source")],
        default: Some("ask"),
    },
    BroadTool {
        name: "search_web",
        about: "Searches the internet with the services that the user configured, or arXiv for scientific papers. The query leaves \
                this machine. Example: {\"op\": \"arxiv\", \"query\": \"honey bee navigation\"}",
        about_reading: None,
        operations: &[
            op("web", "web_search", "titles, URLs and snippets of web pages"),
            op("arxiv", "arxiv_search", "papers with authors and abstracts"),
        ],
        default: Some("web"),
    },
    BroadTool {
        name: "research_code",
        about: "Investigates a codebase step by step and answers one question about how it works, why it behaves so, or what a \
                change would touch, with file and lines for every statement. Takes up to two minutes; for a single lookup use \
                `inspect_code`. Example: {\"question\": \"How are failed uploads retried?\"}",
        about_reading: None,
        operations: &[op("research", "code_deep_research", "an answer with citations")],
        default: Some("research"),
    },
    BroadTool {
        name: "inspect_code",
        about: "Looks something up in a codebase at once: where a function, class or other symbol is defined, who calls it and \
                what it calls, the path from one to another, what a source file defines, the code around some symbols, or which \
                files an error message, stack trace or issue points to. Example: {\"op\": \"symbol\", \"symbol\": \
                \"parse_config\"}",
        about_reading: None,
        operations: &[
            op("symbol", "find_symbol", "where it is defined"),
            op("outline", "outline", "the definitions in a source file"),
            op("expand", "graph_expand", "callers, callees, imports and implementations of a symbol"),
            op("trace", "graph_trace", "how one symbol reaches another"),
            op("pack", "graph_pack", "the most relevant code around some symbols, within a token budget"),
            op("locate", "locate", "files that an issue or stack trace points to"),
        ],
        default: None,
    },
    BroadTool {
        name: "check_claims",
        about: "Verifies a text sentence by sentence: does the cited source really say so? Use it on anything you wrote with \
                citations before you hand it over, or to fact-check a draft or a note against given sources. Every sentence gets a \
                verdict (quoted, supported, contradicted, unknown, uncited) with quote and reason. Asks no model. Example: \
                {\"path\": \"Reports/Bees.md\"}",
        about_reading: None,
        operations: &[op("check", "check_claims", "a verdict for every sentence")],
        default: Some("check"),
    },
    BroadTool {
        name: "recheck",
        about: "Checks whether earlier citations still hold: of everything that research has ever cited, which passages are \
                unchanged, moved, changed or gone since. Use it to find notes that went out of date. Example: {\"since\": \
                \"2026-01-31\"}",
        about_reading: None,
        operations: &[op("recheck", "recheck", "the state of every citation")],
        default: Some("recheck"),
    },
    BroadTool {
        name: "undo",
        about: "Takes back edits that were made through Wellread: the last one, or the one whose id an edit returned. Lists the \
                latest edits, too. What was saved since is never overwritten. Example: {\"op\": \"undo\", \"operation\": \"k3v9qa\"}",
        about_reading: Some(
            "Lists the latest edits that were made through Wellread, newest first, each with its id and the notes that it changed. \
             Example: {\"op\": \"list\"}",
        ),
        operations: &[
            op("list", "list_edits", "the latest edits with their ids"),
            op("undo", "undo", "revert one edit, or a group of edits"),
        ],
        default: None,
    },
    BroadTool {
        name: "health",
        about: "Reports on the condition of the whole vault: orphaned notes, broken links, duplicates, contradictions, stale notes, \
                clusters, and links worth adding, with reasons. Use it to tidy up. Example: {\"limit\": 10}",
        about_reading: None,
        operations: &[op("report", "kb_health", "the report")],
        default: Some("report"),
    },
    BroadTool {
        name: "agenda",
        about: "Plans background research: proposes a list of research tasks for a note or the vault, shows agendas and their \
                progress, approves or cancels them. Approving and cancelling are the user's decisions: the user is asked. \
                Example: {\"op\": \"propose\", \"path\": \"Bees\"}",
        about_reading: Some(
            "Background research: shows agendas, each a list of research tasks for a note or the vault, with their status and \
             progress. Example: {\"op\": \"list\"}",
        ),
        operations: &[
            op("list", "list_agendas", "all agendas with their status"),
            op("show", "show_agenda", "one agenda with its tasks"),
            op("propose", "propose_agenda", "new tasks, which wait for approval"),
            op("approve", "approve_agenda", "start its tasks; the user decides"),
            op("cancel", "cancel_agenda", "stop it; the user decides"),
        ],
        default: Some("list"),
    },
    BroadTool {
        name: "inbox",
        about: "The findings that background research brought, waiting for review: lists and shows them with their evidence, \
                accepts one as a new note, dismisses it, or reverses an acceptance. These are the user's decisions: the user is \
                asked. Example: {\"op\": \"list\", \"status\": \"new\"}",
        about_reading: Some(
            "The findings that background research brought, waiting for review: lists and shows them with their evidence. \
             Example: {\"op\": \"list\", \"status\": \"new\"}",
        ),
        operations: &[
            op("list", "list_findings", "findings, newest first"),
            op("show", "show_finding", "one finding with verdicts and quotes"),
            op("accept", "accept_finding", "make it a note; the user decides"),
            op("dismiss", "dismiss_finding", "reject it; the user decides"),
            op("reopen", "undo_accept", "reverse an acceptance; the user decides"),
        ],
        default: Some("list"),
    },
];
