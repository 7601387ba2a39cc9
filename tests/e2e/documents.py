"""What the documents say is so: links, commands and their options, samples of packs and of output."""

import glob
import os
import re

import _run
from _run import SOURCE, check

DOCUMENTS = sorted(
    os.path.relpath(path, SOURCE)
    for pattern in ("*.md", "docs/*.md", "packs/*.md", "src/*/README.md", "src/*/*/README.md", "tests/*/README.md", "bench/*.md", "examples/*.md")
    for path in glob.glob(os.path.join(SOURCE, pattern))
)
# What a fragment of docs/pack-format.md needs around it, to be a pack.
TYPES = """pack: p
version: '1'
clock: 2024-05-15T15:00:00Z
types:
  User: {type: object, properties: {balance: {type: number}, payment_methods: {type: object, additionalProperties: true}}}
  Line: {type: object, properties: {line_id: {type: string}}}
  Device: {type: object, properties: {data_enabled: {type: boolean}}}
  Item: {type: object, properties: {item_id: {type: string}, price: {type: number}}}
  Order:
    type: object
    properties:
      order_id: {type: string}
      user_id: {type: string}
      status: {type: string}
      items: {type: array, items: {$ref: "#/types/Item"}}
      payment_history: {type: array}
ledger: {orders.*: Order}
"""


def read(name):
    with open(os.path.join(SOURCE, name), encoding="utf-8") as file:
        return file.read()


def prose(text):
    """The text without its blocks of code."""
    return re.sub(r"^```.*?^```", "", text, flags=re.S | re.M)


def blocks(text, language=""):
    return [body for word, body in re.findall(r"^```(\w*)\n(.*?)^```", text, re.S | re.M) if word == language]


def anchors(text):
    heads = re.findall(r"^#+ (.*)$", prose(text), re.M)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def links(_):
    found = 0
    for name in DOCUMENTS:
        for target in re.findall(r"\]\(([^)\s]+)\)", prose(read(name))):
            if re.match(r"[a-z]+:", target):
                continue
            found += 1
            path, _, anchor = target.partition("#")
            whole = os.path.normpath(os.path.join(SOURCE, os.path.dirname(name), path)) if path else os.path.join(SOURCE, name)
            if check(os.path.exists(whole), f"{name}: {target} is there") and anchor:
                check(anchor in anchors(read(os.path.relpath(whole, SOURCE))), f"{name}: {target} has that heading")
    check(found > 10, "links were looked at", found)


def commands(folder):
    """Every `ledgergate VERB --option` that is written anywhere is one that the program has."""
    verbs, found = {}, 0
    for name in DOCUMENTS:
        text = read(name)
        spans = re.findall(r"`(ledgergate [^`]+)`", prose(text))
        lines = [l.strip().removeprefix("$ ") for l in text.splitlines() if re.match(r"^(    |\$ )ledgergate ", l)]
        for command in spans + lines:
            words = command.split("#")[0].split("|")[0].split()
            verb = words[1] if len(words) > 1 else "--help"
            if not verb.isalpha() or verb.isupper():
                continue
            if verb not in verbs:
                code, out, _ = folder.run(verb, "--help")
                check(code == 0, f"{name}: there is a verb `{verb}`")
                verbs[verb] = out
            for option in (w.split("=")[0] for w in words[2:] if w.startswith("--")):
                found += 1
                check(option in verbs[verb] or option == "--help", f"{name}: `{verb}` knows {option}", command)
    check(len(verbs) >= 6 and found > 20, "commands were looked at", (sorted(verbs), found))


def sample_of_output(folder):
    sample = blocks(read("README.md"))[0].splitlines()
    check(sample[0].startswith("$ ledgergate "), "README begins with a command", sample[0])
    words = [os.path.join(SOURCE, w) if "/" in w else w for w in sample[0].split()[2:]]
    _, out, err = folder.run(*words)
    shown = out.replace(SOURCE + "/", "").splitlines()[: len(sample) - 1]
    check(shown == sample[1:], "README shows what the program prints", "\n".join(shown) + err)


def samples_of_packs(folder):
    first, second, words, conversation = blocks(read("docs/pack-format.md"), "yaml")[:4]
    whole = first.replace("  user: User ", "  user: {type: object} ").replace(
        "  cancel_pending_order:", "  cancel_pending_order:\n    # of the state that follows")
    state = "state:\n  orders.*: Order\n"
    folder.write("first.yaml", whole.replace("tools:\n", state + "\ntools:\n", 1))
    code, _, err = folder.run("check", "first.yaml")
    check(code == 0, "the first sample of docs/pack-format.md is a sound pack", err)
    effects = second.replace("{...}", "{type: object, properties: {order_id: {type: string}, payment_id: {type: string}, "
                             "item_ids: {type: array, items: {type: string}}}}")
    effects = effects.replace("state:\n", "state:\n  orders.*: Order\n", 1)
    effects = effects.replace("recount: [...]", "recount: [{set: device.data_enabled, to: true}]")
    effects = effects.replace("    gives: state.orders[args.order_id]", "    returns: Order\n    gives: state.orders[args.order_id]")
    folder.write("second.yaml", TYPES + effects)
    code, _, err = folder.run("check", "second.yaml")
    check(code == 0, "and so is the second", err)
    booking = ("{flight: {type: string}, passengers: {type: array}, payments: {type: array, items: {type: object, "
               "properties: {payment_id: {type: string}, amount: {type: number}}}}}")
    folder.write("words.yaml", TYPES.replace("ledger: {", "ledger: {fares.*: {type: number}, ")
                 + f"tools: {{book: {{kind: write, parameters: {{type: object, properties: {booking}}}}}}}\nrules:\n" + words)
    code, _, err = folder.run("check", "words.yaml")
    check(code == 0, "and the rule that says much", err)
    tools = ("find_user_by_email", "find_user_by_name", "send_certificate", "cancel_order", "refund", "transfer_to_human")
    arguments = "{type: object, properties: {order_id: {type: string}, amount: {type: number}}}"
    kinds = {name: "read" if name.startswith("find") else "generic" if name.startswith("transfer") else "write" for name in tools}
    declared = "tools:\n" + "".join(f"  {t}: {{kind: {k}, parameters: {arguments}}}\n" for t, k in kinds.items())
    folder.write("third.yaml", TYPES + declared + conversation)
    code, _, err = folder.run("check", "third.yaml")
    check(code == 0, "and the rules about a conversation", err)


with _run.Folder() as work:
    for test in (links, commands, sample_of_output, samples_of_packs):
        test(work)
_run.done()
