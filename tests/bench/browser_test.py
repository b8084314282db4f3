"""The page of a run as Chromium shows it: python3 browser_test.py ORIEL_BENCH. Ends with 77 where there is no Chromium."""

import json
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
BLUE = {"light": (0x1F, 0x6F, 0xEB), "dark": (0x58, 0xA6, 0xFF)}  # oriel's bars
PAPER = {"light": (0xFF, 0xFF, 0xFF), "dark": (0x10, 0x14, 0x1A)}

FACTS = {"date": "2026-11-25", "command": "oriel-bench --against mpich", "processor": "one of a test"}
# case, bytes, oriel's nanoseconds, the limit's, MPICH's
ROWS = [("put_flush", 8, 2.0, 1.6, 400.0), ("get_flush", 8, 2.5, None, 10.0), ("fence", 8, 80.0, 100.0, 240.0)]
ROWS += [("put_bw", 4096 << 2 * i, 50.0 * 4**i, 48.0 * 4**i, 90.0 * 4**i) for i in range(4)]

# Run in the page, before it is given back: what each bar measures on the screen, and what sticks out.
MEASURE = """
<pre id="measured"></pre><script>
const rows = [...document.querySelectorAll("tbody tr")].map(row => ({
  name: row.dataset.case, time: Number(row.dataset.by1), height: row.getBoundingClientRect().height,
  bars: [...row.querySelectorAll(".bars li")].map(li => ({
    who: li.firstChild.textContent, text: li.textContent,
    torn: li.querySelector(".torn") !== null,
    part: li.querySelector(".bar").getBoundingClientRect().width / li.querySelector(".track").getBoundingClientRect().width,
    track: li.querySelector(".track").getBoundingClientRect().width})) }));
document.getElementById("measured").textContent = JSON.stringify({
  rows, width: document.documentElement.scrollWidth, window: innerWidth,
  charts: [...document.querySelectorAll("svg.chart")].map(c => c.getBoundingClientRect().height),
  orders: document.querySelector("select").length, loaded: performance.getEntriesByType("resource").length});
</script>
"""


def pixels(path):
    """The rows of a PNG with 8 bits a channel, as lists of (red, green, blue)."""
    with open(path, "rb") as file:
        data = file.read()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, packed = 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at : at + 8])
        body = data[at + 8 : at + 8 + length]
        if kind == b"IHDR":
            width, height, depth, colour, _, _, interlace = struct.unpack(">IIBBBBB", body)
            assert depth == 8 and colour in (2, 6) and interlace == 0
            size = 3 if colour == 2 else 4
        elif kind == b"IDAT":
            packed += body
        at += 12 + length
    raw, stride = zlib.decompress(packed), width * size
    before, rows = bytearray(stride), []
    for y in range(height):
        start = y * (stride + 1)
        line = bytearray(raw[start + 1 : start + 1 + stride])
        unfilter(raw[start], line, before, size)
        rows.append(list(zip(line[0::size], line[1::size], line[2::size])))
        before = line
    return rows


def unfilter(method, line, above, size):
    if method == 2:
        for i, up in enumerate(above):
            line[i] = line[i] + up & 255
    elif method:
        for i in range(len(line)):
            left, corner = (line[i - size], above[i - size]) if i >= size else (0, 0)
            if method == 1:
                guess = left
            elif method == 3:
                guess = (left + above[i]) // 2
            else:
                guess = min((left, above[i], corner), key=lambda v: abs(left + above[i] - corner - v))
            line[i] = line[i] + guess & 255


