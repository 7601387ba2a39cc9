"""Plants one violation after another in a small clean tree and wants each check to find it.

A check that cannot fail is worse than none, and these read code with patterns, which break silently.
"""

import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = sys.argv[1]

CLEAN = {
    "src/CMakeLists.txt": "lg_room(base LIBRARIES m)\nlg_room(json USES base)\nlg_room(cel USES json)\nset(web_files a.js b.js)\n",
    "src/base/str.h": "// str.h: slices.\n#ifndef LG_STR_H\n#define LG_STR_H\n#include <stdint.h>\n#endif\n",
    "src/base/str.c": '// Slices.\n#include "base/str.h"\n',
    "src/base/README.md": "# base\n\nSlices.\n\n1\n2\n3\n4\n5\n- `str.h`, `str.c`\n",
    "src/json/json_internal.h": "// json_internal.h: inside.\n#ifndef LG_J_H\n#define LG_J_H\n#endif\n",
    "src/json/README.md": "# json\n\nValues.\n\n1\n2\n3\n4\n5\n- `json_internal.h`, `deep/`\n"
    "To add a kind of node: as in `base/README.md`.\n",
    "src/json/deep/deep.h": "// deep.h: inside.\n#ifndef LG_D_H\n#define LG_D_H\n#endif\n",
    "src/json/deep/README.md": "# deep\n\nInside.\n\n- `deep.h`\n",
    "docs/architecture.md": "| `base` | slices | |\n| `json` | values | base |\n",
    "web/b.js": "export function c() {}\n",
    "include/ledgergate/t.h": "// t.h: types.\n#ifndef LG_T_H\n#define LG_T_H\n#endif\n",
}

GOOD = """// A value.
#include "base/str.h"

// Says "malloc(1)" and // if (x) y; in a string and in a comment.
static const char *text = "malloc(1); if (x) y; // no";

int lg_f(int x);

int lg_f(int x)
{
    do {
        x--;
    } while (x > 0);
    for (int i = 0; i < 3; i++) {
        x += text[i];
    }
    return x;
}
"""


def function(lines, comment=""):
    return comment + "int lg_g(int x)\n{\n" + "    x++;\n" * lines + "}\n"


VALUE = "src/json/value.c"
TABLE = "tests/structure/rooms.txt"
with open(os.path.join(ROOT, TABLE), encoding="utf-8") as table:
    ROOMS = table.read()
