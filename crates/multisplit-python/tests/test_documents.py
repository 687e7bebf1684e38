"""What the documentation says holds."""

import ast
import doctest
import inspect
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import multisplit
from multisplit import _paths

PACKAGE = pathlib.Path(multisplit.__file__).parent
STUB = ast.parse((PACKAGE / "__init__.pyi").read_text())


def objects():
    yield "multisplit", multisplit
    for name in multisplit.__all__:
        value = getattr(multisplit, name)
        yield name, value
        if inspect.isclass(value):
            yield from ((f"{name}.{inner}", getattr(value, inner)) for inner in vars(value) if inner[0] != "_")


def run(name, text):
    names = {"multisplit": multisplit, "np": np, "shortest_paths": multisplit.shortest_paths}
    test = doctest.DocTestParser().get_doctest(text, names, name, None, 0)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    runner.run(test)
    assert runner.failures == 0, name
    return runner.tries


@pytest.mark.parametrize("name, value", list(objects()), ids=lambda value: value if isinstance(value, str) else "")
def test_docstrings(name, value):
    text = inspect.getdoc(value)
    assert text, f"{name} says nothing"
    if "shortest_paths" in name:
        pytest.importorskip("scipy")
    if ">>>" in text:
        run(name, text)


def test_the_guide():
    guide = next(folder for folder in pathlib.Path(__file__).parents if (folder / "docs/python.md").exists())
    blocks = (guide / "docs/python.md").read_text().split("```python\n")[1:]
    text = "\n".join(block.split("```")[0] for block in blocks if ">>>" in block.split("```")[0])
    assert run("docs/python.md", text) > 20


def test_the_stub_has_everything():
    found = {node.name: node for node in STUB.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    assert set(multisplit.__all__) <= set(found)
    for name in multisplit.__all__:
        node, value = found[name], getattr(multisplit, name)
        if isinstance(node, ast.FunctionDef):
            compare(node, inspect.signature(value), name)
            continue
        methods = {inner.name: inner for inner in node.body if isinstance(inner, ast.FunctionDef)}
        for inner in vars(value):
            if inner[0] != "_" and callable(getattr(value, inner)):
                signature = inspect.signature(getattr(value, inner))
                compare(methods[inner], signature, f"{name}.{inner}", skip="self")
    assert (PACKAGE / "py.typed").exists()


def compare(node, signature, name, skip=None):
    arguments = node.args
    ours = [argument.arg for argument in [*arguments.args, *arguments.kwonlyargs] if argument.arg != skip]
    theirs = [parameter for parameter in signature.parameters if parameter != skip]
    assert ours == theirs, name
    kinds = [p.kind for n, p in signature.parameters.items() if n != skip]
    keywords = sum(kind is inspect.Parameter.KEYWORD_ONLY for kind in kinds)
    assert len(arguments.kwonlyargs) == keywords, name


def test_the_import_needs_numpy_alone():
    program = "import sys, multisplit; print(*sys.modules); print(open('/proc/self/maps').read())"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    modules, libraries = loaded.split("\n", 1)
    assert not {"scipy", "pandas", "torch", "cupy", "jax", "polars"} & set(modules.split())
    assert not any(name in libraries for name in ("libcuda.", "libnvrtc", "libvulkan"))


def test_paths_are_documented_where_they_are():
    assert multisplit.shortest_paths is _paths.shortest_paths
