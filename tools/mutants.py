"""Change the code of a room in one place and ask whether its tests notice: `tools/mutants.py --sample 40`.

The changes are cosmic-ray's, and three more that a person makes: a check that is left out, `any` for `all`,
`min` for `max`. A mutant that no test can notice is listed with its reason in tests/mutants/equivalent.toml.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from cosmic_ray import plugins
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.operators.operator import Operator
from parso.python import tree

ROOT = Path(__file__).resolve().parent.parent
RUNNER = Path(__file__).with_name("mutants_run.py")
ROOMS = ROOT / "tests" / "mutants" / "rooms.toml"
EQUIVALENT = ROOT / "tests" / "mutants" / "equivalent.toml"
LEAST = 10
"""Seconds of processor that a mutant has beyond a multiple of what its tests take."""
# The short form, also in `make soak`; and what Python compiles of a mutant is not kept.
ENVIRONMENT = {"CASINO_LONG": "", "CASINO_STATEMENTS": "", "PYTHONDONTWRITEBYTECODE": "1"}
COMPARISONS = "Lt_LtE LtE_Lt Gt_GtE GtE_Gt Lt_GtE LtE_Gt Gt_LtE GtE_Lt Eq_NotEq NotEq_Eq Is_IsNot IsNot_Is"
BINARY = "Add_Sub Sub_Add Mul_Add FloorDiv_Mul Mod_FloorDiv"
NAMES = (
    *(f"ReplaceComparisonOperator_{name}" for name in COMPARISONS.split()),
    *(f"ReplaceBinaryOperator_{name}" for name in BINARY.split()),
    *("AddNot", "ReplaceAndWithOr", "ReplaceOrWithAnd", "ReplaceTrueWithFalse", "ReplaceFalseWithTrue"),
    *("NumberReplacer", "ZeroIterationForLoop", "ReplaceBreakWithContinue", "ReplaceContinueWithBreak"),
    *("ReplaceUnaryOperator_USub_UAdd", "ReplaceUnaryOperator_Delete_Not"),
)
SWAPPED = {"any": "all", "all": "any", "min": "max", "max": "min"}


class LeaveOutCall(Operator):  # type: ignore[misc]
    """Leave out a call whose answer nobody reads: a right that is required, an event that is recorded."""

    def mutation_positions(self, node: Any) -> Iterator[Any]:
        if (
            node.type == "atom_expr"
            and node.parent.type == "simple_stmt"
            and node.children[-1].get_code().endswith(")")
        ):
            yield node.start_pos, node.end_pos

    def mutate(self, node: Any, index: int) -> Any:
        # As many lines as before, so that no other function moves.
        lines = "\n" * (node.end_pos[0] - node.start_pos[0])
        return tree.Name(f"None{lines}", node.start_pos, node.get_first_leaf().prefix)

    @classmethod
    def examples(cls) -> Sequence[Any]:
        return ()


class SwapFunction(Operator):  # type: ignore[misc]
    """Call `all` for `any`, `max` for `min`, and the other way round."""

    def mutation_positions(self, node: Any) -> Iterator[Any]:
        if isinstance(node, tree.Name) and node.value in SWAPPED and called(node):
            yield node.start_pos, node.end_pos

    def mutate(self, node: Any, index: int) -> Any:
        node.value = SWAPPED[node.value]
        return node

    @classmethod
    def examples(cls) -> Sequence[Any]:
        return ()


def called(node: Any) -> bool:
    following = node.get_next_sibling()
    return following is not None and following.get_code().startswith("(") and node.parent.type == "atom_expr"


@dataclass(frozen=True)
class Place:
    """A place that an operator changes: its `occurrence`-th in the file."""

    file: str
    operator: Operator
    occurrence: int


@dataclass(frozen=True)
class Mutant:
    """One change of one line: `file` below the repository, the line's number, its text before and after."""

    file: str
    line: int
    before: str
    after: str
    source: str

    def matches(self, listed: dict[str, str]) -> bool:
        return (self.file, self.before, self.after) == (listed["file"], listed["line"], listed["change"])


def operators() -> Iterator[Operator]:
    yield from (plugins.get_operator(f"core/{name}")() for name in NAMES)
    yield from (LeaveOutCall(), SwapFunction())


def places_in(file: str, root: Path) -> list[Place]:
    """Return where a file can be changed."""
    nodes = list(ast_nodes(get_ast((root / file).read_text())))
    return [
        Place(file, operator, occurrence)
        for operator in operators()
        for occurrence, _ in enumerate(at for node in nodes for at in operator.mutation_positions(node))
    ]


def mutant_at(place: Place, root: Path) -> Mutant | None:
    """Return the mutant of a place; None if it is no Python, or only a decorator says something else."""
    source = (root / place.file).read_text()
    mutated = mutate_code(source, place.operator, place.occurrence)
    if mutated is None or mutated == source or not compiles(mutated):
        return None
    lines = zip(source.split("\n"), mutated.split("\n"), strict=True)
    line, before, after = next((line, *both) for line, both in enumerate(lines, 1) if both[0] != both[1])
    if before.lstrip().startswith("@"):
        return None
    return Mutant(place.file, line, before.strip(), after.strip(), mutated)


def compiles(source: str) -> bool:
    try:
        compile(source, "mutant", "exec", dont_inherit=True)
    except SyntaxError:
        return False
    return True


