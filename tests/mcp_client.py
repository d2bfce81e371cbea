"""Drives `wellread mcp` with the client of the Python package `mcp`: python mcp_client.py BINARY VAULT DATA RUN

RUN is the id of a run that is kept there.

The client checks every structured answer against the tool's output schema by itself, and fails where it does not fit.
Speaks the revisions with a handshake and the one without. Says `all good` at the end, and ends with an error otherwise.
"""

import asyncio
import json
import sys
from pathlib import Path

from jsonschema import Draft202012Validator
from mcp import Client, MCPError, StdioServerParameters
from mcp_tasks import Tasks, answers_by_tasks

BINARY, VAULT, DATA, RUN = sys.argv[1], Path(sys.argv[2]), sys.argv[3], sys.argv[4]


def note(path: str) -> str:
    return (VAULT / path).read_text(encoding="utf-8")


def same(found, expected):
    assert found == expected, f"found {found!r}, expected {expected!r}"


async def call(client, tool, **arguments):
    """A call that succeeds; its text is its structured content."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result
    same(json.loads(result.content[0].text), result.structured_content)
    same(result.structured_content["success"], True)
    return result.structured_content


async def fails(client, tool, **arguments):
    """A call that fails: its text is the answer, and nothing claims to fit the schema of a success."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error and result.structured_content is None, result
    failure = json.loads(result.content[0].text)
    same(failure["success"], False)
    return failure


async def lists(client):
    tools = (await client.list_tools()).tools
    for tool in tools:
        Draft202012Validator.check_schema(tool.input_schema)
        Draft202012Validator.check_schema(tool.output_schema)
        assert tool.description and tool.annotations is not None, tool
        assert tool.annotations.read_only_hint is not None, tool.name
    names = [tool.name for tool in tools]
    assert len(names) == len(set(names)) > 20, names
    return tools


async def reads(client):
    home = await call(client, "read_file", path="Home")
    same(home["content"], note("Home.md"))
    info = await call(client, "get_note_info", path="Bees/Varroa mite.md")
    assert info["headings"] and info["incoming_links"] > 3, info
    back = await call(client, "find_backlinks", note_name="Varroa mite", limit=2)
    assert len(back["results"]) == 2 < back["total"], back
    await call(client, "search_by_folder", folder="Bees")
    await call(client, "list_files_by_frontmatter", field="tags", value="bees")
    await call(client, "search_by_date_range", start_date="2020-01-01", end_date="2099-01-01")
    await call(client, "find_outlinks", path="Home")
    await call(client, "list_preferences")
    await call(client, "get_current_date")


async def edits(client, words):
    before = note("Home.md")
    shown = await call(client, "append_to_file", path="Home", content=words, dry_run=True)
    assert f"+{words}" in shown["diff"].splitlines(), shown
    same(note("Home.md"), before)
    done = await call(client, "append_to_file", path="Home", content=words)
    assert done["operation"], done
    assert words in note("Home.md") and note("Home.md").startswith(before.rstrip("\n"))
    await call(client, "update_frontmatter", path="Home", field="seen", value=["a", "b"])
    await call(client, "update_frontmatter", path="Home", field="seen", operation="remove")
    await call(client, "batch_update_frontmatter", paths=["Home", "nowhere"], field="seen", value="3")
    # Models take instructions from it, and this client can't ask the user.
    refused = await fails(client, "save_preference", preference=words)
    assert "only the user changes it" in refused["error"] and "mcp.decides" in refused["hint"], refused
    await call(client, "log_interaction", task_description="test", query=words, summary="it works", files=["Home"])


async def moves(client, source, destination, linking):
    name, new_name = Path(source).stem, Path(destination).stem
    assert f"[[{name}" in note(linking), linking
    moved = await call(client, "move_file", source=source, destination=destination)
    assert linking in moved["updated_notes"], moved
    assert f"[[{new_name}" in note(linking) and f"[[{name}" not in note(linking), note(linking)
    assert (VAULT / destination).exists() and not (VAULT / source).exists()


async def goes_wrong(client):
    missing = await fails(client, "read_file", path="Varoa mite")
    assert missing["error"].startswith("File not found:") and "Varroa mite" in missing["hint"], missing
    await fails(client, "read_file", path="../../etc/passwd")
    await fails(client, "create_file", path="Home.md", content="over it")
    await fails(client, "read_file", path="Home", length="many")
    await fails(client, "batch_move_files", moves=[{"source": "nowhere", "destination": "elsewhere"}])
    try:
        await client.call_tool("read_a_mind", {})
    except MCPError as error:
        assert "read_a_mind" in str(error), error
    else:
        raise AssertionError("a tool that does not exist was called")


