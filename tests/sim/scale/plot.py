"""Draws what `sim-scale` has printed for several sizes, beside the model of docs/SCALING.md, as an SVG; or the same as a
table.

    for n in 2 8 32; do build-release/tests/sim/sim-scale --nodes $n --machine dragonfly; done >dragonfly.txt
    python3 tests/sim/scale/plot.py dragonfly.txt fat-tree.txt >docs/scale.svg
    python3 tests/sim/scale/plot.py --table dragonfly.txt fat-tree.txt
"""

import math
import re
import sys

COLOURS = {
    "construct + free": "#1f6feb",
    "fence": "#d1495b",
    "lock_all + unlock_all": "#edae49",
    "pscw halo": "#66a182",
    "shrink after a death": "#7a5195",
}
WIDTH, HEIGHT, TOP, GAP, LEFT = 330, 300, 70, 90, 60


def read(name):
    """By operation and number of nodes, what each line has; and the machine."""
    found, nodes, machine = {}, 0, ""
    with open(name, encoding="utf-8") as file:
        for line in file:
            if head := re.match(r"# (\d+) nodes of \d+ ranks, (\S+)", line):
                nodes, machine = int(head[1]), head[2]
            elif row := re.match(r"(\S.*?)\s+((?:[\d.]+\s+){6}[\d.]+)$", line.rstrip()):
                numbers = [float(x) for x in row[2].split()]
                keys = ("most", "most_model", "median", "median_model", "all", "bytes", "us")
                found.setdefault(row[1], {})[nodes] = dict(zip(keys, numbers))
    return machine, found


class panel:
    """Both axes logarithmic: nodes to the right."""

    def __init__(self, left, title, nodes, low, high):
        self.left, self.nodes, self.low, self.high = left, nodes, low, high
        bottom = TOP + HEIGHT
        self.svg = [f'<text x="{left}" y="{TOP - 12}" class="title">{title}</text>']
        for n in nodes:
            x = self.x(n)
            self.svg.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{bottom}" class="grid"/>')
            self.svg.append(f'<text x="{x:.1f}" y="{bottom + 18}" class="x">{n}</text>')
        for power in range(math.ceil(math.log10(low)), math.floor(math.log10(high)) + 1):
            y = self.y(10**power)
            self.svg.append(f'<line x1="{left}" x2="{left + WIDTH}" y1="{y:.1f}" y2="{y:.1f}" class="grid"/>')
            self.svg.append(f'<text x="{left - 6}" y="{y + 4:.1f}" class="y">{10**power:,}</text>')

    def x(self, nodes):
        first, last = math.log2(self.nodes[0]), math.log2(self.nodes[-1])
        return self.left + WIDTH * (math.log2(nodes) - first) / (last - first)

    def y(self, value):
        part = (math.log10(value) - math.log10(self.low)) / (math.log10(self.high) - math.log10(self.low))
        return TOP + HEIGHT * (1 - part)

    def line(self, values, colour, dashed=False):
        points = " ".join(f"{self.x(n):.1f},{self.y(v):.1f}" for n, v in sorted(values.items()))
        dash = ' stroke-dasharray="4 3"' if dashed else ""
        self.svg.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.5"{dash}/>')

    def dots(self, values, colour):
        for n, v in values.items():
            self.svg.append(f'<circle cx="{self.x(n):.1f}" cy="{self.y(v):.1f}" r="3.5" fill="{colour}"/>')


def column(rows, key):
    return {n: row[key] for n, row in rows.items() if row[key] > 0}


def draw(machines):
    first = next(iter(machines.values()))
    nodes = sorted(first["fence"])
    messages = panel(LEFT, "Messages of the median rank: lines are the model", nodes, 0.8, 100)
    times = panel(LEFT + WIDTH + GAP, "Microseconds: " + ", dashed ".join(machines), nodes, 1, 10000)
    width, height = LEFT + 2 * WIDTH + GAP + 30, TOP + HEIGHT + 60
    svg = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img">',
        "<title>Messages and simulated time of operations by the number of nodes</title>",
        "<style>text{font:12px sans-serif;fill:#222}.title{font-weight:bold}.x{text-anchor:middle}"
        ".y{text-anchor:end}.grid{stroke:#e4e4e4}</style>",
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    x = LEFT
    for operation, colour in COLOURS.items():
        svg.append(f'<circle cx="{x}" cy="22" r="5" fill="{colour}"/><text x="{x + 10}" y="26">{operation}</text>')
        x += 40 + 7 * len(operation)
        messages.line(column(first[operation], "median_model"), colour)
        messages.dots(column(first[operation], "median"), colour)
        for i, rows in enumerate(machines.values()):
            times.line(column(rows[operation], "us"), colour, dashed=i > 0)
    svg += messages.svg + times.svg
    svg.append(f'<text x="{LEFT + WIDTH + GAP / 2:.0f}" y="{height - 10}" class="x">nodes, one rank each</text>')
    return "\n".join([*svg, "</svg>"])


def table(machines):
    first = next(iter(machines.values()))
    lines = [
        "| nodes | operation | messages: median rank (model) | busiest (model) | bytes, busiest | "
        + " | ".join(f"µs, {m}" for m in machines)
        + " |",
        "|---" * (5 + len(machines)) + "|",
    ]
    for operation, rows in first.items():
        for n, row in sorted(rows.items()):
            cells = [f"{n}", operation, f"{row['median']:g} ({row['median_model']:g})"]
            cells += [f"{row['most']:g} ({row['most_model']:g})", f"{row['bytes']:,.0f}"]
            cells += [f"{found[operation][n]['us']:,.1f}" for found in machines.values()]
            lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main(arguments):
    as_table = "--table" in arguments
    machines = dict(read(name) for name in arguments if name != "--table")
    print(table(machines) if as_table else draw(machines))


if __name__ == "__main__":
    main(sys.argv[1:])
