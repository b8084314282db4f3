#!/usr/bin/python3
"""doxygen_filter.py HEADER: prints HEADER with its comments as Doxygen reads them.

Comments of the headers are plain: they stand before what they are about, or behind it, and the first of a file is about
the file. Doxygen's signs in them are escaped; `this`, *this* and indented lines are markup. Which assertions a function
requires, which breathe does not show, is added to its comment."""

import re
import sys


def escaped(text):
    text = re.sub(r'([\\@<>#%&$~"])', r"\\\1", text)
    return re.sub(r"(?<!\w)::", r"\\::", text)


def marked(text):
    parts = re.split(r"`([^`]+)`", text)
    parts[::2] = [re.sub(r"\*(\w[\w ]*)\*", r"<em>\1</em>", escaped(part)) for part in parts[::2]]
    parts[1::2] = [f"<code>{escaped(part)}</code>" for part in parts[1::2]]
    return "".join(parts)


def promises(declaration):
    """What to add to the comment on the function that begins with these lines."""
    text = ""
    for line in declaration:
        text += line
        if re.search(r"[{;]$", line):
            break
    clause = re.search(r"\brequires\b(.*)", text)
    names = re.findall(r"\bassertion::(\w+)", clause.group(1)) if clause else []
    if names:
        word = "one of the promises" if "promises_any" in clause.group(1) else "the promises" if names[1:] else "the promise"
        yield ""
        yield f"Needs {word} " + ", ".join(f"`{name}`" for name in names) + "."


def comment(lines, head, after):
    """Prints a block of comments; `after` is the code that follows."""
    print("/*!", head)
    verbatim = False
    for text in lines + list(promises(after)):
        indented = text.startswith("  ")
        if indented != verbatim:
            print("\\verbatim" if indented else "\\endverbatim")
            verbatim = indented
        print(text[2:] if indented else marked(text))
    print("\\endverbatim */" if verbatim else "*/")


def main(name):
    with open(name, encoding="utf-8") as file:
        lines = file.read().splitlines()
    at = 0
    while at < len(lines):
        block = []
        first = at == 0
        while at < len(lines) and (alone := re.match(r"\s*//(?: (.*)|$)", lines[at])):
            text = alone.group(1) or ""
            block.append("" if text.startswith("---") else text)  # a heading of several functions
            at += 1
        if block:
            comment(block, "\\file\n" if first else "", [] if first else lines[at:])
        elif behind := re.match(r"([^#].*\S)(\s+)// (.*)$", lines[at]):
            print(behind.group(1) + behind.group(2) + "///< " + marked(behind.group(3)))
            at += 1
        else:
            print(lines[at])
            at += 1


main(sys.argv[1])
