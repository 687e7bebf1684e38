"""Split keys into buckets, on CPUs and GPUs, stably, and what is made of that.

>>> import numpy as np, multisplit
>>> index, offsets = multisplit.group(np.array([2, 0, 1, 0]), 3)
>>> multisplit.split(np.array([5, 2, 7, 4]), "key % 2").keys
array([2, 4, 5, 7])

Arrays are NumPy's, or those of any library that has DLPack or `__cuda_array_interface__`: results are arrays of the
same library, on the same device. The guide is docs/python.md.
"""

from ._multisplit import (
    Alignment,
    Buckets,
    Error,
    Memory,
    Routing,
    Split,
    Workspace,
    __version__,
    argsort,
    argsplit,
    devices,
    group,
    histogram,
    moe_align,
    moe_permute,
    partition,
    select,
    sort,
    split,
    split_segments,
)
from ._paths import shortest_paths

__all__ = [
    "Alignment",
    "Buckets",
    "Error",
    "Memory",
    "Routing",
    "Split",
    "Workspace",
    "argsort",
    "argsplit",
    "devices",
    "group",
    "histogram",
    "moe_align",
    "moe_permute",
    "partition",
    "select",
    "shortest_paths",
    "sort",
    "split",
    "split_segments",
]
