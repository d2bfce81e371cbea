"""Asks about code by the client of the Python package `mcp`: python mcp_code.py BINARY VAULT DATA

A repository `hivelog` is added there, and no model set up. The client checks the answer against the tool's output schema by
itself. Says `all good` at the end, and ends with an error otherwise.
"""

import asyncio
import json
import sys

from mcp import Client, MCPError, StdioServerParameters

BINARY, VAULT, DATA = sys.argv[1:]
QUESTION = "What calls detect_swarms?"


def same(found, expected):
    assert found == expected, f"found {found!r}, expected {expected!r}"


async def asks(client):
    told = []

    async def progress(done, total, message):
        told.append((done, message))

    arguments = {"question": QUESTION, "scope": "rust/**", "debug": True}
    result = await client.call_tool("code_deep_research", arguments, progress_callback=progress)
    assert not result.is_error, result
    answer = result.structured_content
    same(json.loads(result.content[0].text), answer)
    assert "`analyse` calls `detect_swarms`" in answer["answer"], answer
    assert answer["citations"] and all(one["path"].startswith("rust/") for one in answer["citations"]), answer
    same(answer["steps"][0], {"action": "find_symbol", "input": {"name": "detect_swarms"}, "found": "1 definitions"})
    steps = [done for done, _ in told]
    assert len(steps) > 3 and steps == sorted(set(steps)), told
    assert any("investigating" in message and "find_symbol" in message for _, message in told), told
    return answer


async def reads(client, answer):
    run = answer["run_id"]
    texts = {}
    for name in ["trace.json", "evidence.json", "report.md"]:
        [content] = (await client.read_resource(f"research://runs/{run}/{name}")).contents
        texts[name] = content.text
    trace, evidence = json.loads(texts["trace.json"]), json.loads(texts["evidence.json"])
    same((trace["run_id"], trace["summary"]["kind"], evidence["run_id"]), (run, "code", run))
    tools = [step["name"] for step in trace["steps"] if step["step"] == "tool"]
    same(tools, [step["action"] for step in answer["steps"]])
    known = {entry["id"]: entry for entry in evidence["evidence"]}
    for citation in answer["citations"]:
        entry = known[citation["id"]]
        same((entry["file_path"], entry["content"]), (citation["path"], citation["text"]))
    assert "### Called by" in texts["report.md"], texts["report.md"]


async def goes_wrong(client):
    for arguments in [{"question": ""}, {"question": QUESTION, "budget": 21}, {"question": QUESTION, "scope": "../x"}]:
        result = await client.call_tool("code_deep_research", arguments)
        assert result.is_error and json.loads(result.content[0].text)["error"], result


async def main():
    def server(*more):
        return StdioServerParameters(command=BINARY, args=["mcp", "--vault", VAULT, "--data", DATA, *more])

    for mode in ["legacy", "2026-07-28"]:
        async with Client(server("--tools", "code"), mode=mode, read_timeout_seconds=50) as client:
            names = sorted(tool.name for tool in (await client.list_tools()).tools)
            code = ["code_deep_research", "find_symbol", "graph_expand", "graph_pack", "graph_trace", "locate", "outline"]
            same(names, code)
            answer = await asks(client)
            await reads(client, answer)
            await goes_wrong(client)
            try:
                await client.call_tool("read_file", {"path": "Home"})
            except MCPError as error:
                assert "read_file" in str(error), error
            else:
                raise AssertionError("a tool of another group was called")
    print("all good")


asyncio.run(main())
