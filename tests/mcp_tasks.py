"""The Tasks extension for the client of the Python package `mcp`: a call that is answered with a task is polled to its end."""

from typing import Any, Literal

from mcp.client.extension import ClaimContext, ClientExtension, ResultClaim
from mcp_types import CallToolResult, Request, RequestParams, Result


class TaskParams(RequestParams):
    task_id: str


class GetTask(Request[TaskParams, Literal["tasks/get"]]):
    method: Literal["tasks/get"] = "tasks/get"
    params: TaskParams
    name_param = "taskId"


class CancelTask(Request[TaskParams, Literal["tasks/cancel"]]):
    method: Literal["tasks/cancel"] = "tasks/cancel"
    params: TaskParams
    name_param = "taskId"


class TaskHandle(Result):
    result_type: Literal["task"] = "task"
    task_id: str
    status: str


class TaskState(Result):
    task_id: str
    status: str
    result: dict[str, Any] | None = None


class Tasks(ClientExtension):
    identifier = "io.modelcontextprotocol/tasks"

    def __init__(self):
        self.seen: list[str] = []

    def claims(self):
        return [ResultClaim(result_type="task", model=TaskHandle, resolve=self.finish)]

    async def finish(self, task: TaskHandle, context: ClaimContext) -> CallToolResult:
        assert task.status == "working", task
        self.seen.append(task.task_id)
        while True:
            state = await context.session.send_request(GetTask(params=TaskParams(task_id=task.task_id)), TaskState)
            assert state.task_id == task.task_id, state
            if state.status != "working":
                assert state.status == "completed" and state.result is not None, state
                # What is over can be called off without harm.
                await context.session.send_request(CancelTask(params=TaskParams(task_id=task.task_id)), Result)
                return CallToolResult.model_validate(state.result)


async def answers_by_tasks(client, tasks: Tasks, tool: str):
    """A question as a task, and what fails before there is one."""
    answer = await client.call_tool(tool, {"query": "How is the varroa mite treated in winter?"})
    assert not answer.is_error and answer.structured_content["success"] is True, answer
    assert tasks.seen == [answer.structured_content["run_id"]], (tasks.seen, answer)
    failed = await client.call_tool(tool, {"query": 3})
    assert failed.is_error and len(tasks.seen) == 1, failed
