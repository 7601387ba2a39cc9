"""Does a refusal say what to do? Counted on recordings, for scripts/results.py.

A recording goes on as if nobody had refused anything, so it shows what the agent did next. A refusal is
*followed* if a later call of the same tool, on the same record, was carried out and is allowed by the
gate. What made that one pass is known: the values in which it differs, and the reads made between the
two. A refusal *says* it if its message (with the hints) holds one of these values, or names one of
these reads with the arguments it was then made with.

Of a list of payments the sum counts as a value, since that is what has to be right; of an argument that was
missing its name does; of one that was left out it does itself, or its place in the list if it was empty. A
number of one or two digits stands in any text, so it counts only right behind its argument's name.
"""
import re

# What says which record a call is about: a call on another record repairs nothing.
RECORD_KEYS = ("reservation_id", "order_id", "line_id", "bill_id", "user_id")
NUMBER = re.compile(r"(?<![\w.#])-?\d+(?:\.\d+)?(?![\w])")


def record_of(args):
    return next(((key, args[key]) for key in RECORD_KEYS if key in args), None)


def leaves(value, path=()):
    """By path, the scalars of which a value is made."""
    if isinstance(value, dict):
        children = value.items()
    elif isinstance(value, list):
        children = enumerate(value)
    else:
        return {path: value}
    return {k: v for key, child in children for k, v in leaves(child, (*path, key)).items()}


def name_of(path):
    """The argument that a path leads to: the last name in it."""
    return next((step for step in reversed(path) if isinstance(step, str)), "")


def place_of(path):
    """`new_item_ids[1]`"""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).removeprefix(".")


def wanted(before, after):
    """(name, value) of what the later call has otherwise; a value None stands for the name itself."""
    old, new = leaves(before), leaves(after)
    for path in sorted(old.keys() | new.keys(), key=str):
        if old.get(path) == new.get(path):
            continue
        if path in new:
            yield name_of(path), new[path]
            if path not in old and any(other[:-1] == path[:-1] for other in old):
                yield name_of(path), None
        elif isinstance(path[-1], int):
            yield name_of(path), place_of(path) if old[path] == "" else old[path]  # left out
    totals = {}
    for path, value in new.items():
        if len(path) == 3 and isinstance(path[1], int) and isinstance(value, (int, float)):
            totals[path[0], path[2]] = totals.get((path[0], path[2]), 0) + value
    changed = {(p[0], p[2]) for p in old.keys() | new.keys()
               if len(p) == 3 and old.get(p) != new.get(p)}
    for key, total in totals.items():
        if key in changed:
            yield key[1], total


def holds(message, name, value):
    if value is None:
        return bool(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", message))
    if isinstance(value, bool) or value == "":
        return False
    if isinstance(value, (int, float)):
        if abs(value) < 100:
            return bool(re.search(rf"(?<!\w){re.escape(name)}\W+(?:must be )?{value:g}(?![\w.]\d)",
                                  message))
        return any(abs(float(number) - value) < 0.005 for number in NUMBER.findall(message))
    return bool(re.search(rf"(?<!\w){re.escape(str(value))}(?!\w)", message))


def names_read(message, call, in_full):
    """Does the message name this read? What it leaves open (`...`) may have been anything, unless `in_full`."""
    for named in re.finditer(rf"(?<!\w){re.escape(call['tool'])}\(([^)]*)\)", message):
        known = re.findall(r'(\w+): ("[^"]*"|[^,\s]+)', named.group(1))
        args = call["args"] if isinstance(call["args"], dict) else {}
        if all((text == "..." and not in_full) or text.strip('"') == str(args.get(name)) for name, text in known):
            return True
    return False


def says(message, values, reads):
    """"in full", "in part" or "", of values by which and reads after which the call then passed."""
    if (any(value is not None and holds(message, name, value) for name, value in values)
            or any(names_read(message, call, True) for call in reads)):
        return "in full"
    named = any(holds(message, name, value) for name, value in values)
    return "in part" if named or any(names_read(message, call, False) for call in reads) else ""


def repairs_of(trace, is_refused, is_carried):
    """Each refusal of a conversation with what came of it, as (stage, says()): `none`, `tool` (a later
    call of the tool was carried out), `record` (on the same record), `passed` (and it is allowed)."""
    for index, decision in enumerate(trace["decisions"]):
        if not is_refused(decision):
            continue
        later = [d for d in trace["decisions"][index + 1:]
                 if d["tool"] == decision["tool"] and is_carried(d)]
        args = decision["args"] if isinstance(decision["args"], dict) else {}
        same = [d for d in later if record_of(d["args"]) == record_of(args)]
        passed = [d for d in same if d["verdict"] == "allow"]
        if not passed:
            yield "record" if same else "tool" if later else "none", ""
            continue
        between = [call for call in trace["agent_calls"]
                   if decision["turn"] <= call["turn"] < passed[0]["turn"]]
        yield "passed", says(decision["decision"]["message"], list(wanted(args, passed[0]["args"])), between)
