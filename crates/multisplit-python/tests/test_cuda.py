"""Arrays on CUDA devices, by the interfaces that all libraries have. With the emulator of CUDA they are on the host.

cuda/check.py has the same with the arrays of PyTorch and CuPy.
"""

import ctypes
import gc
import os
import threading

import numpy as np
import pytest
from conftest import KEY_TYPES, keys_of

import multisplit
from multisplit import Buckets

try:
    CUDA = ctypes.CDLL("libcuda.so.1")
    CUDA.cuInit(0)
except OSError:
    pytest.skip("no driver of CUDA", allow_module_level=True)
if not any(name.startswith("cuda") for name in multisplit.devices()):
    pytest.skip("no CUDA device", allow_module_level=True)


def call(function, *arguments):
    assert getattr(CUDA, function)(*arguments) == 0, function


class Context:
    """The primary context, current."""

    def __enter__(self):
        self.context = ctypes.c_void_p()
        call("cuDevicePrimaryCtxRetain", ctypes.byref(self.context), 0)
        call("cuCtxPushCurrent_v2", self.context)

    def __exit__(self, *_):
        popped = ctypes.c_void_p()
        call("cuCtxPopCurrent_v2", ctypes.byref(popped))
        assert popped.value == self.context.value, "another context is current"
        call("cuDevicePrimaryCtxRelease_v2", 0)


class OnDevice:
    """An array on a CUDA device that has `__cuda_array_interface__` alone."""

    def __init__(self, array, skip=0):
        array = np.ascontiguousarray(array)
        self.shape, self.typestr, self.address = array.shape, array.dtype.str, ctypes.c_uint64()
        self.skip = skip
        with Context():
            call("cuMemAlloc_v2", ctypes.byref(self.address), ctypes.c_size_t(array.nbytes + skip + 1))
            to, stream = ctypes.c_uint64(self.address.value + skip), ctypes.c_void_p(0)
            data, size = ctypes.c_void_p(array.ctypes.data), ctypes.c_size_t(array.nbytes)
            call("cuMemcpyHtoDAsync_v2", to, data, size, stream)
            call("cuStreamSynchronize", stream)

    @property
    def __cuda_array_interface__(self):
        data = (self.address.value + self.skip, False)
        return {"shape": self.shape, "typestr": self.typestr, "data": data, "version": 3, "stream": 1}

    def max(self):
        return host(self).max()

    def __del__(self):
        with Context():
            call("cuMemFree_v2", self.address)


def host(array):
    """A copy on the host."""
    interface = array.__cuda_array_interface__
    copy = np.empty(interface["shape"], dtype=interface["typestr"])
    if copy.nbytes:
        with Context():
            data, size = ctypes.c_void_p(copy.ctypes.data), ctypes.c_size_t(copy.nbytes)
            stream = ctypes.c_void_p(0)
            call("cuMemcpyDtoHAsync_v2", data, ctypes.c_uint64(interface["data"][0]), size, stream)
            call("cuStreamSynchronize", stream)
    return copy


def same(got, expected, fields):
    for field in fields.split():
        np.testing.assert_array_equal(host(getattr(got, field)), getattr(expected, field), err_msg=field)


@pytest.mark.parametrize("dtype", KEY_TYPES)
def test_types(dtype):
    keys, values = keys_of(dtype, 3001), np.arange(3001, dtype="f8")
    asked = {"return_index": True, "return_inverse": True}
    try:
        got = multisplit.split(OnDevice(keys), Buckets.hash(9), values=OnDevice(values), **asked)
    except multisplit.Error as error:
        # The emulator has no 64-bit floats.
        assert f"lacks f{8 * np.dtype(dtype).itemsize} keys" in str(error)
        pytest.skip(str(error))
    assert isinstance(got.keys, multisplit.Memory)
    same(got, multisplit.split(keys, Buckets.hash(9), values=values, **asked), "keys values index inverse offsets")


def test_results_are_inputs():
    """They are handed over by DLPack, too."""
    keys = keys_of("u4", 5000)
    first = multisplit.split(OnDevice(keys, skip=4), Buckets.hash(3))
    assert first.keys.__dlpack_device__() == (2, 0)
    again = multisplit.sort(first.keys)
    del first
    gc.collect()
    np.testing.assert_array_equal(host(again), np.sort(keys))
    index, offsets = multisplit.group(OnDevice(keys % 5), 5)
    expected = multisplit.group(keys % 5, 5)
    np.testing.assert_array_equal(host(index), expected[0])
    np.testing.assert_array_equal(host(offsets), expected[1])


def test_operations():
    keys = keys_of("u4", 4000)
    on_device = OnDevice(keys)
    same(multisplit.split(on_device, "key % 7", buckets=7), multisplit.split(keys, "key % 7"), "keys offsets")
    same(multisplit.split(on_device, OnDevice(keys % 3)), multisplit.split(keys, keys % 3), "keys offsets")
    mask = keys < 2**31
    rows = np.arange(12_000, dtype="u1").reshape(4000, 3)
    for call in multisplit.partition, multisplit.select:
        got = call(on_device, OnDevice(mask), values=OnDevice(rows), return_index=True)
        same(got, call(keys, mask, values=rows, return_index=True), "keys values index offsets")
    counts = multisplit.histogram(on_device, Buckets.bits(0, 3))
    np.testing.assert_array_equal(host(counts), np.bincount(keys % 8))
    topk = (keys % 11).astype("i4").reshape(-1, 4)
    fields = "offsets index inverse padded_offsets sorted_token_ids expert_ids num_tokens_post_pad"
    same(multisplit.moe_align(OnDevice(topk), 11, 16), multisplit.moe_align(topk, 11, 16), fields)


def test_refused():
    keys = keys_of("u4", 100)
    with pytest.raises(ValueError, match="below 3"):
        multisplit.group(OnDevice(keys), 3)
    with pytest.raises(ValueError, match="values is on the CPU, but keys on cuda:0"):
        multisplit.split(OnDevice(keys), Buckets.hash(3), values=keys)
    with pytest.raises(ValueError, match="by is on the CPU"):
        multisplit.split(OnDevice(keys), keys % 3)
    with pytest.raises(ValueError, match="stays there"):
        multisplit.split(OnDevice(keys), Buckets.hash(3), device="cpu")
    with pytest.raises(ValueError, match="how many buckets"):
        multisplit.split(OnDevice(keys), "key % 7")


def test_the_context_stays():
    def current():
        context = ctypes.c_void_p()
        call("cuCtxGetCurrent", ctypes.byref(context))
        return context.value

    def check():
        before = current()
        multisplit.sort(OnDevice(keys_of("u4", 1000)))
        seen.append(before == current())

    seen = []
    check()
    with Context():
        check()
    thread = threading.Thread(target=check)
    thread.start()
    thread.join()
    assert seen == [True] * 3


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_no_gpu_after_a_fork():
    multisplit.sort(keys_of("u4", 100), device="cuda")
    child = os.fork()
    if child == 0:
        try:
            multisplit.sort(keys_of("u4", 100), device="cuda")
        except multisplit.Error as error:
            os._exit(3 if "spawn" in str(error) else 4)
        os._exit(5)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 3