class Browser(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="oriel-page-")
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        run, page = cls.path("run.json"), cls.path("page.html")
        with open(run, "w") as file:
            print(json.dumps(FACTS), file=file)
            for case, size, oriel, limit, peer in ROWS:
                row = {"case": case, "ranks": 2, "bytes": size, "oriel_ns": oriel, "limit_ns": limit, "peer": "mpich"}
                row |= {"peer_ns": peer, "oriel_range": [oriel * 0.9, oriel * 1.2]}
                print(json.dumps(row), file=file)
        subprocess.run([BENCH, "--from", run, "--html", page], check=True, stdout=subprocess.DEVNULL, timeout=30)
        with open(page) as file:
            html = file.read()
        for name, text in (("measured", html.replace("</body>", MEASURE + "</body>")),
                           ("plain", re.sub(r"<script>.*</script>", "", html, flags=re.S))):
            with open(cls.path(name + ".html"), "w") as file:
                file.write(text)

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder, name)

    def browse(self, *options, page="page.html"):
        command = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run"]
        command += ["--host-resolver-rules=MAP * ~NOTFOUND", "--user-data-dir=" + self.path("profile"), *options]
        command.append("file://" + self.path(page))
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True
        )
        try:
            return process.communicate(timeout=40)[0]
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def measured(self, width, fragment=""):
        dom = self.browse("--dump-dom", f"--window-size={width},900", page="measured.html" + fragment)
        text = re.search(r'<pre id="measured">(.*?)</pre>', dom, re.S)
        self.assertIsNotNone(text, "the page's scripts ended: " + dom[-400:])
        return json.loads(text[1])

    def shot(self, name, page, *options):
        file = self.path(name + ".png")
        self.browse("--window-size=1000,1600", "--screenshot=" + file, *options, page=page)
        return pixels(file)

    def test_every_row_is_there_with_bars_as_long_as_its_times(self):
        found = self.measured(1200)
        self.assertEqual([row["name"] for row in found["rows"]], [row[0] for row in sorted_as_measured()])
        for row, (case, _, oriel, limit, peer) in zip(found["rows"], sorted_as_measured()):
            times = [t for t in (oriel, limit, peer) if t is not None]
            self.assertEqual(len(row["bars"]), len(times), row)
            for bar, time in zip(row["bars"], times):
                self.assertGreater(bar["track"], 200, bar)
                self.assertEqual(bar["torn"], time > 12 * oriel, bar)
                if not bar["torn"]:
                    wanted = row["bars"][0]["part"] * time / oriel
                    self.assertAlmostEqual(bar["part"], wanted, delta=0.005, msg=(case, bar))
            self.assertAlmostEqual(max(bar["part"] for bar in row["bars"]), 1, delta=0.005)
        self.assertEqual(len(found["charts"]), 1)
        self.assertGreater(found["charts"][0], 100)
        self.assertEqual(found["loaded"], 0)

    def test_rows_are_sorted_by_what_a_reader_picks(self):
        found = self.measured(1200, "#sort=-1")
        times = [row["time"] for row in found["rows"]]
        self.assertEqual(times, sorted((row[2] for row in ROWS), reverse=True))
        self.assertEqual(found["orders"], 1 + 2 * 3, "as measured; oriel's time and two ratios, both ways")

    def test_nothing_sticks_out_on_a_narrow_screen(self):
        found = self.measured(500)
        self.assertLessEqual(found["width"], found["window"])
        self.assertTrue(all(bar["track"] > 40 for row in found["rows"] for bar in row["bars"]), found)

    def test_it_is_drawn_light_without_scripts_and_dark(self):
        dark = "--blink-settings=preferredColorScheme=0"
        for theme, page, options in (("light", "plain.html", []), ("dark", "page.html", [dark])):
            with self.subTest(theme):
                rows = self.shot(theme, page, *options)
                self.assertEqual(rows[2][2], PAPER[theme])
                blue = sum(row.count(BLUE[theme]) for row in rows)
                self.assertGreater(blue, 3000, "oriel's bars")
                self.assertGreater(len({pixel for row in rows for pixel in row}), 50, "text has many shades")


def sorted_as_measured():
    order = ["put_flush", "get_flush", "put_bw", "fence"]
    return sorted(ROWS, key=lambda row: order.index(row[0]))


if __name__ == "__main__":
    if BROWSER is None:
        print("skipped: there is no chromium (Debian: chromium)")
        sys.exit(77)
    BENCH = sys.argv.pop()
    unittest.main(verbosity=2)
