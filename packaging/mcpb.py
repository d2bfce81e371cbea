"""A bundle for desktop apps that run servers of the Model Context Protocol: a zip archive with the program and a manifest.

An app that opens it asks for the folder of the notes and starts the program. One bundle is for one system, as the program is.
"""

from __future__ import annotations

import json
import pathlib
import subprocess
import tempfile

import archives
import contents
from archives import Entry
from facts import facts, first_paragraph, readme, release_time
from target import Target

#: The version of the manifest's format.
FORMAT = "0.3"
#: Where the program is in the bundle.
FOLDER = "server"
#: The revision of the protocol in which the program is asked for its tools.
REVISION = "2025-11-25"


def name(target: Target) -> str:
    return f"{facts().name}-{facts().version}-{target.triple}.mcpb"


def build(binary: pathlib.Path, target: Target, out: pathlib.Path, fast: bool) -> pathlib.Path:
    text = json.dumps(manifest(target, ask_tools(binary)), indent=2, ensure_ascii=False) + "\n"
    entries = [
        Entry("manifest.json", text.encode()),
        Entry("README.md", readme().encode()),
        Entry(f"{FOLDER}/{target.executable}", binary, runs=True),
        *contents.licenses(target.triple),
    ]
    file = out / name(target)
    archives.write_zip(file, entries, release_time(), fast)
    return file


def manifest(target: Target, tools: list[dict]) -> dict:
    about = facts()
    program = f"{FOLDER}/{target.executable}"
    return {
        "manifest_version": FORMAT,
        "name": about.name,
        "display_name": about.name.capitalize(),
        "version": about.version,
        "description": about.description,
        "long_description": first_paragraph(),
        "author": {"name": about.authors},
        "repository": {"type": "git", "url": about.repository},
        "homepage": about.homepage,
        "documentation": f"{about.repository}/blob/{about.tag}/docs/book/src/agents.md",
        "support": f"{about.repository}/issues",
        "license": about.license,
        "keywords": about.keywords,
        "server": {
            "type": "binary",
            "entry_point": program,
            "mcp_config": {
                "command": "${__dirname}/" + program,
                "args": ["mcp", "--vault", "${user_config.vault}"],
                # The app writes `true` or `false`, which the setting takes.
                "env": {"WELLREAD_MCP_READ_ONLY": "${user_config.read_only}"},
            },
        },
        "tools": tools,
        # Which tools there are depends on the settings, and prompts on the tools.
        "tools_generated": True,
        "prompts_generated": True,
        "compatibility": {"platforms": [target.os]},
        "user_config": {
            "vault": {
                "type": "directory",
                "title": "Notes",
                "description": "The folder of your Markdown notes",
                "required": True,
            },
            "read_only": {
                "type": "boolean",
                "title": "Read only",
                "description": "Offer only tools that change nothing",
                "required": False,
                "default": False,
            },
        },
    }


def ask_tools(binary: pathlib.Path) -> list[dict]:
    """The tools that the program offers by default, as it names them itself, each with the first sentence about it."""
    me = {"name": "packaging", "version": facts().version}
    hello = {"protocolVersion": REVISION, "capabilities": {}, "clientInfo": me}
    messages = [
        {"id": 1, "method": "initialize", "params": hello},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/list"},
    ]
    with tempfile.TemporaryDirectory() as vault:
        said = _converse([binary, "mcp", "--vault", vault], messages)
    tools = [{"name": tool["name"], "description": _first_sentence(tool["description"])} for tool in said["tools"]]
    if not tools:
        raise SystemExit(f"packaging/build: {binary} offers no tools")
    return tools


def _converse(command: list, messages: list[dict]) -> dict:
    """Says the messages to a server, and returns the result of the last one. Its input stays open until that is there."""
    with tempfile.TemporaryDirectory() as home:
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "encoding": "utf-8"}
        with subprocess.Popen(command, env=contents.environment(home), **pipes) as server:
            for message in messages:
                server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
            server.stdin.flush()
            for line in server.stdout:
                said = json.loads(line)
                if said.get("id") == messages[-1]["id"] and "result" in said:
                    server.stdin.close()
                    return said["result"]
    raise SystemExit(f"packaging/build: {command[0]} does not answer as a server of the Model Context Protocol")


def _first_sentence(text: str) -> str:
    """As `llms.txt` has it: up to the first full stop, colon or semicolon."""
    ends = [at for at in (text.find(mark) for mark in ".:;") if at > 0]
    return text[: min(ends, default=len(text))]
