"""The shared cache. Nothing in it has to survive, so while Redis is away it is empty instead of an error."""

from collections.abc import Callable
from typing import Any

from django.core.cache.backends.redis import RedisCache, RedisCacheClient
from redis import RedisError

from tables.live.breaker import breaker


def _guarded(name: str, otherwise: Callable[..., Any]) -> Callable[..., Any]:
    """Return a client's method, run through the circuit breaker; `otherwise` answers while Redis is away."""
    call = getattr(RedisCacheClient, name)

    def guarded(self: RedisCacheClient, *args: Any, **options: Any) -> Any:
        try:
            with breaker.call():
                return call(self, *args, **options)
        except RedisError:
            return otherwise(*args, **options)

    return guarded


def _ran_out(*_: Any, **__: Any) -> None:
    raise ValueError("There is no cache.")


class HouseClient(RedisCacheClient):
    """Redis client that finds and stores nothing while Redis is away; `incr` fails as for a missing key."""

    add, touch, delete, has_key = (
        _guarded(name, lambda *_, **__: False) for name in ("add", "touch", "delete", "has_key")
    )
    set, set_many, delete_many, clear = (
        _guarded(name, lambda *_, **__: None) for name in ("set", "set_many", "delete_many", "clear")
    )
    get, get_many = _guarded("get", lambda _, default: default), _guarded("get_many", lambda *_, **__: {})
    incr = _guarded("incr", _ran_out)


class HouseCache(RedisCache):
    def __init__(self, server: Any, params: dict[str, Any]) -> None:
        super().__init__(server, params)
        self._class = HouseClient
