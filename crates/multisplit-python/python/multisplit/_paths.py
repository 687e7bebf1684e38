"""Shortest paths in sparse matrices."""

import numpy as np

from . import _multisplit


def shortest_paths(graph, source, *, return_predecessors=False, delta=None, device=None):
    """The distances of all vertices from one, in a graph that is given as a matrix of `scipy.sparse`.

    `graph[u, v]` is the weight of the arc from u to v, which must not be negative. Integers are added up exactly, up to
    2^32 - 2; floats are taken as 32-bit ones. The result is as that of `scipy.sparse.csgraph.dijkstra`: distances as
    64-bit floats, infinite for vertices that cannot be reached; with `return_predecessors` a tuple with the vertex
    before each on its path too, -9999 for those without. Paths are found by delta-stepping, with buckets of width
    `delta`, on the CPU or on the `device` of another name.

    >>> import scipy.sparse
    >>> streets = scipy.sparse.csr_array(([4, 1, 2], ([0, 0, 1], [2, 1, 2])), shape=(4, 4))
    >>> shortest_paths(streets, 0)
    array([ 0.,  1.,  3., inf])
    """
    rows = graph.tocsr() if hasattr(graph, "tocsr") else None
    if rows is None or rows.ndim != 2 or rows.shape[0] != rows.shape[1]:
        raise TypeError("a graph is a square matrix of scipy.sparse")
    if max(rows.shape[0], rows.nnz) >= 2**32 - 1:
        raise ValueError("a graph has fewer than 2^32 - 1 vertices and arcs")
    weights = rows.data
    if weights.dtype.kind in "bui":
        if weights.size and (weights.min() < 0 or weights.max() >= 2**32 - 1):
            raise ValueError("integer weights must be from 0 to 2^32 - 2")
        weights = weights.astype(np.uint32, copy=False)
    elif weights.dtype.kind == "f":
        weights = weights.astype(np.float32, copy=False)
    else:
        raise TypeError(f"weights are integers or floats, not {weights.dtype}")
    source = int(source)
    if not 0 <= source < rows.shape[0]:
        raise ValueError(f"the source {source} is not in the graph, which has {rows.shape[0]} vertices, from 0 on")
    distances, predecessors = _multisplit.shortest_paths(
        rows.indptr.astype(np.uint32, copy=False),
        rows.indices.astype(np.uint32, copy=False),
        weights,
        source,
        delta=delta,
        return_predecessors=return_predecessors,
        device=device,
    )
    return (distances, predecessors) if return_predecessors else distances
