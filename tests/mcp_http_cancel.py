"""Calls off research over HTTP with the client of the Python package `mcp`: TOKEN=… python mcp_http_cancel.py URL

The model behind the server never answers. Each client begins to research the note `Bees`, hears that it has begun, and calls it off, once by
giving up the call and once by its task; then the server still answers. Says `all good` at the end, and ends with an error otherwise.
"""

import asyncio
import os
import sys

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_tasks import CancelTask, GetTask, TaskParams, Tasks, TaskState
from mcp_types import Result

URL, TOKEN = sys.argv[1] + "/mcp", os.environ["TOKEN"]
RESEARCH = ("research_note", {"path": "Bees"})


def transport():
    client = httpx2.AsyncClient(headers={"Authorization": f"Bearer {TOKEN}"}, timeout=30)
    return streamable_http_client(URL, http_client=client)


async def gives_up(mode):
    async with Client(transport(), mode=mode, read_timeout_seconds=50) as client:
        begun = asyncio.Event()

        async def hear(progress, total, message):
            begun.set()

        call = asyncio.create_task(client.call_tool(*RESEARCH, progress_callback=hear))
        await begun.wait()
        call.cancel()
        try:
            await call
        except asyncio.CancelledError:
            pass
        else:
            raise AssertionError("it was answered")
        assert not (await client.call_tool("read_note", {"path": "Bees"})).is_error


class CalledOff(Tasks):
    """Calls each task off as soon as there is one."""

    async def finish(self, task, context):
        params = TaskParams(task_id=task.task_id)
        await context.session.send_request(CancelTask(params=params), Result)
        while (state := await context.session.send_request(GetTask(params=params), TaskState)).status == "working":
            pass
        self.seen.append(state.status)
        raise RuntimeError("called off")


async def calls_off_task():
    tasks = CalledOff()
    async with Client(transport(), mode="2026-07-28", extensions=[tasks], read_timeout_seconds=50) as client:
        try:
            await client.call_tool(*RESEARCH)
        except RuntimeError as error:
            assert "called off" in str(error), error
        assert tasks.seen == ["cancelled"], tasks.seen


async def main():
    for mode in ["legacy", "2026-07-28"]:
        await gives_up(mode)
    await calls_off_task()
    print("all good")


asyncio.run(main())
