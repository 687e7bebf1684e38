"""Shortest paths, against SciPy's."""

import numpy as np
import pytest

import multisplit

sparse = pytest.importorskip("scipy.sparse")
csgraph = pytest.importorskip("scipy.sparse.csgraph")


@pytest.mark.parametrize("dtype", ["i4", "i8", "u1", "f4", "f8"])
@pytest.mark.parametrize("form", ["csr", "coo", "csc"])
def test_as_dijkstra(dtype, form):
    random = np.random.default_rng(7)
    n, arcs = 500, 2500
    weights = random.integers(1, 100, arcs).astype(dtype)
    graph = sparse.coo_array((weights, (random.integers(0, n, arcs), random.integers(0, n, arcs))), shape=(n, n))
    graph.sum_duplicates()
    graph = graph.asformat(form)
    expected = csgraph.dijkstra(graph, indices=3)
    distances, before = multisplit.shortest_paths(graph, 3, return_predecessors=True)
    np.testing.assert_array_equal(distances, expected)
    np.testing.assert_array_equal(multisplit.shortest_paths(graph, 3, delta=10), expected)
    assert before[3] == -9999 and before.dtype == np.int32
    rows = graph.tocsr()
    for v in np.flatnonzero(np.isfinite(distances)):
        if v != 3:
            assert distances[before[v]] + rows[before[v], v] == distances[v]
    assert (before[np.isinf(distances)] == -9999).all()


def test_refused():
    graph = sparse.csr_array(np.array([[0, 2], [3, 0]]))
    for bad, error in [
        ((np.eye(2), 0), TypeError),
        ((sparse.csr_array(np.ones((2, 3))), 0), TypeError),
        ((graph, 2), ValueError),
        ((graph, -1), ValueError),
        ((-graph, 0), ValueError),
        ((-graph.astype("f4"), 0), ValueError),
        ((graph.astype("c8"), 0), TypeError),
    ]:
        with pytest.raises(error):
            multisplit.shortest_paths(*bad)
    with pytest.raises(ValueError, match="delta"):
        multisplit.shortest_paths(graph, 0, delta=-1)
