"""The HTML page of an audit in Debian's Chromium: pages of made-up artefacts, and browser.mjs, which opens them."""

import json
import os
import shutil
import subprocess

import pages

HERE = os.path.dirname(os.path.abspath(__file__))
# file, conversations, further arguments of support_page
PAGES = [("0", 0, ()), ("10", 10, ()), ("2000", 2000, ()), ("compared", 400, ("before",)), ("large", 400, ("-", "40000"))]
SECONDS = 900  # only what hangs


def chromium():
    return os.environ.get("CHROMIUM") or shutil.which("chromium")


def write_lines(path, made):
    with open(path, "w", encoding="utf-8", errors="replace") as file:
        for one in made:
            file.write(json.dumps(one, ensure_ascii=False) + "\n")


def make(program, folder, name, lines, more):
    with open(lines, "rb") as file:
        subprocess.run([program, os.path.join(folder, f"{name}.html"), f"Audit of {name}", *more], stdin=file, check=True)


def make_pages(program, folder):
    before, lines = os.path.join(folder, "before.jsonl"), os.path.join(folder, "lines.jsonl")
    write_lines(before, (pages.artefact(number, 2, -0.08)["audit"] for number in range(400)))
    for name, count, more in PAGES:
        write_lines(lines, (pages.artefact(number, 1) for number in range(count)))
        make(program, folder, name, lines, [before if word == "before" else word for word in more])
    write_lines(lines, (pages.hostile(number) for number in range(24)))
    make(program, folder, "hostile", lines, [])
    with open(os.path.join(folder, "hostile.json"), "w", encoding="utf-8") as file:
        json.dump([text.encode("utf-8", "replace").decode() for text in pages.HOSTILE], file)


def run(program, packages, folder):
    """[(name, what failed or None)]; `program` is support_page."""
    make_pages(program, folder)
    shots = os.environ.get("LEDGERGATE_SHOTS")
    words = ["node", os.path.join(HERE, "browser.mjs"), packages, folder, *([os.path.abspath(shots)] if shots else [])]
    done = subprocess.run(words, stdout=subprocess.PIPE, env={**os.environ, "CHROMIUM": chromium()}, text=True, timeout=SECONDS)
    outcomes = [(f"browser: {line['name']}", line["why"]) for line in map(json.loads, done.stdout.splitlines())]
    if done.returncode != 0:
        outcomes.append(("browser: it comes to its end", f"exit code {done.returncode}"))
    return outcomes
