"""Run coroutines from a synchronous test."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from asgiref.sync import sync_to_async
from django.db import connections


def finished(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """Run a coroutine on a loop in a thread of its own: Playwright has one running in this thread."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, _closing(coroutine)).result()


async def _closing(coroutine: Coroutine[Any, Any, Any]) -> Any:
    try:
        return await coroutine
    finally:
        await sync_to_async(connections.close_all)()