# (check, file, its text, what the finding must say; None: the check must pass)
CASES = [
    ("layering", VALUE, GOOD, None),
    ("layering", VALUE, '#include "cel/cel.h"\n', "`json` may not use `cel`"),
    ("layering", VALUE, '#include "value.h"\n', "names no room"),
    ("layering", VALUE, "#  include <yaml.h>\n", "<yaml.h> is not for `json`"),
    ("layering", "src/pack/load.c", "#include <yaml.h>\n", None),
    ("layering", VALUE, "#include <sys/socket.h>\n", "is not for `json`"),
    ("layering", "src/cel/cel.c", '#include "json/json_internal.h"\n', "for files of `json` only"),
    ("layering", "src/stray.c", "\n", "lies in no room"),
    ("layering", "src/attic/old.c", "\n", "lies in no room"),
    ("layering", "tests/unit/cel/test_x.c", '#include "json/json_internal.h"\n', "tests of its room"),
    ("layering", "tests/unit/json/test_x.c", '#include "json/json_internal.h"\n', None),
    ("layering", "tests/unit/json/test_x.c", "#include <jansson.h>\n", "tests/oracle, fuzz and bench only"),
    ("layering", "tests/oracle/test_x.c", "#include <jansson.h>\n", None),
    ("layering", "bench/bench_x.c", "#include <jansson.h>\n", None),
    ("layering", "tests/conformance/json_x.c", '#include "json/json_internal.h"\n', None),
    ("layering", "tests/conformance/cel_x.c", '#include "json/json_internal.h"\n', "tests of its room"),
    ("layering", "examples/x.c", '#include "json/json.h"\n', "public API"),
    ("layering", "src/base/str.h", '#include "base/str.h"\n', "cycle of headers"),
    ("layering", "src/CMakeLists.txt", "lg_room(json USES base cel LIBRARIES m)\n", "the table says base"),
    ("layering", "src/CMakeLists.txt", "lg_room(jsn USES base)\n", "no such room"),
    ("layering", VALUE, '#include "json/deep/deep.h"\n', "for files of src/json/deep only"),
    ("layering", "src/json/deep/x.c", '#include "json/deep/deep.h"\n#include "base/str.h"\n', None),
    ("layering", "src/json/deep/x.c", '#include "cel/cel.h"\n', "`json` may not use `cel`"),
    ("layering", "src/json/deep/x.c", '#include "json/json_internal.h"\n', None),
    ("layering", "src/json/flat/x.c", '#include "json/deep/deep.h"\n', "for files of src/json/deep only"),
    ("layering", "src/json/deep/deeper/x.c", "\n", "lies in no room"),
    ("layering", "tests/unit/json/test_x.c", '#include "json/deep/deep.h"\n', "for files of its folder only"),
    ("layering", TABLE, ROOMS + "late : cel |\n", None),
    ("layering", TABLE, ROOMS + "late : symbolic |\nnever : late | symbolic\n", "`late` reaches `symbolic`"),
    ("layering", TABLE, ROOMS + "mid : prove |\nlate : mid |\nnever : json late | symbolic\n", "`late` reaches `symbolic`"),
    ("layering", TABLE, ROOMS + "never : json | jsn\n", "`jsn`, which is no room"),
    ("layering", TABLE, re.sub(r"(?m)^proxy .*", "proxy : prove |", ROOMS), "`serve` reaches `symbolic`"),
    ("banned", VALUE, GOOD, None),
    ("banned", VALUE, "x = malloc(1);\n", "malloc(): memory is allocated"),
    ("banned", "src/base/alloc.c", "x = malloc(1);\n", None),
    ("banned", VALUE, "strcpy (a, b);\n", "strcpy()"),
    ("banned", "tests/unit/json/test_x.c", "strtok(a, b);\n", "strtok()"),
    ("banned", VALUE, 'fprintf(stderr, "");\n', "only src/cli prints"),
    ("banned", "src/base/x.c", 'printf("");\n', "only src/cli prints"),
    ("banned", "src/cli/x.c", 'printf("");\n', None),
    ("banned", VALUE, "abort();\n", "input never aborts"),
    ("banned", VALUE, "now = time(NULL);\n", "come in as arguments"),
    ("banned", "src/session/events.c", "now = time(NULL);\n", None),
    ("braces", VALUE, GOOD, None),
    ("braces", VALUE, "if (f(1, (2)))\n    x();\n", "`if` without braces"),
    ("braces", VALUE, "if (a) {\n} else\n    x();\n", "`else` without braces"),
    ("braces", VALUE, "while (a)\n    ;\n", "`while` without braces"),
    ("braces", VALUE, "#if A\n#else\nint x;\n#endif\n", None),
    ("lengths", VALUE, function(100), None),
    ("lengths", VALUE, function(101), "a function of 101 lines"),
    ("lengths", VALUE, function(101, "// The dispatch loop of the VM.\n"), None),
    ("lengths", VALUE, "// A flat switch.\n" + function(2) + "\n" + function(101), "a function of 101 lines"),
    ("lengths", VALUE, "\n" * 1201, "more than 1200"),
    ("format", VALUE, GOOD, None),
    ("format", VALUE, "int  x;\n", "not as clang-format has it"),
    ("text", VALUE, GOOD, None),
    ("text", VALUE, "int x; \n", "blanks at the end"),
    ("text", VALUE, "\tint x;\n", "a tab"),
    ("text", "Makefile", "all:\n\tcmake\n", None),
    ("text", VALUE, "// TO" "DO: more\n", "an unfinished note"),
    ("text", VALUE, "int x;", "exactly one newline"),
    ("text", "docs/x.json", '"/wo' 'rk/main"\n', "a word of one machine"),
    ("readmes", "src/json/x.md", "\n", None),
    ("readmes", "src/json/v.c", "\n", "json/README.md: does not mention `v.c`"),
    ("readmes", "src/json/json_internal.c", "\n", None),
    ("readmes", "src/base/README.md", CLEAN["src/base/README.md"] + "`gone.c`\n", "README.md: there is no `gone.c`"),
    ("readmes", "src/base/README.md", CLEAN["src/base/README.md"] + "`json/json_<x>.h`\n", None),
    ("readmes", "src/base/README.md", CLEAN["src/base/README.md"].replace("`str.h`, `str.c`", "str.h"), "does not mention `str"),
    ("readmes", "CONTRIBUTING.md", "`src/gone.c`\n", "CONTRIBUTING.md: there is no `src/gone.c`"),
    ("readmes", "docs/architecture.md", "| `base` | slices | |\n", "no row for `json`"),
    ("readmes", "docs/architecture.md", CLEAN["docs/architecture.md"] + "| `cel` | x | json |\n", "`cel` is no room"),
    ("readmes", "docs/architecture.md", CLEAN["docs/architecture.md"].replace("| base |", "| cel |"), "uses other rooms"),
    ("readmes", "src/base/README.md", CLEAN["src/base/README.md"] + "To add a kind of node: x.\n",
     "base/README.md: does not mention `src/json/README.md`"),
    ("readmes", "src/base/README.md", CLEAN["src/base/README.md"] + "A kind of node, as in `json/README.md`.\n", None),
    ("readmes", "src/json/odd.c", GOOD, "does not mention `odd.c`"),
    ("readmes", "src/cel/cel.c", GOOD, "there is none"),
    ("readmes", "src/json/README.md", "# json\n`json_internal.h` `deep/`\n", "2 lines"),
    ("readmes", "src/json/README.md", CLEAN["src/json/README.md"].replace("`deep/`", "deep"), "the folder `deep/`"),
    ("readmes", "src/json/deep/odd.c", GOOD, "deep/README.md: does not mention `odd.c`"),
    ("readmes", "src/json/flat/x.c", GOOD, "flat/README.md: there is none"),
    ("readmes", "src/json/deep/README.md", "# deep\n" * 21, "21 lines"),
    ("unused", VALUE, "int lg_a(int x)\n{\n}\nstatic int b(void)\n{\n    lg_a(1), lg_a(2);\n}\n", "make it static"),
    ("unused", VALUE, "int lg_a(int x)\n{\n}\n// lg_a() and lg_a()\n", "lg_a() is called by nothing"),
    ("unused", VALUE, "lg_status lg_a(lg_arena *arena,\n               int x)\n{\n}\n", "lg_a() is called by nothing"),
    ("unused", VALUE, "int lg_fn_a(int x)\n{\n}\n#define F(name) lg_fn_##name\n", None),
    ("unused", VALUE, "int lg_json_parse(int x)\n{\n}\n", None),
    ("unused", VALUE, GOOD + "int lg_json_parse(int x)\n{\n    lg_json_parse(lg_json_parse(1));\n}\n", "take it from the list"),
    ("headers", "src/json/v.h", CLEAN["src/base/str.h"].replace("str.h:", "v.h:"), None),
    ("headers", "src/json/v.h", "// v.h: x.\n#ifndef L\n#endif\nsize_t x;\n", "does not compile alone"),
    ("headers", "src/json/v.h", "#ifndef L\n#endif\n", "does not open with"),
    ("headers", "src/json/v.h", "// v.h: x.\n", "no include guard"),
    ("web", "web/a.js", "import { c } from './b.js';\nexport function d() {}\n", None),
    ("web", "web/a.js", "import * as b from './b.js';\n", "cannot be taken away"),
    ("web", "web/a.js", "export default 1;\n", "cannot be taken away"),
    ("web", "web/a.js", "import { gone } from './b.js';\n", "exports no `gone`"),
    ("web", "web/a.js", "const c = 1;\n", "`c` is a name of"),
    ("web", "web/a.js", "function e() { x.innerHTML = 1; }\n", "innerHTML has no place"),
    ("web", "web/z.js", "function e() {}\n", "does not build it in"),
]