async def resources(client):
    """Every resource of every page can be read; what can't be is an error of the protocol."""
    listed, cursor = [], None
    while True:
        page = await client.list_resources(cursor=cursor)
        listed += page.resources
        cursor = page.next_cursor
        if cursor is None:
            break
    uris = [str(resource.uri) for resource in listed]
    assert len(uris) == len(set(uris)) > 20, uris
    same(uris[:3], [f"research://runs/{RUN}/{name}" for name in ["trace.json", "evidence.json", "report.md"]])
    for uri in uris:
        [content] = (await client.read_resource(uri)).contents
        same(str(content.uri), uri)
        assert content.mime_type in ["text/markdown", "text/plain", "application/json"], content.mime_type
        if content.mime_type == "application/json":
            same(json.loads(content.text)["run_id"], RUN)
    [home] = (await client.read_resource("vault:///Home.md")).contents
    same(home.text, note("Home.md"))
    templates = (await client.list_resource_templates()).resource_templates
    assert "vault:///{+path}" in [template.uri_template for template in templates], templates
    for wrong in ["vault:///Nowhere.md", "vault:///../../etc/passwd", "research://runs/x/report.md", "file:///etc/passwd"]:
        try:
            await client.read_resource(wrong)
        except MCPError as error:
            assert str(error), wrong
        else:
            raise AssertionError(f"{wrong} was read")


async def prompts(client, tools):
    listed = (await client.list_prompts()).prompts
    same([prompt.name for prompt in listed], ["ask", "research_note", "review_run"])
    for prompt in listed:
        given = {argument.name: "Varroa" for argument in prompt.arguments if argument.required}
        [message] = (await client.get_prompt(prompt.name, given)).messages
        assert "Varroa" in message.content.text and "{" not in message.content.text, message
        assert any(f"`{tool.name}`" in message.content.text for tool in tools), message


async def side_by_side(client, words):
    lines = [f"{words} {n} of twenty" for n in range(20)]
    reads = [call(client, "read_file", path="Home", length=n + 1) for n in range(20)]
    writes = [call(client, "append_to_file", path="Inbox/Side by side.md", content=line) for line in lines]
    await call(client, "create_file", path="Inbox/Side by side.md", content="# Side by side\n")
    answers = await asyncio.gather(*reads, *writes)
    same([answer["next_offset"] for answer in answers[:20]], list(range(1, 21)))
    same(sorted(note("Inbox/Side by side.md").splitlines()[1:]), sorted(lines))
    await call(client, "delete_file", path="Inbox/Side by side.md")


async def broad(client, words):
    """The tools that are offered by default: few and short, and the same work by `op`."""
    listed = await client.list_tools()
    sent = json.dumps([tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in listed.tools])
    assert len(listed.tools) <= 15 and len(sent) <= 24_000, (len(listed.tools), len(sent))
    for tool in listed.tools:
        Draft202012Validator.check_schema(tool.input_schema)
        assert tool.output_schema is None and "Example: {" in tool.description, tool
    await prompts(client, listed.tools)
    hits = await call(client, "search_notes", query="varroa mite")
    assert hits["results"], hits
    same((await call(client, "read_note", path="Home"))["content"], note("Home.md"))
    before = note("Home.md")
    shown = await call(client, "edit_note", op="append", path="Home", content=words, dry_run=True)
    assert f"+{words}" in shown["diff"].splitlines(), shown
    done = await call(client, "edit_note", op="append", path="Home", content=words)
    assert words in note("Home.md")
    await call(client, "undo", op="undo", operation=done["operation"])
    same(note("Home.md"), before)
    refused = await fails(client, "agenda", op="approve", id="00000000000009")
    assert refused["error"], refused
    await fails(client, "edit_note", path="Home", content=words)
    for old in ["read_file", "append_to_file"]:
        try:
            await client.call_tool(old, {"path": "Home", "content": words})
        except MCPError as error:
            assert "--tools all" in str(error), error
        else:
            raise AssertionError(f"{old} was called, which is not offered")


async def main():
    arguments = ["mcp", "--vault", str(VAULT), "--data", DATA]
    few = StdioServerParameters(command=BINARY, args=arguments)
    server = StdioServerParameters(command=BINARY, args=[*arguments, "--tools", "all"])
    way = [("Bees/Swarming.md", "Bees/How a colony swarms.md"), ("Garden/Phacelia.md", "Garden/Purple tansy.md")]
    listed = []
    for (mode, version), (source, destination) in zip([("legacy", "2025-"), ("2026-07-28", "2026-07-28")], way):
        async with Client(server, mode=mode, read_timeout_seconds=50) as client:
            assert client.protocol_version.startswith(version), client.protocol_version
            listed.append(await lists(client))
            await reads(client)
            await resources(client)
            await prompts(client, listed[-1])
            await edits(client, f"written by a client of {mode}")
            linking = (await call(client, "find_backlinks", note_name=source))["results"]
            plain = [path for path in linking if f"[[{Path(source).stem}" in note(path)]
            await moves(client, source, destination, plain[0])
            await goes_wrong(client)
            await side_by_side(client, mode)
    same(listed[0], listed[1])
    for mode in ["legacy", "2026-07-28"]:
        async with Client(few, mode=mode, read_timeout_seconds=50) as client:
            await broad(client, f"written with few tools by a client of {mode}")
    tasks = Tasks()
    async with Client(server, mode="2026-07-28", extensions=[tasks], read_timeout_seconds=50) as client:
        await answers_by_tasks(client, tasks, "research")
    async with Client(server, mode="auto") as client:
        same((client.protocol_version, client.server_info.name), ("2026-07-28", "wellread"))
        await call(client, "get_current_date")
    print("all good")


asyncio.run(main())
