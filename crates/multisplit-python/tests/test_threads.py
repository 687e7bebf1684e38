"""Threads, processes and signals."""

import multiprocessing
import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import multisplit
from multisplit import Buckets

KEYS = np.random.default_rng(0).integers(0, 2**32, 300_000, dtype="u4")
EXPECTED = KEYS[np.argsort(KEYS >> 28, kind="stable")]


def split(_=None, workspace=None):
    rule = Buckets.bits(28, 32)
    return multisplit.split(KEYS, rule, values=KEYS, workspace=workspace).values


def test_many_threads_with_all_in_common():
    rule, workspace = Buckets.edges([2**30, 2**31]), multisplit.Workspace()
    order = np.argsort(np.digitize(KEYS, [2**30, 2**31]), kind="stable")

    def call(i):
        keys = KEYS if i % 2 else KEYS.astype("u8")
        return multisplit.split(keys, rule, workspace=workspace if i % 3 else None).keys

    with ThreadPoolExecutor(8) as pool:
        for result in pool.map(call, range(40)):
            np.testing.assert_array_equal(result, KEYS[order])


def test_other_threads_run_meanwhile():
    keys, done, counted = np.tile(KEYS, 30), threading.Event(), []

    def count():
        n = 0
        while not done.is_set():
            n += 1
            time.sleep(0)
        counted.append(n)

    counter = threading.Thread(target=count)
    counter.start()
    begin = time.perf_counter()
    multisplit.sort(keys)
    took = time.perf_counter() - begin
    done.set()
    counter.join()
    # If the interpreter were held, this thread would have counted once or twice.
    assert counted[0] > 20, f"{counted} in {took:.3f} s"


def in_child(connection):
    connection.send(bool((split() == EXPECTED).all()) and bool((split() == EXPECTED).all()))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_fork():
    np.testing.assert_array_equal(split(), EXPECTED)
    context = multiprocessing.get_context("fork")
    mine, theirs = context.Pipe()
    child = context.Process(target=in_child, args=(theirs,))
    child.start()
    assert mine.poll(60), "the child does not answer"
    assert mine.recv()
    child.join()
    np.testing.assert_array_equal(split(), EXPECTED)


def test_control_c_between_steps():
    keys = np.tile(KEYS, 20)
    timer = threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT))
    # A process that was started in the background ignores it.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    begin = time.perf_counter()
    try:
        with pytest.raises(KeyboardInterrupt):
            timer.start()
            while time.perf_counter() - begin < 30:
                multisplit.sort(keys)
    finally:
        timer.join()
        signal.signal(signal.SIGINT, before)
    assert time.perf_counter() - begin < 20