def write(folder, path, text):
    target = os.path.join(folder, path)
    os.makedirs(os.path.dirname(target), exist_ok=True)
    with open(target, "w", encoding="utf-8") as file:
        file.write(text)


def run(check, path, text):
    """Runs one check over the clean tree with this one file added or replaced."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("tests/structure/rooms.txt", ".clang-format"):
            with open(os.path.join(ROOT, name), encoding="utf-8") as file:
                write(folder, name, file.read())
        for name, content in {**CLEAN, path: text}.items():
            write(folder, name, content)
        arguments = ["cc", "-std=c17"] if check == "headers" else []
        return subprocess.run(
            [sys.executable, "-B", os.path.join(HERE, check + ".py"), folder, *arguments],
            capture_output=True, text=True,
        )


def main():
    failed = 0
    for check, path, text, wanted in CASES:
        result = run(check, path, text)
        if result.returncode == 77:
            continue  # its tool is missing: the check itself reports that it was skipped
        if wanted is None:
            ok = result.returncode == 0
        else:
            ok = result.returncode == 1 and wanted in result.stdout
        if not ok:
            failed += 1
            print(f"{check}, {path}: wanted {wanted or 'no finding'}, exit code {result.returncode}, got:")
            print(result.stdout + result.stderr)
    print(f"{len(CASES)} planted cases, {failed} failed")
    sys.exit(1 if failed else 0)


main()
