"""Drives the server's /mcp with the client of the Python package `mcp`: TOKEN=… python mcp_http_client.py URL VAULT TOOLS AGENDA…

TOOLS is `default` or `all`, as the server is set up. Speaks the revisions with a handshake and the one without; one of the agendas is
cancelled in each. Says `all good` at the end, and ends with an error otherwise.
"""

import asyncio
import json
import os
import sys
from pathlib import Path

import httpx2
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from mcp_tasks import Tasks, answers_by_tasks
from mcp_types import ElicitResult

URL, VAULT, TOKEN = sys.argv[1] + "/mcp", Path(sys.argv[2]), os.environ["TOKEN"]
TOOLS, AGENDAS = sys.argv[3], sys.argv[4:]
# How a file is read and extended, and an agenda is cancelled, with these tools.
READ = ["read_file"] if TOOLS == "all" else ["read_note"]
EDIT = ("append_to_file", {}) if TOOLS == "all" else ("edit_note", {"op": "append"})
CANCEL = ("cancel_agenda", {}) if TOOLS == "all" else ("agenda", {"op": "cancel"})


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


async def reads_resources(mode):
    async with Client(transport(), mode=mode, read_timeout_seconds=50) as client:
        templates = (await client.list_resource_templates()).resource_templates
        assert "vault:///{+path}" in [template.uri_template for template in templates], templates
        assert (await client.list_resources()).resources
        [home] = (await client.read_resource("vault:///Home.md")).contents
        assert home.text == (VAULT / "Home.md").read_text(), home
        try:
            await client.read_resource("vault:///Nowhere.md")
        except MCPError as error:
            assert str(error)
        else:
            raise AssertionError("a note that does not exist was read")


async def waits_for_research(mode):
    """Research takes its time: the client hears how far it is before it has the answer."""
    told = []

    async def hear(progress, total, message):
        told.append(progress)

    async with Client(transport(), mode=mode, read_timeout_seconds=50) as client:
        arguments = {"path": "Bees/Varroa mite", "dry_run": True}
        done = await client.call_tool("research_note", arguments, progress_callback=hear)
        assert not done.is_error and len(told) >= 3 and told == sorted(set(told)), (done, told)


async def asks_the_user(mode, agenda):
    name, op = CANCEL
    arguments = {**op, "id": agenda}
    async with Client(transport(), mode=mode, read_timeout_seconds=50) as client:
        unasked = await client.call_tool(name, arguments)
        assert unasked.is_error and "only the user decides" in unasked.content[0].text, unasked
    for answer, agrees in [
        (ElicitResult(action="decline"), False),
        (ElicitResult(action="cancel"), False),
        (ElicitResult(action="accept", content={"agree": False}), False),
        (ElicitResult(action="accept", content={"agree": True}), True),
    ]:
        asked = []

        async def ask(context, params):
            asked.append(params.message)
            return answer

        async with Client(transport(), mode=mode, elicitation_callback=ask, read_timeout_seconds=50) as client:
            done = await client.call_tool(name, arguments)
        assert len(asked) == 1 and "Cancel this agenda?" in asked[0], asked
        if agrees:
            assert not done.is_error and done.structured_content["status"] == "cancelled", done
        else:
            assert done.is_error and "did not agree" in done.content[0].text, done


async def refused(token):
    try:
        async with Client(transport(token), mode="legacy", read_timeout_seconds=20) as client:
            await client.list_tools()
    except BaseException as error:  # an error, or a group of them
        assert not isinstance(error, (KeyboardInterrupt, SystemExit)), error
    else:
        raise AssertionError(f"a client with the token {token!r} was let in")


async def main():
    for (mode, version), agenda in zip([("legacy", "2025-"), ("2026-07-28", "2026-07-28")], AGENDAS, strict=True):
        await works(mode, version)
        await reads_resources(mode)
        await waits_for_research(mode)
        await asks_the_user(mode, agenda)
    tasks = Tasks()
    async with Client(transport(), mode="2026-07-28", extensions=[tasks], read_timeout_seconds=50) as client:
        await answers_by_tasks(client, tasks, "research" if TOOLS == "all" else "ask")
    async with Client(transport(), mode="auto") as client:
        assert (client.protocol_version, client.server_info.name) == ("2026-07-28", "wellread"), client.server_info
    await refused(None)
    await refused("wrong")
    print("all good")


asyncio.run(main())
