from typing import Any, Protocol

from numpy.typing import ArrayLike

class _DLPack(Protocol):
    def __dlpack__(self, *, stream: Any = ...) -> Any: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...

class _CudaArray(Protocol):
    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...

# Arrays of NumPy's and what it makes arrays of, and arrays of other libraries. Results are of the same library.
_Array = ArrayLike | _DLPack | _CudaArray
_Values = _Array | tuple[_Array, ...] | dict[str, _Array]
_By = Buckets | str | _Array

__version__: str

class Error(Exception):
    """What went wrong on a device, or with one, and what to do about it."""

class Buckets:
    """Which bucket a key belongs to."""
    @staticmethod
    def ranges(lo: float, hi: float, m: int) -> Buckets: ...
    @staticmethod
    def width(lo: float, width: float, m: int) -> Buckets: ...
    @staticmethod
    def edges(edges: ArrayLike, right: bool = False) -> Buckets: ...
    @staticmethod
    def even(lo: float, hi: float, m: int) -> Buckets: ...
    @staticmethod
    def bins(levels: ArrayLike) -> Buckets: ...
    @staticmethod
    def identity(m: int) -> Buckets: ...
    @staticmethod
    def hash(m: int, seed: int = 0) -> Buckets: ...
    @staticmethod
    def bits(start: int, end: int) -> Buckets: ...
    @staticmethod
    def lookup(table: ArrayLike, buckets: int | None = None) -> Buckets: ...
    @staticmethod
    def expression(text: str, buckets: int | None = None) -> Buckets: ...
    def __len__(self) -> int: ...

class Memory:
    """An array of the library's own, which other libraries read where it is."""
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...
    def __len__(self) -> int: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...
    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any: ...

class Split:
    """Keys that were split, and what came with them."""
    @property
    def keys(self) -> Any: ...
    @property
    def values(self) -> Any: ...
    @property
    def offsets(self) -> Any: ...
    @property
    def index(self) -> Any: ...
    @property
    def inverse(self) -> Any: ...
    def __len__(self) -> int: ...
    def bucket(self, b: int) -> Any: ...

class Routing:
    """Tokens that go to experts."""
    @property
    def offsets(self) -> Any: ...
    @property
    def index(self) -> Any: ...
    @property
    def inverse(self) -> Any: ...

class Alignment:
    """Tokens that go to experts, in whole blocks."""
    @property
    def offsets(self) -> Any: ...
    @property
    def index(self) -> Any: ...
    @property
    def inverse(self) -> Any: ...
    @property
    def padded_offsets(self) -> Any: ...
    @property
    def sorted_token_ids(self) -> Any: ...
    @property
    def expert_ids(self) -> Any: ...
    @property
    def num_tokens_post_pad(self) -> Any: ...

class Workspace:
    """Memory that calls need besides arrays, and on the CPU that of results that are gone, kept for the next call."""
    def __init__(self) -> None: ...
    @property
    def nbytes(self) -> int: ...
    def clear(self) -> None: ...

def devices() -> list[str]: ...
def split(
    keys: _Array,
    by: _By,
    *,
    values: _Values | None = None,
    return_index: bool = False,
    return_inverse: bool = False,
    buckets: int | None = None,
    device: str | None = None,
    workspace: Workspace | None = None,
) -> Split: ...
def argsplit(
    keys: _Array,
    by: _By,
    *,
    buckets: int | None = None,
    device: str | None = None,
    workspace: Workspace | None = None,
) -> tuple[Any, Any]: ...
def group(
    ids: _Array, m: int | None = None, *, device: str | None = None, workspace: Workspace | None = None
) -> tuple[Any, Any]: ...
def partition(
    keys: _Array,
    by: _By,
    *,
    values: _Values | None = None,
    return_index: bool = False,
    return_inverse: bool = False,
    device: str | None = None,
    workspace: Workspace | None = None,
) -> Split: ...
def select(
    keys: _Array,
    by: _By,
    *,
    values: _Values | None = None,
    return_index: bool = False,
    device: str | None = None,
    workspace: Workspace | None = None,
) -> Split: ...
def split_segments(
    keys: _Array,
    segments: ArrayLike,
    by: _By,
    *,
    values: _Values | None = None,
    return_index: bool = False,
    return_inverse: bool = False,
    buckets: int | None = None,
    device: str | None = None,
    workspace: Workspace | None = None,
) -> Split: ...
def histogram(
    keys: _Array, by: _By, *, buckets: int | None = None, return_outside: bool = False, device: str | None = None
) -> Any: ...
def sort(
    keys: _Array,
    *,
    values: _Values | None = None,
    descending: bool = False,
    return_index: bool = False,
    device: str | None = None,
    workspace: Workspace | None = None,
) -> Any: ...
def argsort(
    keys: _Array, *, descending: bool = False, device: str | None = None, workspace: Workspace | None = None
) -> Any: ...
def moe_permute(
    topk_ids: _Array, experts: int, *, device: str | None = None, workspace: Workspace | None = None
) -> Routing: ...
def moe_align(
    topk_ids: _Array,
    experts: int,
    block_size: int,
    *,
    device: str | None = None,
    workspace: Workspace | None = None,
) -> Alignment: ...
def shortest_paths(
    graph: Any,
    source: int,
    *,
    return_predecessors: bool = False,
    delta: float | None = None,
    device: str | None = None,
) -> Any: ...
