"""Change one value of one record, for tests that try every value."""

import copy


def leaves(value, path=()):
    if isinstance(value, dict):
        for name, part in value.items():
            yield from leaves(part, (*path, name))
    elif isinstance(value, list):
        for at, part in enumerate(value):
            yield from leaves(part, (*path, at))
    else:
        yield path, value


def other(value):
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if value is None:
        return 1
    return value[:-1] + ("1" if value[-1] != "1" else "2") if value else "x"


def changed(records, at, path, value):
    body = copy.deepcopy(records[at])
    part = body
    for step in path[:-1]:
        part = part[step]
    part[path[-1]] = value
    return [*records[:at], body, *records[at + 1 :]]
