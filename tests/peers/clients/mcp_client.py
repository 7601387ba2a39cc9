"""A client of MCP on the protocol's own SDK for Python. As mcp.mjs, which says what it prints.

    mcp_client.py MODE URL CALLS      MODE: auto, or legacy
"""

import asyncio
import json
import sys

from mcp import Client


async def main(mode, url, calls):
    async with Client(url, mode=mode) as client:
        tools, cursor = [], None
        while True:
            page = await client.list_tools(cursor=cursor)
            tools += [tool.name for tool in page.tools]
            cursor = page.next_cursor
            if not cursor:
                break
        results = []
        for name, arguments in calls:
            try:
                got = await client.call_tool(name, arguments)
                results.append(got.model_dump(mode="json", by_alias=True, exclude_none=True))
            except Exception as error:  # noqa: BLE001  whatever the SDK throws is what a user would see
                results.append({"thrown": str(error)})
        print(json.dumps({"revision": client.protocol_version, "tools": tools, "results": results}))


asyncio.run(main(sys.argv[1], sys.argv[2], json.loads(sys.argv[3])))
