"""Draws what `sim-scale` has printed for several sizes, beside the model of docs/SCALING.md, as an SVG; or the same as a
table. Runs with as many ranks a node are drawn together, in a row of their own.

    for n in 2 8 32; do build-release/tests/sim/sim-scale --nodes $n --machine dragonfly; done >dragonfly.txt
    python3 tests/sim/scale/plot.py dragonfly.txt fat-tree.txt leaders.txt:100 >docs/scale.svg
    python3 tests/sim/scale/plot.py --table dragonfly.txt fat-tree.txt

Of FILE:C those with C ranks a node are taken, of FILE those with one.
"""

import math
import re
import sys

COLOURS = {
    "construct + free": "#1f6feb",
    "fence": "#d1495b",
    "allreduce": "#0b8a8f",
    "lock_all + unlock_all": "#edae49",
    "pscw halo": "#66a182",
    "shrink after a death": "#7a5195",
}
WIDTH, HEIGHT, TOP, GAP, LEFT = 270, 260, 70, 80, 60
ROW = HEIGHT + 95  # from one to the next


def read(name, ranks):
    """By operation and number of nodes, what each line has, of nodes of so many ranks; and the machine."""
    found, nodes, machine = {}, None, ""
    with open(name, encoding="utf-8") as file:
        for line in file:
            if head := re.match(r"# (\d+) nodes of (\d+) ranks, (\S+)", line):
                nodes, machine = int(head[1]) if int(head[2]) == ranks else None, head[3]
            elif nodes and (row := re.match(r"(\S.*?)\s+((?:[\d.]+\s+){6}[\d.]+)$", line.rstrip())):
                numbers = [float(x) for x in row[2].split()]
                keys = ("most", "most_model", "median", "median_model", "all", "bytes", "us")
                found.setdefault(row[1], {})[nodes] = dict(zip(keys, numbers))
    return machine, found


class panel:
    """Both axes logarithmic: nodes to the right."""

    def __init__(self, left, top, title, nodes, low, high):
        self.left, self.top, self.nodes, self.low, self.high = left, top, nodes, low, high
        bottom = top + HEIGHT
        self.svg = [f'<text x="{left}" y="{top - 12}" class="title">{title}</text>']
        for n in nodes:
            x = self.x(n)
            self.svg.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{top}" y2="{bottom}" class="grid"/>')
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
        return self.top + HEIGHT * (1 - part)

    def line(self, values, colour, dashed=False):
        points = " ".join(f"{self.x(n):.1f},{self.y(v):.1f}" for n, v in sorted(values.items()))
        dash = ' stroke-dasharray="4 3"' if dashed else ""
        self.svg.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.5"{dash}/>')

    def dots(self, values, colour):
        for n, v in values.items():
            self.svg.append(f'<circle cx="{self.x(n):.1f}" cy="{self.y(v):.1f}" r="3.5" fill="{colour}"/>')


def column(rows, key):
    return {n: row[key] for n, row in rows.items() if row[key] > 0}


def row_of(top, ranks, machines):
    """Three panels of jobs with so many ranks a node: messages, bytes and time."""
    first = next(iter(machines.values()))
    nodes = sorted(first["fence"])
    who = "rank" if ranks == 1 else "leader"
    lefts = [LEFT + i * (WIDTH + GAP) for i in range(3)]
    messages = panel(lefts[0], top, f"Messages of the median {who}; lines: model", nodes, 0.8, 100)
    amounts = panel(lefts[1], top, f"Bytes that the busiest {who} sends", nodes, 50, 1e6)
    times = panel(lefts[2], top, "Microseconds: " + ", dashed ".join(machines), nodes, 1, 10000)
    for operation, colour in COLOURS.items():
        if operation not in first:
            continue
        messages.line(column(first[operation], "median_model"), colour)
        messages.dots(column(first[operation], "median"), colour)
        amounts.line(column(first[operation], "bytes"), colour)
        for i, rows in enumerate(machines.values()):
            times.line(column(rows[operation], "us"), colour, dashed=i > 0)
    each = "one rank each" if ranks == 1 else f"{ranks} ranks each, of which the leaders ran"
    note = f'<text x="{lefts[1] + WIDTH / 2:.0f}" y="{top + HEIGHT + 38}" class="x">nodes, {each}</text>'
    return messages.svg + amounts.svg + times.svg + [note]


def draw(rows):
    width, height = LEFT + 3 * WIDTH + 2 * GAP + 30, TOP + ROW * len(rows) - 35
    svg = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img">',
        "<title>Messages, bytes and simulated time of operations by the number of nodes</title>",
        "<style>text{font:12px sans-serif;fill:#222}.title{font-weight:bold}.x{text-anchor:middle}"
        ".y{text-anchor:end}.grid{stroke:#e4e4e4}</style>",
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    x = LEFT
    for operation, colour in COLOURS.items():
        svg.append(f'<circle cx="{x}" cy="22" r="5" fill="{colour}"/><text x="{x + 10}" y="26">{operation}</text>')
        x += 40 + 7 * len(operation)
    for i, (ranks, machines) in enumerate(rows.items()):
        svg += row_of(TOP + i * ROW, ranks, machines)
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
    rows = {}  # by ranks a node, then by machine
    for name in arguments:
        if name == "--table":
            continue
        path, _, ranks = name.partition(":")
        machine, found = read(path, int(ranks or 1))
        rows.setdefault(int(ranks or 1), {})[machine] = found
    print("\n\n".join(table(machines) for machines in rows.values()) if as_table else draw(rows))


if __name__ == "__main__":
    main(sys.argv[1:])
