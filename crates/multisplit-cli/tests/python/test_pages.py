"""Pages and pictures, as a browser shows them: no error, every chart in its place, in light and in dark."""

import json
import re
import struct
import subprocess
import zlib
from pathlib import Path
from urllib.parse import unquote

import numpy as np
from conftest import BROWSER

ROWS = Path(__file__).parents[4] / "docs" / "h200.jsonl"

# What a page does not say of itself: where a browser puts things. It is left in an attribute, for `--dump-dom`.
PROBE = """<script>
const box = element => { const b = element.getBoundingClientRect(); return [b.left, b.top, b.right, b.bottom]; };
const charts = [...document.querySelectorAll("svg")].map(chart => ({
    box: box(chart),
    name: chart.getAttribute("aria-label") || (chart.querySelector("title") || {}).textContent || "",
    texts: [...chart.querySelectorAll("text")].map(text => [text.textContent, ...box(text)]),
}));
const width = document.documentElement.clientWidth;
// Tables that are wider than a page scroll by themselves.
const wide = document.documentElement.scrollWidth > width;
document.documentElement.setAttribute("data-probe", encodeURIComponent(JSON.stringify({ charts, width, wide })));
</script>"""


def browse(page, *options):
    """Opens a page in a browser without a window. Returns what it printed; its console must be empty."""
    command = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--enable-logging=stderr",
               f"--user-data-dir={page.parent / 'browser'}", *options, page.as_uri()]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert ended.returncode == 0, ended.stderr
    assert "CONSOLE" not in ended.stderr, ended.stderr
    return ended.stdout


def probe(page):
    """Where the charts of a page and their labels are."""
    probed = page.with_name(f"probed-{page.name}")
    probed.write_text(page.read_text().replace("</body>", PROBE + "</body>"))
    found = re.search(r'data-probe="([^"]*)"', browse(probed, "--dump-dom", "--window-size=1200,900"))
    assert found, "the probe did not run"
    return json.loads(unquote(found[1]))


def brightness(page, dark):
    """The mean brightness of a screenshot's pixels, from 0 to 1."""
    picture = page.with_name(f"{page.stem}-{'dark' if dark else 'light'}.png")
    theme = f"--blink-settings=preferredColorScheme={0 if dark else 1}"
    browse(page, f"--screenshot={picture}", "--window-size=400,300", theme)
    return pixels(picture.read_bytes()).mean() / 255


def pixels(png):
    """The pixels of a PNG of 8-bit RGB or RGBA, without alpha."""
    width, height, _, kind = struct.unpack(">IIBB", png[16:26])
    data, at = b"", 8
    while at < len(png):
        length, name = struct.unpack(">I4s", png[at:at + 8])
        data += png[at + 8:at + 8 + length] if name == b"IDAT" else b""
        at += 12 + length
    size = 4 if kind == 6 else 3
    lines = np.frombuffer(zlib.decompress(data), np.uint8).reshape(height, 1 + width * size)
    out = np.zeros((height, width * size), np.uint8)
    for y, line in enumerate(lines):
        above = out[y - 1] if y else np.zeros(width * size, np.uint8)
        out[y] = unfilter(line[0], line[1:], above, size)
    return out.reshape(height, width, size)[:, :, :3]


def unfilter(kind, line, above, size):
    """A line of a PNG without its filter."""
    if kind in (0, 2):
        return line + above if kind == 2 else line
    left, corner = np.zeros(size, np.int16), np.zeros(size, np.int16)
    found = []
    for x in range(0, len(line), size):
        over = above[x:x + size].astype(np.int16)
        if kind == 1:
            guess = left
        elif kind == 3:
            guess = (left + over) // 2
        else:
            a, b, c = abs(over - corner), abs(left - corner), abs(left + over - 2 * corner)
            guess = np.where((a <= b) & (a <= c), left, np.where(b <= c, over, corner))
        left, corner = (line[x:x + size].astype(np.int16) + guess) % 256, over
        found.append(left)
    return np.concatenate(found).astype(np.uint8)


def check(page, charts):
    """What holds for every page."""
    html = page.read_text()
    found = probe(page)
    assert len(found["charts"]) == html.count("<svg") >= charts
    assert not found["wide"], "the page is wider than its window"
    for chart in found["charts"]:
        left, top, right, bottom = chart["box"]
        assert right - left > 100 and bottom - top > 50, chart["name"]
        assert 0 <= left and right <= found["width"], chart["name"]
        assert len(chart["texts"]) > 3, chart["name"]
        for text, *box in chart["texts"]:
            # Half a pixel for the rounding of fonts.
            inside = left - 1 <= box[0] and box[2] <= right + 1 and top - 1 <= box[1] and box[3] <= bottom + 1
            assert inside, f"{text!r} reaches out of {chart['name']!r}"
    assert brightness(page, dark=False) > 0.8
    assert brightness(page, dark=True) < 0.3


def test_report(multisplit):
    multisplit("report", ROWS, "--output", "report.html")
    check(multisplit.folder / "report.html", charts=4)


def test_paper(multisplit):
    multisplit("paper", "--output", "paper", "--quick", "--device", "cpu", "--n", 3000, "--runs", 2)
    check(multisplit.folder / "paper" / "paper.html", charts=6)


def test_picture_of_a_histogram(multisplit):
    np.save(multisplit.folder / "keys.npy", np.random.default_rng(1).normal(size=5000).astype("f4"))
    multisplit("histogram", "keys.npy", "--svg", "keys.svg", "--device", "cpu")
    svg = (multisplit.folder / "keys.svg").read_text()
    page = multisplit.folder / "keys.html"
    page.write_text(f"<!doctype html><title>A histogram</title><body>{svg}</body>")
    found = probe(page)
    assert len(found["charts"]) == 1 and len(found["charts"][0]["texts"]) > 3
    browse(multisplit.folder / "keys.svg", "--dump-dom")
