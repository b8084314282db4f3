"""Draws the first table of a recorded run as an SVG, a row an operation, time to the right.

    python3 bench/results/chart.py bench/results/2026-11-21-node.md > docs/one-node.svg

The table's columns: operation, oriel's time, its ratio to the limit, and each peer as times slower than oriel.
"""

import math
import sys

UNITS = {"ns": 1.0, "us": 1e3, "ms": 1e6}
COLOURS = {"oriel": "#1f6feb", "limit": "#8c8c8c"}
PEER_COLOURS = ["#d1495b", "#edae49", "#66a182", "#7a5195"]
LEFT, TOP, WIDTH, ROW = 190, 64, 560, 26


def first_table(text):
    rows = []
    for line in text.splitlines():
        if line.startswith("|"):
            rows.append([cell.replace("`", "").strip() for cell in line.strip("|").split("|")])
        elif rows:
            break
    return rows[0], rows[2:]


def ratio(cell):
    try:
        return float(cell.rstrip("×"))
    except ValueError:
        return None  # empty, or a failure in words


def series(head, rows):
    """The label of each series, and its nanoseconds by row."""
    found = {"oriel": [], "limit": []}
    for row in rows:
        number, unit = row[1].split()
        time = float(number) * UNITS[unit]
        of_limit = ratio(row[2])
        found["oriel"].append(time)
        found["limit"].append(time / of_limit if of_limit else None)
        for label, cell in zip(head[3:], row[3:]):
            slower = ratio(cell)
            found.setdefault(label, []).append(time * slower if slower else None)
    return found


def draw(head, rows):
    found = series(head, rows)
    times = [t for values in found.values() for t in values if t]
    low, high = math.floor(math.log10(min(times))), math.ceil(math.log10(max(times)))

    def place(ns):
        return LEFT + WIDTH * (math.log10(ns) - low) / (high - low)

    bottom = TOP + ROW * len(rows)
    peers = iter(PEER_COLOURS)
    colours = {label: COLOURS.get(label) or next(peers) for label in found}
    svg = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 40}" height="{bottom + 40}" '
        f'viewBox="0 0 {LEFT + WIDTH + 40} {bottom + 40}" role="img">',
        "<title>Time of one operation, two ranks of one node: oriel, the machine's limit, MPIs</title>",
        "<style>text{font:12px sans-serif;fill:#222}.row{text-anchor:end}.x{text-anchor:middle}"
        ".grid{stroke:#e4e4e4}</style>",
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    x = LEFT
    for label, colour in colours.items():
        mark = (
            f'<rect x="{x - 2}" y="12" width="4" height="20" fill="{colour}"/>'
            if label == "limit"
            else f'<circle cx="{x}" cy="22" r="5" fill="{colour}"/>'
        )
        svg.append(f'{mark}<text x="{x + 10}" y="26">{label}</text>')
        x += 38 + 7 * len(label)
    for power in range(low, high + 1):
        unit = max((u for u in UNITS.items() if 10**power >= u[1]), key=lambda u: u[1], default=("ns", 1.0))
        at = place(10.0**power)
        svg.append(f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{TOP - 8}" y2="{bottom}" class="grid"/>')
        svg.append(f'<text x="{at:.1f}" y="{bottom + 20}" class="x">{10**power / unit[1]:g} {unit[0]}</text>')
    for i, row in enumerate(rows):
        y = TOP + ROW * i + ROW // 2
        svg.append(f'<text x="{LEFT - 12}" y="{y + 4}" class="row">{row[0]}</text>')
        svg.append(f'<line x1="{LEFT}" x2="{LEFT + WIDTH}" y1="{y}" y2="{y}" class="grid"/>')
        if found["limit"][i]:
            at = place(found["limit"][i])
            svg.append(f'<rect x="{at - 2:.1f}" y="{y - 10}" width="4" height="20" fill="{colours["limit"]}"/>')
        for label in sorted(found.keys() - {"limit"}, key=lambda s: (s == "oriel", s)):  # oriel is on top
            if found[label][i]:
                svg.append(f'<circle cx="{place(found[label][i]):.1f}" cy="{y}" r="5" fill="{colours[label]}"/>')
    return "\n".join(svg) + "\n</svg>"


print(draw(*first_table(open(sys.argv[1], encoding="utf-8").read())))
