"""Checks the module with arrays of PyTorch and CuPy on a CUDA device: python check.py [RESULTS.txt]

It takes no more than these, and less than two minutes. Every line is a check; the exit code tells whether all passed.
"""

import ctypes
import os
import sys
import threading
import time
import traceback

import numpy as np
import torch

import multisplit
from multisplit import Buckets

try:
    import cupy
except ImportError:
    cupy = None

CHECKS = []
DEVICE = "cuda:0"


def check(function):
    CHECKS.append(function)
    return function


def same(got, expected, what=""):
    """Compares a tensor with one, or with an array, bit by bit."""
    if isinstance(got, torch.Tensor):
        assert got.is_cuda, f"{what} is on {got.device}"
        got = got.cpu()
    expected = expected.cpu() if isinstance(expected, torch.Tensor) else torch.as_tensor(np.asarray(expected))
    assert got.shape == expected.shape, f"{what}: {tuple(got.shape)} instead of {tuple(expected.shape)}"
    words = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[got.element_size()]
    if expected.element_size() != got.element_size():
        got, expected, words = got.to(torch.int64), expected.to(torch.int64), torch.int64
    assert torch.equal(got.contiguous().view(words), expected.contiguous().view(words)), f"{what} differs"


def random_tensor(dtype, n, seed=0):
    generator = torch.Generator(device=DEVICE).manual_seed(seed)
    if dtype.is_floating_point:
        return (torch.randn(n, generator=generator, device=DEVICE) * 100).to(dtype)
    words = torch.randint(-(2**63), 2**63 - 1, (n,), generator=generator, device=DEVICE, dtype=torch.int64)
    return words.view(dtype)[:: 8 // torch.empty(0, dtype=dtype).element_size()].contiguous()


@check
def types_of_torch():
    # Kernels for CUDA have no 64-bit floats; see `wrong_input`.
    names = "uint8 int8 uint16 int16 uint32 int32 uint64 int64 float16 bfloat16 float32"
    for name in names.split():
        keys = random_tensor(getattr(torch, name), 5001)
        for n in (5001, 1, 0):
            part = keys[:n]
            asked = {"return_index": True, "return_inverse": True}
            result = multisplit.split(part, Buckets.hash(9), values=part, **asked)
            assert type(result.keys) is torch.Tensor and result.keys.dtype == keys.dtype, name
            assert result.index.dtype == torch.int32 and result.offsets.dtype == torch.int32
            # The CPU is what all is compared with; NumPy has no bfloat16.
            if name == "bfloat16":
                order = result.index.long()
                same(result.keys, part[order], name)
                assert torch.equal(order.sort().values, torch.arange(n, device=DEVICE))
            else:
                expected = multisplit.split(part.cpu().numpy(), Buckets.hash(9), **asked)
                for field in "keys", "index", "inverse", "offsets":
                    same(getattr(result, field), getattr(expected, field), f"{field} of {name}")
            same(result.values, result.keys, name)
            same(multisplit.sort(part), multisplit.sort(part.cpu()), f"sort of {name}")


@check
def layouts_of_torch():
    base = random_tensor(torch.int32, 40_000)
    for keys in base[1:], base[::2], base.view(-1, 4)[:, 1], base.flip(0), base[3:30_000]:
        result = multisplit.split(keys, Buckets.bits(0, 3), return_index=True)
        same(result.keys, keys[(keys & 7).sort(stable=True).indices])
    rows = torch.arange(30_000, device=DEVICE, dtype=torch.float16).view(10_000, 3)
    keys = random_tensor(torch.int64, 10_000) % 11
    order = keys.remainder(11).sort(stable=True).indices
    result = multisplit.split(keys.remainder(11), Buckets.identity(11), values=(rows, rows[:, 0], keys))
    for got, expected in zip(result.values, (rows, rows[:, 0], keys)):
        same(got, expected[order])


@check
def tensors_of_the_cpu():
    keys = torch.randint(0, 100, (1000,), dtype=torch.int32)
    result = multisplit.split(keys, "key % 7", values=keys.to(torch.bfloat16))
    assert type(result.keys) is torch.Tensor and not result.keys.is_cuda
    order = (keys % 7).sort(stable=True).indices
    assert torch.equal(result.keys, keys[order]) and torch.equal(result.values, keys[order].to(torch.bfloat16))


@check
def operations_on_tensors():
    n, m = 1_000_000, 256
    ids = torch.randint(0, m, (n,), device=DEVICE, dtype=torch.int64)
    order, offsets = ids.sort(stable=True).indices, torch.bincount(ids, minlength=m).cumsum(0)
    for dtype in torch.uint8, torch.int32, torch.int64:
        index, bounds = multisplit.group(ids.to(dtype), m)
        same(index, order)
        same(bounds[1:], offsets)
    same(multisplit.group(ids)[0], order, "without m")
    words = random_tensor(torch.int32, n)
    result = multisplit.split(words, "key % 7", buckets=7)
    same(result.keys, words[words.remainder(7).sort(stable=True).indices])
    result = multisplit.split(words, ids, values=ids)
    same(result.keys, words[order])
    same(result.values, ids[order])
    counts, outside = multisplit.histogram(words, Buckets.even(0, 1000, 10), return_outside=True)
    assert int(counts.sum()) + outside == n
    same(multisplit.histogram(ids, Buckets.identity(m)), torch.bincount(ids, minlength=m))
    mask = words > 1000
    same(multisplit.select(words, mask).keys, words[mask])
    same(multisplit.select(words, "key > 1000", return_index=True).index, mask.nonzero().flatten())
    same(multisplit.partition(words, mask, values=ids).values, torch.cat([ids[mask], ids[~mask]]))
    segments = [0, 10, 10, 500_000, n]
    result = multisplit.split_segments(words, torch.tensor(segments, device=DEVICE), Buckets.bits(0, 2))
    part = words[10:500_000]
    same(result.keys[10:500_000], part[(part & 3).sort(stable=True).indices])
    keys, values, index = multisplit.sort(words, values=ids, descending=True, return_index=True)
    expected = words.sort(stable=True, descending=True)
    same(keys, expected.values)
    same(index, expected.indices)
    same(values, ids[expected.indices])


@check
def experts():
    topk = torch.randint(0, 60, (5000, 8), device=DEVICE)
    flat = topk.flatten()
    order = flat.sort(stable=True).indices
    for ids in topk, topk.int():
        aligned = multisplit.moe_align(ids, 60, 64)
        for routing in multisplit.moe_permute(ids, 60), aligned:
            same(routing.index, order)
            same(routing.inverse[order], torch.arange(40_000, device=DEVICE))
            same(routing.offsets[1:], torch.bincount(flat, minlength=60).cumsum(0))
    expected = multisplit.moe_align(topk.cpu().numpy(), 60, 64)
    for field in "padded_offsets", "sorted_token_ids", "expert_ids", "num_tokens_post_pad":
        same(getattr(aligned, field), getattr(expected, field), field)


@check
def order_with_streams():
    side, other = torch.cuda.Stream(), torch.cuda.Stream()
    keys = torch.zeros(1 << 22, device=DEVICE, dtype=torch.int32)
    for i in range(20):
        with torch.cuda.stream(side):
            torch.cuda._sleep(2_000_000)  # about a millisecond: what comes behind is not there yet
            keys.copy_(torch.arange(i, i + (1 << 22), device=DEVICE, dtype=torch.int32))
            result = multisplit.split(keys, Buckets.bits(0, 4))
        with torch.cuda.stream(other):  # the result can be read on any stream
            first = result.keys[:5].clone()
        other.synchronize()
        smallest = i if i % 16 == 0 else i + 16 - i % 16
        assert first.tolist() == [smallest + 16 * j for j in range(5)], (i, first)
    torch.cuda.synchronize()


@check
def memory_that_is_freed_early():
    side = torch.cuda.Stream()
    n, copies = 1 << 20, []
    for i in range(30):
        keys = torch.full((n,), i, device=DEVICE, dtype=torch.int32)
        result = multisplit.split(keys, Buckets.hash(4))
        del keys
        torch.full((n,), -1, device=DEVICE, dtype=torch.int32)
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            torch.cuda._sleep(1_000_000)
            copies.append(result.keys.clone())
        del result  # while the copy is still to be made
    torch.cuda.synchronize()
    assert all(bool((copy == i).all()) for i, copy in enumerate(copies))


@check
def threads():
    keys = random_tensor(torch.int32, 1 << 20)
    expected = keys[(keys & 255).sort(stable=True).indices]
    failures = []

    def work():
        with torch.cuda.stream(torch.cuda.Stream()):
            for _ in range(10):
                if not torch.equal(multisplit.split(keys, Buckets.bits(0, 8)).keys, expected):
                    failures.append(1)

    workers = [threading.Thread(target=work) for _ in range(4)]
    [worker.start() for worker in workers]
    [worker.join() for worker in workers]
    assert not failures


@check
def a_workspace():
    workspace = multisplit.Workspace()
    for n in (1000, 1 << 20, 77):
        keys = random_tensor(torch.int32, n, seed=n)
        same(multisplit.sort(keys, workspace=workspace), keys.sort().values)
        index, _ = multisplit.group(keys & 63, 64, workspace=workspace)
        same(index, (keys & 63).sort(stable=True).indices)
    assert workspace.nbytes > 0


@check
def arrays_of_cupy():
    if cupy is None:
        return print("   (no CuPy here)", end="")
    for name in "uint8 int8 uint16 int16 uint32 int32 uint64 int64 float16 float32".split():
        keys = cupy.random.RandomState(1).randint(0, 100, 3001).astype(name)
        for part in keys, keys[::3], keys[1:]:
            result = multisplit.split(part, Buckets.edges([10, 50]), values=part, return_index=True)
            assert isinstance(result.keys, cupy.ndarray) and result.keys.dtype == part.dtype, type(result.keys)
            expected = multisplit.split(cupy.asnumpy(part), Buckets.edges([10, 50]), return_index=True)
            for field in "keys", "index", "offsets":
                np.testing.assert_array_equal(cupy.asnumpy(getattr(result, field)), getattr(expected, field))
    with cupy.cuda.Stream(non_blocking=True) as stream:
        keys = cupy.arange(1 << 22, dtype="u4")[::-1].copy()
        index, offsets = multisplit.group(keys % 16, 16)
        assert offsets.tolist() == [i << 18 for i in range(17)]
        stream.synchronize()


@check
def the_cuda_array_interface():
    class Bare:
        def __init__(self, tensor):
            self.tensor, self.__cuda_array_interface__ = tensor, tensor.__cuda_array_interface__

    keys = torch.randint(0, 7, (5000,), device=DEVICE, dtype=torch.int32)
    index, offsets = multisplit.group(Bare(keys), 7)
    assert isinstance(index, multisplit.Memory)
    same(torch.from_dlpack(index), keys.sort(stable=True).indices)
    same(torch.as_tensor(offsets, device=DEVICE)[1:], torch.bincount(keys, minlength=7).cumsum(0))


@check
def the_context_of_the_caller():
    cuda = ctypes.CDLL("libcuda.so.1")

    def current():
        context = ctypes.c_void_p()
        assert cuda.cuCtxGetCurrent(ctypes.byref(context)) == 0
        return context.value

    def same_after(keys):
        before = current()
        multisplit.split(keys, Buckets.hash(4))
        multisplit.sort(np.arange(1 << 20, dtype="u4"), device="cuda:0")
        seen.append((before, current()))

    seen, keys = [], torch.arange(100_000, device=DEVICE)
    same_after(keys)
    own = ctypes.c_void_p()
    device = ctypes.c_int()
    cuda.cuDeviceGet(ctypes.byref(device), 0)
    if cuda.cuCtxCreate_v2(ctypes.byref(own), 0, device) == 0:
        multisplit.split(np.arange(100, dtype="u4"), Buckets.hash(4), device="cuda:0")
        seen.append((own.value, current()))
        cuda.cuCtxDestroy_v2(own)
    thread = threading.Thread(target=lambda: same_after(np.arange(100, dtype="u4")))
    thread.start()
    thread.join()
    assert all(before == after for before, after in seen), seen


@check
def wrong_input():
    keys = torch.arange(100, device=DEVICE, dtype=torch.int32)

    def refused(error, says, call):
        try:
            call()
        except error as raised:
            assert says in str(raised), raised
        else:
            raise AssertionError(f"not refused: {says}")

    refused(ValueError, "below 3", lambda: multisplit.group(keys, 3))
    refused(ValueError, "values is on the CPU", lambda: multisplit.split(keys, "key % 2", buckets=2, values=keys.cpu()))
    refused(ValueError, "how many buckets", lambda: multisplit.split(keys, "key % 2"))
    refused(TypeError, "uint32 and int32", lambda: multisplit.split(keys.long(), "key % 2", buckets=2))
    refused(multisplit.Error, "lacks f64 keys", lambda: multisplit.sort(keys.double()))
    refused(ValueError, "stays there", lambda: multisplit.sort(keys, device="cpu"))
    refused(ValueError, "1 dimension", lambda: multisplit.sort(keys.view(10, 10)))
    refused(Exception, "grad", lambda: multisplit.sort(keys.float().requires_grad_()))
    same(multisplit.sort(keys.flip(0)), keys, "after all that")


@check
def arrays_of_numpy_and_graphs():
    keys = np.random.default_rng(0).integers(0, 2**32, 1 << 20, dtype="u4")
    result = multisplit.split(keys, Buckets.hash(64), values=keys, device="cuda", return_index=True)
    expected = multisplit.split(keys, Buckets.hash(64), return_index=True)
    np.testing.assert_array_equal(result.keys, expected.keys)
    np.testing.assert_array_equal(result.index, expected.index)
    try:
        import scipy.sparse
    except ImportError:
        return print("   (no SciPy here)", end="")
    random = np.random.default_rng(1)
    shape, arcs = (1000, 1000), 8000
    places = (random.integers(0, 1000, arcs), random.integers(0, 1000, arcs))
    graph = scipy.sparse.csr_array((random.integers(1, 100, arcs), places), shape=shape)
    on_gpu = multisplit.shortest_paths(graph, 0, device="cuda:0")
    np.testing.assert_array_equal(on_gpu, multisplit.shortest_paths(graph, 0))


@check
def many_keys():
    keys = torch.randint(-(2**31), 2**31, (1 << 25,), device=DEVICE, dtype=torch.int32)
    ids = (keys >> 24) + 128
    result = multisplit.split(keys, Buckets.bits(24, 32), return_index=True)
    order = ids.sort(stable=True).indices
    same(result.keys, keys[order])
    same(result.index, order)


@check
def no_cuda_after_a_fork():
    child = os.fork()
    if child == 0:
        try:
            multisplit.sort(np.arange(10), device="cuda:0")
        except multisplit.Error:
            os._exit(3)
        except BaseException:
            os._exit(4)
        os._exit(5)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code == 3, code


def main():
    lines, failed, begin = [], 0, time.perf_counter()
    packages = [f"Python {sys.version.split()[0]}", f"NumPy {np.__version__}", f"PyTorch {torch.__version__}"]
    packages += [f"CuPy {cupy.__version__}"] if cupy else []
    lines.append(f"multisplit {multisplit.__version__}, "
                 f"{', '.join(packages)}; {torch.cuda.get_device_name(0)}")
    print(lines[0], flush=True)
    for function in CHECKS:
        start = time.perf_counter()
        try:
            function()
            torch.cuda.synchronize()
            line = f"ok      {function.__name__} ({time.perf_counter() - start:.1f} s)"
        except BaseException:
            failed += 1
            line = f"FAILED  {function.__name__}\n{traceback.format_exc()}"
        lines.append(line)
        print(line, flush=True)
    lines.append(f"{len(CHECKS) - failed} of {len(CHECKS)} checks passed in {time.perf_counter() - begin:.0f} s")
    print(lines[-1])
    if len(sys.argv) > 1:
        with open(sys.argv[1], "w") as file:
            file.write("\n".join(lines) + "\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
