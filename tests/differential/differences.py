"""The differences that are known. Each stands in packs/README.md, with its reason.

A difference is only one of these if everything else is equal: where the states differ, by what it names alone.
Where our schema alone refuses the call, the states differ by all that the tool does; then what it refuses has to be
what the difference is about.
"""
import json
import re

EXACT_MAX = 2**53 - 1


def leaves(value, name=""):
    """The scalars of a value, each with the name of the member that it is, or is an item of."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(item, key)
    elif isinstance(value, list):
        for item in value:
            yield from leaves(item, name)
    else:
        yield name, value


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def refuses_all(names, ours):
    """Is the call refused for nothing but these arguments? Our words name one in each part."""
    parts = ours.get("text", "").removeprefix("Error: ").split("; `")
    return bool(names) and all(any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", part) for name in names) for part in parts)


def has_written_fraction(call):
    return any(isinstance(v, float) and v == int(v) for _, v in leaves(call["arguments"]) if is_number(v))


def refused_by_schema(call, real, ours, states):
    """Both refuse the arguments: one with the words of our schema, the other with a validating library's report, or
    with the first thing that it misses."""
    return not states and real["error"] and ours["end"] == "bad_arguments"


def too_wide(call, real, ours, states):
    """A whole number beyond what a double holds exactly is refused; Python's ints have no end, so there the call
    goes on, and may fail half-way."""
    wide = {name for name, v in leaves(call["arguments"]) if is_number(v) and abs(v) > EXACT_MAX}
    return ours["end"] == "bad_arguments" and refuses_all(wide, ours)


def converted(call, real, ours, states):
    """A value of another type: refused here, and converted there ("yes" to true, "80" to 80)."""
    settings = call["arguments"].get("apn_settings", {})
    odd = {name for name, is_odd in (("reset_at_reboot", not isinstance(settings.get("reset_at_reboot", False), bool)),
                                     ("mms_port", isinstance(settings.get("mms_port"), (str, bool)))) if is_odd}
    return not real["error"] and ours["end"] == "bad_arguments" and refuses_all(odd, ours)


def plain(text):
    """Without the fractions of whole numbers; a JSON text as Python writes it."""
    try:
        text = json.dumps(json.loads(text))
    except ValueError:
        pass
    return re.sub(r"(?<![\d.])(-?\d+)\.0(?!\d)", r"\1", text)


def as_written(call, real, ours, states):
    """A whole number is repeated as it was written, 2 or 2.0; a JSON number is a number."""
    there, here = states or ({}, {})
    return (call["name"] in ("refuel_data", "send_certificate", "book_reservation") and real["error"] == ours["error"]
            and plain(real["text"]) == plain(ours.get("text", "")) and plain(json.dumps(there)) == plain(json.dumps(here)))


def slice_by_fraction(call, real, ours, states):
    """`limit: 2.0` is a whole number of JSON; there it is an error, since lists are not cut by floats."""
    return (not states and call["name"] == "get_bills_for_customer" and has_written_fraction(call)
            and real["text"].startswith("Error: slice indices must be integers"))


def words_of_interpreter(call, real, ours, states):
    """What is no arithmetic is an error in both. Its words are those of the interpreter, and of its version."""
    return not states and call["name"] == "calculate" and real["error"] and ours["end"] == "failed"


def beyond_127_bits(call, real, ours, states):
    """Whole numbers have no end there, and parentheses and signs of any kind are read to another depth."""
    text = ours.get("text", "")
    return (not states and call["name"] == "calculate" and not real["error"] and ours["end"] == "failed"
            and ("beyond 127 bits" in text or "nested too deep" in text or "more than 511 digits" in text))


def small_letters(call, real, ours, states):
    """An unknown permission is repeated in small letters; of letters beyond ASCII only there."""
    permission = call["arguments"].get("permission", "")
    return (not states and call["name"] == "grant_app_permission" and not permission.isascii()
            and real["text"].lower() == ours.get("text", "").replace(permission, permission.lower()).lower())


def unprintable(call, real, ours, states):
    """Characters that do not print are written as escapes there."""
    return (not states and call["name"] == "check_vpn_status"
            and re.sub(r"\\x[0-9a-f]{2}|\\u[0-9a-f]{4}", "", real["text"])
            == "".join(c for c in ours.get("text", "") if c.isprintable() or c == "\n"))


KNOWN = [refused_by_schema, too_wide, converted, as_written, slice_by_fraction, words_of_interpreter, beyond_127_bits, small_letters, unprintable]


def name_of(call, real, ours, states):
    """The name of the difference, or None. `states`: what has changed there and here, if that differs."""
    for known in KNOWN:
        if known(call, real, ours, states):
            return known.__name__
    return None
