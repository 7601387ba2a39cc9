"""Wants braces round every body: clang-format 14 cannot check it, and clang-tidy is slow to fetch."""

import re
import sys

import tree

KEYWORD = re.compile(r"\b(if|for|while|switch|else|do)\b")
AFTER_DO = re.compile(r"\}[ \t]*\Z")  # `} while (x);` closes a do: clang-format keeps it on one line


def after_parenthesis(code, start):
    """Returns the offset after the group that opens at or after `start`, or None."""
    depth = 0
    for offset in range(code.find("(", start), len(code)):
        if code[offset] == "(":
            depth += 1
        elif code[offset] == ")":
            depth -= 1
            if depth == 0:
                return offset + 1
    return None


def bare(code, match):
    """Tells whether the body after this keyword stands without braces."""
    word, end = match.group(1), match.end()
    if word == "while" and AFTER_DO.search(code[max(0, match.start() - 80) : match.start()]):
        return False
    if word not in ("else", "do"):
        end = after_parenthesis(code, end)
        if end is None:
            return False
    body = code[end : end + 400].replace("\\\n", " ").lstrip()
    return not (body.startswith("{") or (word == "else" and re.match(r"if\b", body)))


def main(root):
    findings, checked = [], 0
    folders = ("src", "include", "examples", "tests", "fuzz", "bench")
    for path in tree.files(root, (".c", ".h"), folders):
        checked += 1
        code = tree.code_only(tree.read(root, path))
        # Directives use the same words for other things: #if, #else.
        code = re.sub(r"(?m)^[ \t]*#[ \t]*(if|else|elif|endif|ifdef|ifndef|include|error)\b.*", "", code)
        for match in KEYWORD.finditer(code):
            if bare(code, match):
                findings.append(f"{path}:{tree.line_of(code, match.start())}: `{match.group(1)}` without braces")
    tree.finish(findings, checked, "files")


main(sys.argv[1])
