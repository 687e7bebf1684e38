"""Times the module beside what its users do today: python bench.py [--quick] [RESULTS.jsonl]

Every result is compared before it is timed. On a machine with CUDA the rows of PyTorch's tensors are timed too, and the
library's own call, by the program. Times are medians, and include all that a caller waits for.
"""

import json
import statistics
import subprocess
import sys
import time

import numpy as np

import multisplit
from multisplit import Buckets

QUICK = "--quick" in sys.argv
FILES = [argument for argument in sys.argv[1:] if argument[0] != "-"]
ROWS = []


def seconds(call, least=0.4, most=25):
    """The median time of a call."""
    call()
    times, begin = [], time.perf_counter()
    while len(times) < 3 or (time.perf_counter() - begin < least and len(times) < most):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def row(what, way, time, ours=None, **facts):
    """One way of doing something; with `ours`, how many times as long it takes as we do."""
    ratio = time / ours if ours else None
    ROWS.append({"what": what, "way": way, "ms": time * 1e3, "ratio": ratio, "verified": True, **facts})
    print(f"{what:44} {way:44} {time * 1e3:10.4f} ms" + (f"  {ratio:6.2f}x ours" if ratio else ""), flush=True)
    return time


def group_on_the_cpu():
    n, m = 1 << (20 if QUICK else 24), 256
    ids = np.random.default_rng(0).integers(0, m, n, dtype="u4")
    index, offsets = multisplit.group(ids, m)
    what = f"group(ids, 256), {n} uint32 ids, CPU"

    def by_numpy():
        # A radix sort, since there are 8 bits.
        order = np.argsort(ids.astype("u1"), kind="stable")
        return order, np.concatenate([[0], np.cumsum(np.bincount(ids, minlength=m))])

    ways = {"numpy: argsort(kind='stable') of uint8, bincount": by_numpy}
    try:
        from pandas import Series
        from pandas._libs.algos import groupsort_indexer

        def by_pandas():
            order, counts = groupsort_indexer(ids.astype(np.intp), m)
            return order, np.cumsum(counts)

        ways["pandas: groupsort_indexer (internal)"] = by_pandas

        def by_groups():
            groups = Series(ids).groupby(ids, sort=True).indices
            parts = [groups[b] for b in range(m)]
            return np.concatenate(parts), np.concatenate([[0], np.cumsum([len(part) for part in parts])])

        ways["pandas: groupby(ids).indices"] = by_groups
    except ImportError:
        print("(no pandas)")
    try:
        import polars

        frame = polars.DataFrame({"id": ids})

        def by_polars():
            groups = frame.with_row_index().group_by("id", maintain_order=False).agg("index").sort("id")
            counts = groups["index"].list.len().to_numpy()
            return groups["index"].explode().to_numpy(), np.concatenate([[0], np.cumsum(counts)])

        ways["polars: group_by(ids).agg(index)"] = by_polars

        def by_arg_sort():
            order = frame["id"].cast(polars.UInt8).arg_sort().to_numpy()
            return order, np.concatenate([[0], np.cumsum(np.bincount(ids, minlength=m))])

        ways["polars: arg_sort of uint8"] = by_arg_sort
    except ImportError:
        print("(no polars)")
    # In turn, so that all have the same machine.
    workspace = multisplit.Workspace()
    ours = seconds(lambda: multisplit.group(ids, m, workspace=workspace), least=2)
    row(what, "multisplit, with a workspace", ours, n=n)
    row(what, "multisplit", seconds(lambda: multisplit.group(ids, m), least=2), ours, n=n)
    for way, call in ways.items():
        order, bounds = call()
        if "arg_sort" not in way:  # which is not stable, by its documentation
            np.testing.assert_array_equal(order, index)
        np.testing.assert_array_equal(bounds[-m:], offsets[-m:])
        row(what, way, seconds(call), ours, n=n)
    keys = np.random.default_rng(1).integers(0, 2**32, n, dtype="u4")
    edges = np.arange(1, m, dtype="u8") << 24
    rule, what = Buckets.edges(edges), f"split by 255 edges, {n} uint32 keys, CPU"

    def by_digitize():
        ids = np.digitize(keys, edges)
        return keys[np.argsort(ids, kind="stable")]

    result = multisplit.split(keys, rule)
    np.testing.assert_array_equal(by_digitize(), result.keys)
    ours = row(what, "multisplit", seconds(lambda: multisplit.split(keys, rule), least=2), n=n)
    row(what, "numpy: digitize, argsort(kind='stable'), take", seconds(by_digitize, most=3), ours, n=n)


def overhead():
    keys = np.random.default_rng(0).integers(0, 2**32, 1000, dtype="u4")
    ids, rule, workspace = keys % 16, Buckets.hash(16), multisplit.Workspace()
    calls = {
        "split(keys, Buckets.hash(16))": lambda: multisplit.split(keys, rule),
        "the same, with a workspace": lambda: multisplit.split(keys, rule, workspace=workspace),
        "group(ids, 16)": lambda: multisplit.group(ids, 16),
        "sort(keys)": lambda: multisplit.sort(keys),
        "numpy.argsort(ids)": lambda: np.argsort(ids),
    }
    for way, call in calls.items():
        call()
        times = []
        for _ in range(30):
            start = time.perf_counter()
            for _ in range(200):
                call()
            times.append((time.perf_counter() - start) / 200)
        row("a call on 1,000 uint32 keys, CPU", way, statistics.median(times), best_us=min(times) * 1e6)


