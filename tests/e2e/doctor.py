"""`doctor`: what it finds, and that a canary is refused where the gate is, and nowhere else."""

import json

from _serve import DESK, Folder, Gateway, Reply, Upstream, check, done
from upstream import completion

CONFIG = """
listen: 127.0.0.1:0
routes:
  - {path: /v1, upstream: {url: "%s"}, pack: pack.yaml%s}
store: d.db
"""


def findings(folder, *args):
    code, out, err = folder.run("doctor", "--config", "c.yaml", "--json", *args)
    return code, [json.loads(line) for line in out.splitlines()], err


def wrong(found):
    return [(f["what"], f["text"]) for f in found if f["state"] == "wrong"]


with Folder() as folder, Upstream() as upstream:
    folder.write("pack.yaml", DESK)
    folder.write("c.yaml", CONFIG % (upstream.url, ""))
    upstream.answer = lambda r: {"data": []} if r.method == "GET" else completion("hello")
    code, found, err = findings(folder)
    check(code == 0 and not wrong(found), "all is there", f"{found} {err}")
    check(any(f["what"] == "log d.db" and f["state"] == "note" for f in found), "a log that is not there yet", found)

    for extra in ("", ", on_refusal: return", ", block: append", ", block: none"):
        for pack in (DESK, DESK.replace("types:", "unknown_tools: allow\ntypes:")):
            folder.write("pack.yaml", pack)
            folder.write("c.yaml", CONFIG % (upstream.url, extra))
            with Gateway(folder, "--config", "c.yaml") as gate:
                before = len(upstream.requests)
                code, found, err = findings(folder, "--probe", "--url", f"http://127.0.0.1:{gate.port}")
                probes = [f for f in found if f["what"].startswith("probe")]
                check(code == 0 and len(probes) == 6 and not wrong(found), f"the canary is refused{extra}", f"{found} {err}")
                asked = [r for r in upstream.requests[before:] if r.method == "POST"]
                check(not asked, "no upstream is asked for it", asked)
    folder.write("pack.yaml", DESK)

    folder.write("c.yaml", CONFIG % (upstream.url, ""))
    code, found, _ = findings(folder, "--probe", "--url", f"http://127.0.0.1:{upstream.port}")
    check(code == 1 and len(wrong(found)) == 6, "where there is no gate, the canary says so", found)
    check(all("nothing in the path judges" in text for _, text in wrong(found)), "and why", found)

    folder.write("open.yaml", (CONFIG % (upstream.url, "")).replace(", pack: pack.yaml", "").replace("store: d.db", ""))
    with Gateway(folder, "--config", "open.yaml") as gate:
        code, found, _ = findings(folder, "--probe", "--url", f"http://127.0.0.1:{gate.port}")
        check(code == 1 and len(wrong(found)) == 6, "a gateway without a pack is no gate", found)

    folder.write("shadow.yaml", CONFIG % (upstream.url, ", mode: shadow"))
    with Gateway(folder, "--config", "shadow.yaml") as gate:
        code, found, _ = findings(folder, "--probe", "--url", f"http://127.0.0.1:{gate.port}")
        check(code == 1 and len(wrong(found)) == 6, "nor is one in shadow", found)

    _, out, _ = folder.run("serve", "--new-token")
    token, hash_ = (line.split(": ")[1] for line in out.splitlines())
    folder.write("c.yaml", CONFIG % (upstream.url, "") + f"tokens: [{{name: a, hash: '{hash_}'}}]\n")
    with Gateway(folder, "--config", "c.yaml") as gate:
        code, found, _ = findings(folder, "--probe", "--url", f"http://127.0.0.1:{gate.port}")
        check(code == 1 and "401" in str(wrong(found)), "without a token it does not get that far", found)
        folder.environment["LEDGERGATE_TOKEN"] = token
        code, found, err = findings(folder, "--probe", "--url", f"http://127.0.0.1:{gate.port}")
        check(code == 0, "with one it does", f"{found} {err}")

    code, found, _ = findings(folder, "--probe")
    check(code == 1, "a gateway that does not run is a finding", found)
    folder.write("c.yaml", CONFIG % ("http://127.0.0.1:1/v1", ""))
    code, found, _ = findings(folder)
    check(code == 1 and "cannot be reached" in str(wrong(found)), "so is an upstream that is not there", found)
    upstream.answer = lambda r: Reply(401, b"{}")
    folder.write("c.yaml", (CONFIG % (upstream.url, "")).replace('"}, pack', '", key: "${K}"}, pack'))
    folder.environment["K"] = "sk-wrong"
    code, found, err = findings(folder)
    check(code == 1 and "refuses the key" in str(wrong(found)) and "sk-wrong" not in str(found), "and a key that is refused", f"{found} {err}")
    folder.write("c.yaml", "routes: 1\n")
    code, found, err = findings(folder)
    check(code == 2 and "c.yaml:1:9" in err, "a configuration that is none", err)
done()