@dataclass
class Room:
    """A room of rooms.toml: the number of its mutants, and those that are run."""

    name: str
    tests: list[str]
    places: int
    sampled: list[Mutant]
    outcomes: Counter[str] = field(default_factory=Counter)
    survivors: list[Mutant] = field(default_factory=list)


def rooms_of(names: Sequence[str], sample: int, seed: int) -> list[Room]:
    told = tomllib.loads(ROOMS.read_text())
    rooms = []
    for name in names or told:
        files = [file for path in told[name]["files"] for file in python_files(ROOT / path)]
        places = [place for file in files for place in places_in(file.relative_to(ROOT).as_posix(), ROOT)]
        drawn = random.Random(f"{seed} {name}").sample(places, len(places))
        mutants = filter(None, (mutant_at(place, ROOT) for place in drawn))
        rooms.append(Room(name, told[name]["tests"], len(places), list(islice(mutants, sample))))
    return rooms


def python_files(path: Path) -> list[Path]:
    return [path] if path.is_file() else sorted(path.rglob("*.py"))


def listed_equivalent() -> list[dict[str, str]]:
    """Return the mutants that no test can notice: file, line, change and reason of each."""
    return list(tomllib.loads(EQUIVALENT.read_text())["mutant"])


def unknown(listed: Sequence[dict[str, str]], root: Path) -> list[dict[str, str]]:
    """Return the listed mutants that the code does not have any more."""
    files = {one["file"] for one in listed if (root / one["file"]).exists()}
    places = [place for file in sorted(files) for place in places_in(file, root)]
    known = [mutant for place in places if (mutant := mutant_at(place, root))]
    return [one for one in listed if not any(mutant.matches(one) for mutant in known)]


def run(room: Room, listed: Sequence[dict[str, str]], folder: Path) -> None:
    """Run a room's sample and count how its mutants came out."""
    chosen = [mutant for mutant in room.sampled if not any(mutant.matches(one) for one in listed)]
    room.outcomes["equivalent"] = len(room.sampled) - len(chosen)
    mutants = [told(number, mutant) for number, mutant in enumerate(chosen)]
    job = {"tests": room.tests, "mutants": mutants, "least": LEAST}
    results = start(folder, room.name, job)
    # A process of its own also loads the house.
    limit = 5 * LEAST + 5 * next(one["seconds"] for one in results if "seconds" in one)
    for one in results:
        if "id" not in one:
            continue
        mutant, outcome = chosen[one["id"]], one["outcome"]
        if outcome == "alone":
            alone = {**job, "mutants": [told(0, mutant)], "alone": True, "limit": limit}
            outcome = start(folder, f"{room.name}-{one['id']}", alone)[0]["outcome"]
        room.outcomes[outcome] += 1
        if outcome == "survived":
            room.survivors.append(mutant)
    print("\n".join(shown(room)), flush=True)


def told(number: int, mutant: Mutant) -> dict[str, Any]:
    return {"id": number, "path": str(ROOT / mutant.file), "mutated": mutant.source}


def start(folder: Path, name: str, job: dict[str, Any]) -> list[dict[str, Any]]:
    """Run a job in a process of its own and return what it told.

    Raises SystemExit if the tests fail without a mutant.
    """
    results, path, output = folder / f"{name}.results", folder / f"{name}.json", folder / f"{name}.output"
    path.write_text(json.dumps({**job, "results": str(results), "learnt": str(folder / f"{name}.learnt")}))
    results.touch()
    with output.open("w") as file:
        command = [sys.executable, str(RUNNER), str(path)]
        environment = {**os.environ, **ENVIRONMENT}
        status = subprocess.call(command, cwd=ROOT, env=environment, stdout=file, stderr=subprocess.STDOUT)
    if job.get("alone"):
        return [{"outcome": "survived" if status == 0 else "timed out" if status < 0 else "killed"}]
    if status:
        raise SystemExit(f"The tests of {name} fail without a mutant:\n{output.read_text()[-3000:]}")
    return [json.loads(line) for line in results.read_text().splitlines()]


def shown(room: Room) -> Iterator[str]:
    """Yield the lines that say how a room came out: its figures, then what survived."""
    counts = {
        "mutants": room.places,
        "sampled": len(room.sampled),
        "killed": room.outcomes["killed"] + room.outcomes["timed out"],
        "survived": room.outcomes["survived"],
        "equivalent": room.outcomes["equivalent"],
    }
    yield f"{room.name}: {', '.join(f'{number:,} {name}' for name, number in counts.items())}"
    for mutant in sorted(room.survivors, key=lambda mutant: (mutant.file, mutant.line)):
        yield f"  {mutant.file}:{mutant.line}: {mutant.before}  ->  {mutant.after}"


def main(arguments: Sequence[str]) -> int:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("rooms", nargs="*", metavar="ROOM", help="rooms of tests/mutants/rooms.toml (all)")
    asked.add_argument("--sample", type=int, default=40, help="mutants of each room")
    asked.add_argument("--seed", type=int, default=1, help="another seed takes other mutants")
    asked.add_argument("--processes", type=int, default=2, help="rooms at once")
    given = asked.parse_args(arguments)
    listed = listed_equivalent()
    if gone := unknown(listed, ROOT):
        for one in gone:
            print(f"{one['file']} has no such mutant any more: {one['line']}  ->  {one['change']}")
        return 2
    rooms = rooms_of(given.rooms, given.sample, given.seed)
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(given.processes) as at_once:
        list(at_once.map(lambda room: run(room, listed, Path(folder)), rooms))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