def on_cuda():
    try:
        import torch

        if not torch.cuda.is_available():
            return print("(no CUDA device)")
    except ImportError:
        return print("(no PyTorch)")
    print(torch.cuda.get_device_name(0), "PyTorch", torch.__version__)
    device, n, m = "cuda:0", 1 << 25, 256

    def timed(call):
        """The median time of a call that has been waited for, and the mean of calls one behind the other."""
        for _ in range(5):
            call()
        torch.cuda.synchronize()
        times = []
        for _ in range(60):
            start = time.perf_counter()
            call()
            torch.cuda.synchronize()
            times.append(time.perf_counter() - start)
        start = time.perf_counter()
        for _ in range(40):
            call()
        torch.cuda.synchronize()
        return statistics.median(times), (time.perf_counter() - start) / 40

    def both(what, way, call, ours=None, **facts):
        once, in_a_row = timed(call)
        row(what, way, once, ours and ours[0], mean_ms_in_a_row=in_a_row * 1e3, **facts)
        if ours:
            print(f"{'':44} {'one behind the other':44} {in_a_row * 1e3:10.4f} ms  {in_a_row / ours[1]:6.2f}x ours")
        else:
            print(f"{'':44} {'one behind the other':44} {in_a_row * 1e3:10.4f} ms")
        return once, in_a_row

    keys = torch.randint(-(2**31), 2**31, (n,), device=device, dtype=torch.int32)
    ids = (keys >> 24) + 128
    rule, workspace = Buckets.bits(24, 32), multisplit.Workspace()
    order = ids.sort(stable=True).indices
    result = multisplit.split(keys, rule)
    assert torch.equal(result.keys, keys[order])
    assert torch.equal(multisplit.group(ids, m)[0].long(), order)
    what = "2^25 int32 keys, 256 buckets, CUDA"
    ours = both(what, "multisplit.split, with a workspace", lambda: multisplit.split(keys, rule, workspace=workspace))
    both(what, "multisplit.split", lambda: multisplit.split(keys, rule), ours)
    of_torch = lambda ids: lambda: keys[ids.sort(stable=True).indices]
    both(what, "torch: sort(int32 ids, stable), gather", of_torch(ids), ours)
    both(what, "torch: sort(uint8 ids, stable), gather", of_torch(ids.to(torch.uint8)), ours)
    both(what, "a copy of the keys (torch)", lambda: keys.clone(), ours)
    call = lambda: multisplit.split(keys, ids, buckets=m, workspace=workspace)
    by_ids = both(what, "multisplit.split by int32 ids", call)
    both(what, "torch: sort(int32 ids, stable), gather", of_torch(ids), by_ids)
    what = "group(ids, 256), 2^25 ids, CUDA"
    for dtype in torch.int32, torch.uint8:
        some = ids.to(dtype)
        ours = both(what, f"multisplit.group, {dtype}", lambda: multisplit.group(some, m, workspace=workspace))

        def torch_group():
            return some.sort(stable=True).indices, torch.bincount(some, minlength=m).cumsum(0)

        both(what, f"torch: sort, bincount, cumsum, {dtype}", torch_group, ours)
    for tokens in (1 << 17, 1 << 13):
        topk = torch.rand(tokens, 256, device=device).topk(8).indices.to(torch.int32)
        flat, what = topk.flatten(), f"moe_permute, {tokens} tokens x 8, 256 experts, CUDA"
        routing = multisplit.moe_permute(topk, m)

        def torch_routing():
            order = torch.argsort(flat, stable=True)
            inverse = torch.empty_like(order)
            inverse[order] = torch.arange(order.numel(), device=device)
            return torch.bincount(flat, minlength=m).cumsum(0), order, inverse

        offsets, order, inverse = torch_routing()
        assert torch.equal(routing.index.long(), order) and torch.equal(routing.inverse.long(), inverse)
        assert torch.equal(routing.offsets[1:].long(), offsets)
        ours = both(what, "multisplit.moe_permute", lambda: multisplit.moe_permute(topk, m, workspace=workspace))
        both(what, "torch: argsort(stable), bincount, cumsum, inverse", torch_routing, ours)
        align = lambda: multisplit.moe_align(topk, m, 64, workspace=workspace)
        both(what.replace("permute", "align"), "multisplit.moe_align, blocks of 64", align)
    command = "-m multisplit bench split -n 2^25 --buckets 256 --values none --format jsonl --device cuda:0".split()
    done = subprocess.run([sys.executable, *command], capture_output=True, text=True)
    for line in done.stdout.splitlines():
        found = json.loads(line)
        if found.get("impl") == "multisplit" and found.get("op") == "split":
            rust = found["ms"]
            python = next(r for r in ROWS if r["way"] == "multisplit.split, with a workspace")
            row("2^25 uint32 keys, 256 buckets, CUDA", "Rust: Multisplit::enqueue, kernels alone", rust / 1e3)
            once, in_a_row = rust / python["ms"], rust / python["mean_ms_in_a_row"]
            print(f"   the Python call has {once:.2f} of the speed of the Rust call, {in_a_row:.2f} in a row")
    if done.returncode:
        print(done.stderr)


def main():
    print(f"multisplit {multisplit.__version__}, Python {sys.version.split()[0]}, NumPy {np.__version__}")
    if "--cuda" not in sys.argv:
        overhead()
        group_on_the_cpu()
    if "--cpu" not in sys.argv:
        on_cuda()
    for path in FILES:
        with open(path, "w") as file:
            file.writelines(json.dumps(found) + "\n" for found in ROWS)


if __name__ == "__main__":
    main()
