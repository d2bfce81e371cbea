"""Drives the server's /mcp with the client of the Python package `mcp`: TOKEN=… python mcp_http_client.py URL VAULT TOOLS

TOOLS is `default` or `all`, as the server is set up. Speaks the revisions with a handshake and the one without. Says `all good` at the end, and ends with an error otherwise.
"""

import asyncio
import json
import os
import sys
from pathlib import Path

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_tasks import Tasks, answers_by_tasks

URL, VAULT, TOKEN = sys.argv[1] + "/mcp", Path(sys.argv[2]), os.environ["TOKEN"]
TOOLS = sys.argv[3]
# How a file is read and extended with these tools.
READ = ["read_file"] if TOOLS == "all" else ["read_note"]
EDIT = ("append_to_file", {}) if TOOLS == "all" else ("edit_note", {"op": "append"})


def transport(token=TOKEN):
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return streamable_http_client(URL, http_client=httpx2.AsyncClient(headers=headers, timeout=30))


async def works(mode, version):
    async with Client(transport(), mode=mode, read_timeout_seconds=50) as client:
        assert client.protocol_version.startswith(version), client.protocol_version
        names = [tool.name for tool in (await client.list_tools()).tools]
        if TOOLS == "all":
            assert "search_vault" in names and len(names) > 20, names
        else:
            assert "search_notes" in names and "search_vault" not in names and len(names) <= 15, names
        home = await client.call_tool(*READ, {"path": "Home"})
        assert not home.is_error and home.structured_content["content"] == (VAULT / "Home.md").read_text(), home
        missing = await client.call_tool(*READ, {"path": "nowhere at all"})
        assert missing.is_error and json.loads(missing.content[0].text)["success"] is False, missing
        words = f"written over HTTP by a client of {mode}"
        name, op = EDIT
        done = await client.call_tool(name, {**op, "path": "Home", "content": words})
        assert not done.is_error and words in (VAULT / "Home.md").read_text(), done
        reads = await asyncio.gather(*(client.call_tool(*READ, {"path": "Home"}) for _ in range(20)))
        assert all(not read.is_error for read in reads), reads


async def refused(token):
    try:
        async with Client(transport(token), mode="legacy", read_timeout_seconds=20) as client:
            await client.list_tools()
    except BaseException as error:  # an error, or a group of them
        assert not isinstance(error, (KeyboardInterrupt, SystemExit)), error
    else:
        raise AssertionError(f"a client with the token {token!r} was let in")


async def main():
    for mode, version in [("legacy", "2025-"), ("2026-07-28", "2026-07-28")]:
        await works(mode, version)
    tasks = Tasks()
    async with Client(transport(), mode="2026-07-28", extensions=[tasks], read_timeout_seconds=50) as client:
        await answers_by_tasks(client, tasks, "research" if TOOLS == "all" else "ask")
    async with Client(transport(), mode="auto") as client:
        assert (client.protocol_version, client.server_info.name) == ("2026-07-28", "wellread"), client.server_info
    await refused(None)
    await refused("wrong")
    print("all good")


asyncio.run(main())
