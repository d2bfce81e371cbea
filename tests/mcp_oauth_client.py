"""Connects to the server's /mcp by OAuth, with the client of the Python package `mcp`: TOKEN=… python mcp_oauth_client.py URL VAULT

The client finds the authorization server, registers, and sends its user to the page of consent. The user is played here: signs in
with the token, and allows some of the scopes. Then the token is refreshed, and an edit makes the client ask for more. Says `all
good` at the end, and ends with an error otherwise.
"""

import asyncio
import os
import re
import sys
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx2
from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientMetadata

URL, VAULT, TOKEN = sys.argv[1], Path(sys.argv[2]), os.environ["TOKEN"]
CALLBACK = "http://localhost:4711/callback"


class Storage:
    tokens = client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client):
        self.client = client


class User:
    """Signs in on the page of consent, and allows what it is told to."""

    def __init__(self, allows):
        self.allows, self.asked, self.answer = allows, [], None

    async def visit(self, address):
        query = urlsplit(address).query
        async with httpx2.AsyncClient(base_url=URL) as browser:
            page = await browser.get(address)
            assert page.status_code == 200 and "consent.js" in page.text, page.text
            refused = await browser.post("/oauth/consent/request", json={"query": query})
            assert refused.status_code == 401, refused.text
            opened = await browser.post("/open", data={"token": TOKEN})
            key = {"X-Wellread-Key": re.search(r'content="(\w{64})"', opened.text)[1]}
            terms = (await browser.post("/oauth/consent/request", json={"query": query}, headers=key)).json()
            asked = [scope["name"] for scope in terms["scopes"]]
            self.asked.append(asked)
            allowed = [name for name in asked if name in self.allows]
            said = {"query": query, "allow": True, "scopes": allowed, "vaults": terms["vaults"]}
            answer = (await browser.post("/oauth/consent", json=said, headers=key)).json()
        assert answer["redirect"].startswith(CALLBACK + "?"), answer
        self.answer = {name: values[0] for name, values in parse_qs(urlsplit(answer["redirect"]).query).items()}

    async def come_back(self):
        return AuthorizationCodeResult(**self.answer)


def provider(storage, user):
    about = OAuthClientMetadata(client_name="The Python client", redirect_uris=[CALLBACK])
    return OAuthClientProvider(URL + "/mcp", about, storage, user.visit, user.come_back)


def connect(auth, mode):
    transport = streamable_http_client(URL + "/mcp", http_client=httpx2.AsyncClient(auth=auth, timeout=30))
    return Client(transport, mode=mode, read_timeout_seconds=50)


async def works(mode):
    storage, user = Storage(), User({"read"})
    auth = provider(storage, user)
    async with connect(auth, mode) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert "read_note" in names and "edit_note" not in names, names
        home = await client.call_tool("read_note", {"path": "Home"})
        assert not home.is_error and home.structured_content["content"] == (VAULT / "Home.md").read_text(), home
        assert user.asked == [["read", "research", "write", "decide"]] and storage.tokens.scope == "read", user.asked

        # The token has run out: the client gets a new one by itself, and the user is not asked.
        before = storage.tokens
        auth.context.token_expiry_time = 1
        assert not (await client.call_tool("read_note", {"path": "Home"})).is_error
        after = storage.tokens
        assert before.access_token != after.access_token and before.refresh_token != after.refresh_token
        assert len(user.asked) == 1, user.asked

        # More than was allowed: the client asks for it, and the user agrees.
        user.allows = {"read", "write"}
        words = f"written from elsewhere by a client of {mode}"
        try:
            await client.call_tool("edit_note", {"op": "append", "path": "Home", "content": words})
        except Exception:  # its session was that of the grant before
            pass
        assert len(user.asked) == 2 and storage.tokens.scope == "read write", (user.asked, storage.tokens)
    async with connect(provider(storage, user), mode) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert "edit_note" in names and "ask" not in names, names
        if words not in (VAULT / "Home.md").read_text():
            done = await client.call_tool("edit_note", {"op": "append", "path": "Home", "content": words})
            assert not done.is_error, done
        assert words in (VAULT / "Home.md").read_text() and len(user.asked) == 2


async def main():
    for mode in ["legacy", "2026-07-28"]:
        await works(mode)
    print("all good")


asyncio.run(main())
