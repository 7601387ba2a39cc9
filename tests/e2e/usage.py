"""Verbs and options: help, mistakes in them, and suggestions."""

import _run
from _run import CONVERSATION, RETAIL, check

VERBS = ("check", "show", "replay", "apply", "prove", "tools", "validate", "cel", "log", "stats", "serve", "doctor")
VERBS = ("check", "show", "replay", "convert", "apply", "prove", "tools", "validate", "cel", "log", "serve", "doctor")
VERBS = ("check", "show", "replay", "convert", "apply", "prove", "tools", "validate", "cel", "log", "stats", "serve", "doctor")
VERBS = ("check", "show", "replay", "extract", "convert", "apply", "prove", "tools", "validate", "cel", "log", "refine", "serve", "simulate", "doctor")

# (sentence, arguments, first line of standard error)
MISTAKES = [
    ("an unknown verb, with the one that was meant", ("chekc",), "ledgergate: no verb is called `chekc`; did you mean `check`?"),
    ("an unknown verb that is like no other", ("frobnicate",), "ledgergate: no verb is called `frobnicate`"),
    ("an option before the verb", ("--pack", RETAIL), "ledgergate: no verb is called `--pack`"),
    ("an empty verb", ("",), "ledgergate: no verb is called ``"),
    ("no argument", (), "ledgergate: a gate between a language-model agent and its tools"),
    (
        "an unknown option, with the one that was meant", ("replay", "--pcak", RETAIL, CONVERSATION),
        "ledgergate replay: unknown option --pcak; did you mean --pack?",
    ),
    ("an unknown option that is like no other", ("check", "--frobnicate", RETAIL), "ledgergate check: unknown option --frobnicate"),
    ("a short option", ("replay", "--pack", RETAIL, "-q", CONVERSATION), "ledgergate replay: unknown option -q"),
    ("an option of another verb", ("check", RETAIL, "--events"), "ledgergate check: unknown option --events"),
    ("an option without its value", ("replay", CONVERSATION, "--pack"), "ledgergate replay: --pack needs a value"),
    ("a value for a flag", ("check", "--json=yes", RETAIL), "ledgergate check: --json takes no value"),
    ("a replay without a pack", ("replay", CONVERSATION), "ledgergate replay: say which pack to judge by: --pack PACK"),
    ("a replay without recordings", ("replay", "--pack", RETAIL), "ledgergate replay: give at least one recording"),
    ("a check of nothing", ("check",), "ledgergate check: give one pack"),
    ("a check of two packs", ("check", RETAIL, RETAIL), "ledgergate check: give one pack"),
    ("a show of nothing", ("show",), "ledgergate show: give a pack or recordings"),
]


def mistakes(folder):
    for sentence, args, message in MISTAKES:
        folder.refuses(sentence, args, message)
        _, _, err = folder.run(*args)
        check("--help` tells" in err, f"{sentence}: it says where help is", err)


def help_is_help(folder):
    for args in (("--help",), ("-h",), ("help",)):
        code, out, err = folder.run(*args)
        check(code == 0 and err == "", f"{args}: exit code 0", f"{code}\n{err}")
        for verb in VERBS:
            check(f"  {verb} " in out, f"{args}: names {verb}", out)
    for verb in VERBS:
        for args in ((verb, "--help"), (verb, "-h"), (verb, "--frobnicate", "--help")):
            code, out, err = folder.run(*args)
            check(code == 0 and err == "", f"{args}: exit code 0", f"{code}\n{err}")
            check(out.startswith(f"usage: ledgergate {verb}"), f"{args}: begins with the usage", out)
            check("Exit codes:" in out, f"{args}: tells the exit codes", out)
            check(all(len(line) <= 100 for line in out.splitlines()), f"{args}: fits a terminal", out)
    code, out, _ = folder.run("--version")
    check(code == 0 and out.startswith("ledgergate ") and out.count("\n") == 1, "--version", out)


def options_stand_anywhere(folder):
    same = [
        ("replay", "--pack", RETAIL, "--quiet", CONVERSATION),
        ("replay", CONVERSATION, "--quiet", f"--pack={RETAIL}"),
        ("replay", "--quiet", f"--pack={RETAIL}", "--", CONVERSATION),
    ]
    outputs = {folder.run(*args)[:2] for args in same}
    check(len(outputs) == 1 and {code for code, _ in outputs} == {1}, "the order of options does not matter", outputs)
    folder.refuses("after -- all words are files", ("replay", "--pack", RETAIL, "--", "--quiet"), "ledgergate: cannot read --quiet: No such file or directory")


with _run.Folder() as temporary:
    for test in (mistakes, help_is_help, options_stand_anywhere):
        test(temporary)
_run.done()
