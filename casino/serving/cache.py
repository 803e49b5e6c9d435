"""The cache that processes share. Nothing in it has to survive, so while Redis is away it is empty instead of an error."""

from collections.abc import Callable
from typing import Any

from django.core.cache.backends.redis import RedisCache, RedisCacheClient
from redis import RedisError

from tables.live.breaker import breaker


def _guarded(name: str, otherwise: Any) -> Callable[..., Any]:
    """Return a client's call that goes through the breaker, and gives `otherwise` where Redis does not answer."""
    call = getattr(RedisCacheClient, name)

    def guarded(self: RedisCacheClient, *args: Any, **options: Any) -> Any:
        try:
            with breaker.call():
                return call(self, *args, **options)
        except RedisError:
            if isinstance(otherwise, type):
                raise otherwise(f"{name}: there is no cache") from None
            return otherwise

    return guarded


class HouseClient(RedisCacheClient):
    """Finds nothing and keeps nothing while Redis is away; counting fails as it does for a key that ran out."""

    add, touch, delete, has_key = (_guarded(name, False) for name in ("add", "touch", "delete", "has_key"))
    set, delete_many, clear = (_guarded(name, None) for name in ("set", "delete_many", "clear"))
    get_many, set_many = _guarded("get_many", {}), _guarded("set_many", None)
    incr = _guarded("incr", ValueError)

    def get(self, key: Any, default: Any) -> Any:
        """Return what the cache has, else `default`, as of a key that ran out."""
        try:
            with breaker.call():
                return super().get(key, default)
        except RedisError:
            return default


class HouseCache(RedisCache):
    """Django's cache in Redis, with this client."""

    def __init__(self, server: Any, params: dict[str, Any]) -> None:
        super().__init__(server, params)
        self._class = HouseClient
