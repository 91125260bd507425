"""What a document has in it: blocks of code, code within a line, links, headings. Knows the Markdown of these documents."""
import re
from typing import NamedTuple


class Block(NamedTuple):
    line: int        # of its first line of code
    language: str    # what stands behind the fence; "indented" for a block without one
    text: str


def blocks(text):
    """All blocks of code, in order. A block that is indented by four blanks ends at the first line that is not."""
    found, lines, at = [], text.split("\n"), 0
    while at < len(lines):
        fence = re.match(r"( *)```(\S*)", lines[at])
        if fence:
            end = next(n for n in range(at + 1, len(lines)) if lines[n].startswith(fence[1] + "```"))
            inside = [line[len(fence[1]):] for line in lines[at + 1:end]]
            found.append(Block(at + 2, fence[2], "\n".join(inside)))
            at = end
        elif lines[at].startswith("    ") and not (at and lines[at - 1].strip()):
            end = at
            while end < len(lines) and lines[end].startswith("    "):
                end += 1
            found.append(Block(at + 1, "indented", "\n".join(line[4:] for line in lines[at:end])))
            at = end
        at += 1
    return found


def prose(text):
    """(number, line) of all that is in no block."""
    in_blocks = set()
    for block in blocks(text):
        in_blocks.update(range(block.line, block.line + block.text.count("\n") + 1))
    return [(number, line) for number, line in enumerate(text.split("\n"), 1)
            if number not in in_blocks and not line.lstrip().startswith("```")]


def inline(text):
    """(line, code) of what stands between backticks."""
    return [(number, code) for number, line in prose(text) for code in re.findall(r"`([^`]+)`", line)]


def links(text):
    """(line, target) of each link and picture."""
    return [(number, target) for number, line in prose(text)
            for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`]*`", "", line))]


def anchors(text):
    """The names that GitHub gives to the headings."""
    names = set()
    for _, line in prose(text):
        heading = re.match(r"#+ +(.*)", line)
        if heading:
            words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[1]).strip().lower()
            name = again = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
            count = 0
            while again in names:
                count += 1
                again = "%s-%d" % (name, count)
            names.add(again)
    return names
