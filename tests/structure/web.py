"""The modules of web/ must be joinable: their lines `import` and `export` are taken away, and one program is left.

So an import stands on one line, an export begins its line and has its name on it, no two modules have a name at their
top in common, and what is imported is exported. Nothing makes markup of text. A module that is not built in is none.
"""

import os
import re
import sys

import tree

TOP = re.compile(r"^(?:export )?(?:async )?(?:function\*?|const|let|class) +(\w+|\{[^}]*\}|\[[^\]]*\])", re.M)
IMPORT = re.compile(r"^import \{ ([\w, ]+) \} from '\./([\w.]+)';$")
EXPORT = re.compile(r"^export (?:async )?(?:function|const|class) (\w+)")
BANNED = re.compile(r"\b(innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function|setAttribute\('style')|</script|<!--")


def main(root):
    findings, tops, exported, imported = [], {}, {}, []
    built = tree.read(root, "src/CMakeLists.txt")
    folder = os.path.join(root, "web")
    names = sorted(name for name in os.listdir(folder) if name.endswith(".js")) if os.path.isdir(folder) else []
    for name in names:
        text = tree.read(root, f"web/{name}")
        if name not in built:
            findings.append(f"web/{name}: src/CMakeLists.txt does not build it in")
        for number, line in enumerate(text.splitlines(), 1):
            place = f"web/{name}:{number}"
            if re.match(r"\s*(import|export)\b", line) and not IMPORT.match(line) and not EXPORT.match(line):
                findings.append(f"{place}: an import or export that cannot be taken away")
            if IMPORT.match(line):
                words, source = IMPORT.match(line).groups()
                imported += [(place, word.strip(), source) for word in words.split(",")]
            if EXPORT.match(line):
                exported.setdefault(name, set()).add(EXPORT.match(line).group(1))
            if BANNED.search(line):
                findings.append(f"{place}: {BANNED.search(line).group()} has no place in a page that shows what strangers said")
        for match in TOP.finditer(text):
            for word in re.findall(r"\w+", match.group(1)):
                if word in tops:
                    findings.append(f"web/{name}:{tree.line_of(text, match.start())}: `{word}` is a name of {tops[word]}, too")
                tops[word] = f"web/{name}"
    for place, word, source in imported:
        if word not in exported.get(source, ()):
            findings.append(f"{place}: web/{source} exports no `{word}`")
    tree.finish(findings, len(names), "modules")


main(sys.argv[1])
