"""Wrong input: what is expected is said, and nothing else happens."""

import numpy as np
import pytest

import multisplit
from multisplit import Buckets

KEYS = np.arange(10, dtype="u4")


@pytest.mark.parametrize(
    "call, error, says",
    [
        (lambda: multisplit.group([3, 1], 3), ValueError, "below 3"),
        (lambda: multisplit.group([-1, 1], 3), ValueError, "below 3"),
        (lambda: multisplit.group([-5, -1]), ValueError, "largest id is -1|no buckets"),
        (lambda: multisplit.group([0.5], 3), TypeError, "integers, not float64"),
        (lambda: multisplit.group(KEYS, 0), ValueError, "no buckets"),
        (lambda: multisplit.group(KEYS, 2**24 + 1), ValueError, "too many"),
        (lambda: multisplit.group(KEYS, -1), OverflowError, "."),
        (lambda: multisplit.split(KEYS.reshape(2, 5), "key % 2"), ValueError, r"its shape is \[2, 5\]"),
        (lambda: multisplit.split(np.uint32(5), "key % 2"), ValueError, "single uint32"),
        (lambda: multisplit.split(np.array(["a", "b"]), "key % 2"), TypeError, "keys must be integers"),
        (lambda: multisplit.split(np.array([1, None]), "key % 2"), TypeError, "Python objects"),
        (lambda: multisplit.split(np.array([1j]), "key % 2"), TypeError, "keys must be integers"),
        (lambda: multisplit.split(KEYS > 3, "key % 2"), TypeError, "not bool"),
        (lambda: multisplit.split(KEYS, "key %"), ValueError, "expression"),
        (lambda: multisplit.split(KEYS, "age % 2"), ValueError, "age"),
        (lambda: multisplit.split(KEYS, "key - 5", buckets=3), ValueError, "."),
        (lambda: multisplit.split(KEYS, "10 / key", buckets=30), ValueError, "."),
        (lambda: multisplit.split(KEYS, KEYS[:5]), ValueError, "5 ids, but there are 10 keys"),
        (lambda: multisplit.split(KEYS, Buckets.hash(4), buckets=4), TypeError, "buckets"),
        (lambda: multisplit.split(KEYS, Buckets.hash(4), values=KEYS[1:]), ValueError, r"\[9\], but there are 10"),
        (lambda: multisplit.split(KEYS, Buckets.hash(4), values=np.float32(3)), ValueError, "values"),
        (lambda: multisplit.split(KEYS, Buckets.hash(4), device="cuda:99"), ValueError, "no device 'cuda:99'"),
        (lambda: multisplit.split(KEYS, Buckets.hash(4), device="gpu"), ValueError, "devices here: .*cpu"),
        (lambda: multisplit.split(KEYS, None), TypeError, "."),
        (lambda: multisplit.split(KEYS), TypeError, "by"),
        (lambda: multisplit.partition(KEYS, KEYS), TypeError, "bool"),
        (lambda: multisplit.partition(KEYS, Buckets.hash(4)), ValueError, "two buckets, but by makes 4"),
        (lambda: multisplit.select(KEYS, "key + 1"), ValueError, "condition"),
        (lambda: multisplit.split_segments(KEYS, [0, 5], "key % 2"), ValueError, "last 10"),
        (lambda: multisplit.split_segments(KEYS, [0, 5, 3, 10], "key % 2"), ValueError, "decrease"),
        (lambda: multisplit.split_segments(KEYS, [], "key % 2"), ValueError, "no segment offsets"),
        (lambda: multisplit.moe_permute(KEYS.reshape(1, 2, 5), 10), ValueError, "row of experts"),
        (lambda: multisplit.moe_permute(KEYS, 5), ValueError, "below 5"),
        (lambda: multisplit.moe_align(KEYS, 10, 0), ValueError, "at least 1"),
        (lambda: multisplit.sort(KEYS, descending=None), TypeError, "."),
        (lambda: Buckets.edges([3, 1]) and multisplit.split(KEYS, Buckets.edges([3, 1])), ValueError, "ascend"),
        (lambda: multisplit.split(KEYS, Buckets.edges([2**33])), ValueError, "beyond all uint32 keys"),
        (lambda: multisplit.split(KEYS, Buckets.ranges(-1, 5, 2)), ValueError, "lo is -1, which no uint32 key is"),
        (lambda: multisplit.split(KEYS, Buckets.ranges(5, 5, 2)), ValueError, "empty"),
        (lambda: Buckets.ranges("a", 5, 2), TypeError, "must be a number"),
        (lambda: multisplit.split(KEYS, Buckets.bits(30, 40)), ValueError, "bits"),
        (lambda: multisplit.split(KEYS.astype("f4"), Buckets.identity(3)), TypeError, "integers"),
        (lambda: Buckets.lookup([-1]), ValueError, "number of a bucket"),
        (lambda: multisplit.split(KEYS, Buckets.lookup([0, 1])), ValueError, "."),
        (lambda: multisplit.split(KEYS, "key % 2").bucket(2), ValueError, "no bucket 2"),
    ],
)
def test_refused(call, error, says):
    before = KEYS.copy()
    with pytest.raises(error, match=says):
        call()
    np.testing.assert_array_equal(KEYS, before)


def test_their_own_exceptions():
    class Broken:
        def __dlpack_device__(self):
            raise RuntimeError("of their own")

    with pytest.raises(RuntimeError, match="of their own"):
        multisplit.sort(Broken())


def test_a_device_of_another_kind():
    class Elsewhere:
        def __dlpack_device__(self):
            return (7, 0)

        def __array_namespace__(self):
            return np

    with pytest.raises(TypeError, match="keys is on a device of DLPack's kind 7"):
        multisplit.sort(Elsewhere())


def test_memory_that_there_is_not():
    with pytest.raises(MemoryError):
        multisplit.split(KEYS, KEYS, values=np.broadcast_to(np.float64(1), (10, 2**50)))


def test_the_exception():
    assert issubclass(multisplit.Error, Exception) and multisplit.Error.__module__ == "multisplit"
