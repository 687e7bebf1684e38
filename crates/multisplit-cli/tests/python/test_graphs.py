"""Graphs of SciPy and NetworkX: distances and facts are theirs."""

import re

import networkx as nx
import numpy as np
import pytest
import scipy.io
import scipy.sparse
from scipy.sparse.csgraph import connected_components, dijkstra


def random_matrix(n=300, edges=900, seed=2):
    """Weights of a directed graph in parts, without loops."""
    random = np.random.default_rng(seed)
    tail, head = random.integers(0, n, (2, edges))
    keep = tail != head
    pairs, where = np.unique(np.stack((tail[keep], head[keep])), axis=1, return_index=True)
    weights = random.integers(1, 1000, edges)[where]
    return scipy.sparse.csr_array((weights, tuple(pairs)), shape=(n, n))


def distances(matrix, source):
    """Distances as the program writes them."""
    found = dijkstra(matrix, indices=source)
    return np.where(np.isinf(found), 2**32 - 1, found).astype("u4")


@pytest.mark.parametrize("strategy", ["dijkstra", "delta-stepping", "bellman-ford"])
@pytest.mark.parametrize("directed", [True, False])
def test_shortest_paths(multisplit, strategy, directed):
    matrix = random_matrix()
    if not directed:
        matrix = matrix.maximum(matrix.T)
    symmetry = "general" if directed else "symmetric"
    scipy.io.mmwrite(multisplit.folder / "graph.mtx", matrix.astype("i4"), field="integer", symmetry=symmetry)
    multisplit("sssp", "graph.mtx", "--source", "1,17,300", "--strategy", strategy, "--output", "found.npy", "--device",
               "cpu")
    expected = np.stack([distances(matrix, source) for source in (0, 16, 299)])
    np.testing.assert_array_equal(np.load(multisplit.folder / "found.npy"), expected)


def test_paths_to_targets(multisplit):
    """The path that is printed is one of NetworkX's shortest."""
    graph = nx.from_scipy_sparse_array(random_matrix(edges=1500), create_using=nx.DiGraph)
    nx.write_weighted_edgelist(graph, multisplit.folder / "graph.txt")
    lengths, _ = nx.single_source_dijkstra(graph, 0)
    target = max(lengths, key=lengths.get)
    out = multisplit("sssp", "graph.txt", "--source", 0, "--target", target, "--path", "--device", "cpu").decode()
    assert str(lengths[target]) in out, out
    path = max(re.findall(r"\d+(?: (?:->|→) \d+)+", out), key=len)
    path = [int(vertex) for vertex in re.findall(r"\d+", path)]
    assert path[0] == 0 and path[-1] == target, out
    assert nx.path_weight(graph, path, "weight") == lengths[target]


def test_info(multisplit):
    matrix = random_matrix(edges=400)
    scipy.io.mmwrite(multisplit.folder / "graph.mtx", matrix.astype("i4"), field="integer", symmetry="general")
    out = multisplit("graph", "info", "graph.mtx").decode().replace(",", "")
    parts, _ = connected_components(matrix, directed=False)
    numbers = set(re.findall(r"\d+", out))
    for expected in [matrix.shape[0], matrix.nnz, parts, matrix.data.min(), matrix.data.max()]:
        assert str(expected) in numbers, (expected, out)


@pytest.mark.parametrize("ending", ["mtx", "txt"])
def test_export(multisplit, ending):
    """What is exported is read by SciPy and NetworkX as the graph that it was."""
    matrix = random_matrix()
    scipy.io.mmwrite(multisplit.folder / "graph.mtx", matrix.astype("i4"), field="integer", symmetry="general")
    multisplit("graph", "export", "graph.mtx", "--output", f"out.{ending}")
    if ending == "mtx":
        found = nx.from_scipy_sparse_array(scipy.io.mmread(multisplit.folder / "out.mtx"), create_using=nx.DiGraph)
    else:
        found = nx.read_weighted_edgelist(multisplit.folder / "out.txt", create_using=nx.DiGraph, nodetype=int)
        found = nx.relabel_nodes(found, lambda vertex: vertex - 1)
    expected = nx.from_scipy_sparse_array(matrix, create_using=nx.DiGraph)
    assert sorted(found.edges(data="weight")) == sorted(expected.edges(data="weight"))
