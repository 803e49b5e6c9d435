"""The tree cut into tiles by C2SP tlog-tiles: rows of up to 256 adjacent hashes, eight levels apart. Pure.

Tile `index` of `level` has the roots over 256**level leaves each, from hash 256 * index of that level on. A
full tile never changes; the last one of a level is partial until it has 256 hashes, and those it has never
change. So one reader serves trees of every size: `read(level, index, width)` returns the first `width` hashes
of a tile, 32 bytes each. A root, a proof or a growing tree needs a few tiles of each level, however many
leaves there are."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from ledger.proof.audit.errors import BadTile
from ledger.proof.audit.tree.merkle import HASH_BYTES, Frontier, Subtree, joined, root_of

HEIGHT = 8
WIDTH = 1 << HEIGHT
TOP_LEVEL = 63

Read = Callable[[int, int, int], bytes]


@dataclass(frozen=True, order=True)
class TileAddress:
    """The place of a tile and its width, up to 256 hashes. Raises BadTile if no tree has it."""

    level: int
    index: int
    width: int = WIDTH

    def __post_init__(self) -> None:
        if not (0 <= self.level <= TOP_LEVEL and self.index >= 0 and 1 <= self.width <= WIDTH):
            raise BadTile(f"No tree has a tile {self.index} of level {self.level} with {self.width} hashes.")

    @property
    def path(self) -> str:
        """The tile's path below the log's own address: `tile/0/x001/x234/067`, `tile/1/000.p/17`."""
        digits = str(self.index)
        digits = "0" * (-len(digits) % 3) + digits
        groups = [digits[at : at + 3] for at in range(0, len(digits), 3)]
        number = "".join(f"x{group}/" for group in groups[:-1]) + groups[-1]
        return f"tile/{self.level}/{number}" + ("" if self.width == WIDTH else f".p/{self.width}")


def subtrees(size: int, read: Read) -> Subtree:
    """Return the subtrees of a tree of `size` leaves, read from its tiles, to build proofs with. Each tile is
    read once for all calls. A subtree must begin at a multiple of a power of two not smaller than it
    (ValueError), as in all proofs. Raises BadTile if a tile has too few or too many bytes."""
    held: dict[TileAddress, bytes] = {}

    def node(height: int, index: int) -> bytes:
        tile, offset, count = _place(height, index, size)
        if tile not in held:
            held[tile] = _read(tile, read)
        return root_of(_hashes(held[tile][offset * HASH_BYTES : (offset + count) * HASH_BYTES]))

    return lambda begin, end: joined(node(height, index) for height, index in _complete(begin, end))


def root(size: int, read: Read) -> bytes:
    """Return the root of the tree of `size` leaves, from its tiles. Raises BadTile."""
    return subtrees(size, read)(0, size)


def tile_root(data: bytes) -> bytes:
    return root_of(_hashes(data))


class TiledTree:
    """A tree that grows by leaves and yields its full tiles; it keeps one partial tile for each level. It
    continues the tree of `size` leaves whose tiles `read` returns. Raises BadTile if their width does not
    match."""

    def __init__(self, size: int = 0, read: Read | None = None) -> None:
        if size and read is None:
            raise ValueError("a tree that has leaves continues from its tiles")
        self.size = size
        self._rows = [bytearray(row) for row in _edge(size, read)] if read else []
        self._rows = self._rows or [bytearray()]
        self._tops = [Frontier() for _ in self._rows]  # over what `root` has read of each row

    def extend(self, leaves: Iterable[bytes]) -> Iterator[tuple[TileAddress, bytes]]:
        """Add leaf hashes in order; yield each tile that becomes full, with its 8,192 bytes."""
        for leaf in leaves:
            if len(leaf) != HASH_BYTES:
                raise ValueError(f"a leaf hash has 32 bytes, not {len(leaf)}")
            self.size += 1
            self._rows[0] += leaf
            if not self.size % WIDTH:
                yield from self._completed()

    def root(self) -> bytes:
        """Return the current root. While the tree grows, each hash is read once for all calls."""
        peaks: list[bytes] = []
        for row, top in zip(reversed(self._rows), reversed(self._tops), strict=True):
            top.extend(_hashes(row[top.size * HASH_BYTES :]))
            peaks += top.peaks
        return joined(peaks)

    def _completed(self) -> list[tuple[TileAddress, bytes]]:
        """Take out the tiles that the last leaf filled, and add each one's root to the level above."""
        full = []
        level, count = 0, self.size
        while count and not count % WIDTH:
            count //= WIDTH
            data = bytes(self._rows[level])
            full.append((TileAddress(level, count - 1), data))
            self._rows[level].clear()
            self._tops[level] = Frontier()
            level += 1
            if level == len(self._rows):
                self._rows.append(bytearray())
                self._tops.append(Frontier())
            self._rows[level] += tile_root(data)
        return full


def _edge(size: int, read: Read) -> Iterator[bytes]:
    """Yield the partial tiles of this tree, lowest level first; empty where a level has none."""
    level = 0
    while size >> HEIGHT * level:
        count = size >> HEIGHT * level
        yield _read(TileAddress(level, count // WIDTH, count % WIDTH), read) if count % WIDTH else b""
        level += 1


def _read(tile: TileAddress, read: Read) -> bytes:
    data = read(tile.level, tile.index, tile.width)
    if len(data) != tile.width * HASH_BYTES:
        raise BadTile(f"{tile.path} has {len(data)} bytes where {tile.width * HASH_BYTES} are needed.")
    return data


def _complete(begin: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the complete subtrees of these leaves, largest first: height, and index at that height."""
    while begin < end:
        height = (end - begin).bit_length() - 1
        if begin % (1 << height):
            raise ValueError(f"no subtree of a proof begins at {begin} and ends at {end}")
        yield height, begin >> height
        begin += 1 << height


def _place(height: int, index: int, size: int) -> tuple[TileAddress, int, int]:
    """Return where a complete subtree is: its tile in a tree of this size, first hash there, and count."""
    level, above = divmod(height, HEIGHT)
    first = index << above
    return _tile(level, first // WIDTH, size), first % WIDTH, 1 << above


def _tile(level: int, index: int, size: int) -> TileAddress:
    return TileAddress(level, index, min(WIDTH, (size >> HEIGHT * level) - index * WIDTH))


def _hashes(row: bytes | bytearray) -> Iterator[bytes]:
    return (bytes(row[at : at + HASH_BYTES]) for at in range(0, len(row), HASH_BYTES))
