"""ledgergate stats: each figure against one that is computed here in the plainest way, and divided runs against whole ones."""

import itertools
import json
import math
import os
import random
import resource
import sys

import _run
from _run import check

sys.path.insert(0, os.path.join(_run.SOURCE, "tests", "support"))
import audit_results  # noqa: E402

RESULTS = audit_results.results(1440)
SCORES = ("outcome", "aggregate", "aggregate_once", "process", "output", "argument")


def stats(folder, *args, codes=(0,)):
    code, out, err = folder.run("stats", "--json", *args)
    check(code in codes, f"stats {' '.join(args)[:200]}: exit code {codes}", f"{code}\n{err}")
    return json.loads(out) if out else {}


def near(got, want, what):
    both_absent = got is None and want is None
    ok = both_absent or (got is not None and want is not None and math.isclose(got, want, rel_tol=1e-9, abs_tol=1e-9))
    check(ok, what, f"got {got}, want {want}")


# --- ROC ------------------------------------------------------------------------------------------


def auc(pairs):
    """Of (score, passed): how often the one that passed has the higher score."""
    passed, failed = [s for s, ok in pairs if ok], [s for s, ok in pairs if not ok]
    if not passed or not failed:
        return None
    return sum((a > b) + 0.5 * (a == b) for a in passed for b in failed) / len(passed) / len(failed)


def score_of(result, name):
    if name in result["scores"]:
        return result["scores"][name]
    return next((e["score"] for e in result["evaluators"] if e["name"] == name), None)


def by(rows, key):
    groups = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups


def group_of(result):
    return result["domain"], result["model"]


def areas(got, rows, value, name):
    """rows: results with a reward; value: of a result, or None."""
    rows = [r for r in rows if value(r) is not None]
    pairs = lambda some: [(value(r), r["reward"] >= 1) for r in some]
    near(got["overall"]["auc"], auc(pairs(rows)), f"{name}: overall")
    check(got["overall"]["n"] == len(rows), f"{name}: n", got["overall"])
    check(got["overall"]["positives"] == sum(r["reward"] for r in rows), f"{name}: positives")
    for key, where in (("domain", "by_domain"), ("model", "by_model")):
        groups = by(rows, lambda r: r[key])
        check(set(got[where]) == set(groups), f"{name}: {where}", list(got[where]))
        for group, some in groups.items():
            near(got[where][group]["auc"], auc(pairs(some)), f"{name}: {group}")
    within = []
    for some in by(rows, group_of).values():
        passed = sum(r["reward"] for r in some)
        if passed >= 5 and len(some) - passed >= 5:
            within.append(auc(pairs(some)))
    near(got["within_groups"]["auc"], sum(within) / len(within), f"{name}: within groups")
    check(got["within_groups"]["groups"] == len(within), f"{name}: groups")
    for part in ("overall", "within_groups"):
        check(got[part]["low"] <= got[part]["auc"] <= got[part]["high"], f"{name}: the interval of {part}", got[part])


def curves(got, rows, name):
    pairs = sorted(((score_of(r, name), r["reward"]) for r in rows if score_of(r, name) is not None), reverse=True)
    positives, seen, precision = sum(p for _, p in pairs), 0, 0.0
    for score, some in itertools.groupby(enumerate(pairs), lambda p: p[1][0]):
        some = list(some)
        new = sum(p for _, (_, p) in some)
        seen += new
        precision += new / positives * seen / (some[-1][0] + 1)
    near(got["average_precision"], precision, f"{name}: average precision")
    check(got["roc"][0] == [0, 0] and got["roc"][-1] == [1, 1], f"{name}: the curve goes from corner to corner", got["roc"])
    check(len(got["roc"]) <= 63, f"{name}: a bounded number of points", len(got["roc"]))
    check(got["roc"] == sorted(got["roc"]), f"{name}: the curve rises", got["roc"])


def roc(got):
    rows = [r for r in RESULTS if r["reward"] is not None]
    for name in SCORES:
        areas(got["roc_auc"] if name == "outcome" else got["scores"][name], rows, lambda r: score_of(r, name), name)
        curves(got["curves"][name], rows, name)
    rates = {g: sum(r["reward"] for r in some) / len(some) for g, some in by(rows, group_of).items()}
    areas(got["scores"]["base_rate"], rows, lambda r: rates[group_of(r)], "base_rate")
    near(got["scores"]["base_rate"]["within_groups"]["auc"], 0.5, "within groups the base rate tells nothing")

    # Telecom has one customer for all: there the tasks are what is left out.
    cluster = lambda r: r["task"] if r["domain"] == "telecom" else r["customer"]
    held = {}
    for group, some in by(rows, group_of).items():
        for name in {cluster(r) for r in some}:
            others = [r["reward"] for r in some if cluster(r) != name]
            held[group, name] = sum(others) / len(others)
    got = got["scores"]["base_rate_held_out"]
    near(got["overall"]["auc"], auc([(held[group_of(r), cluster(r)], r["reward"]) for r in rows]), "base_rate_held_out")
    check(got["within_groups"]["auc"] is None and got["within_groups"]["why"], "and none within groups", got["within_groups"])


# --- pass^k and others ------------------------------------------------------------------------------


def pass_k(got, rows, name):
    groups = by([r for r in rows if r["reward"] is not None], group_of)
    check(len(got) == len(groups), f"{name}: groups", len(got))
    for entry in got:
        tasks = by(groups[entry["domain"], entry["model"]], lambda r: r["task"])
        least = min(map(len, tasks.values()))
        check(entry["least_runs"] == least and len(entry["pass"]) == least, f"{name}: k up to the least runs", entry)
        for one in entry["pass"]:
            k, shares = one["k"], []
            for runs in tasks.values():
                draws = list(itertools.combinations([r["reward"] for r in runs], k))
                shares.append(sum(all(d) for d in draws) / len(draws))
            near(one["value"], sum(shares) / len(shares), f"{name}: pass^{k}")


def needs_write(results):
    needed = {}
    for key, runs in by(results, lambda r: (r["domain"], r["task"])).items():
        passed = [r for r in runs if r["reward"] == 1]
        wrong = [r for r in runs if r["counts"]["carried_out"] == 0 and r["checks"] and r["checks"]["db"] < 1]
        needed[key] = any(r["counts"]["carried_out"] for r in passed) if passed else bool(wrong)
    return needed


def counts(got):
    failed = [r for r in RESULTS if r["reward"] == 0]
    thought = [r for r in RESULTS if r["reward"] is None and r["scores"]["outcome"] < 0.5]
    for key, rows in (("by_reward", failed), ("by_outcome", thought)):
        classes = {c["class"]: c for c in got["failures"][key]["classes"]}
        near(sum(c["percent"] for c in classes.values()), 100, f"failures {key} sum to 100 %")
        for name, some in by(rows, lambda r: r["class"] or "unclassified").items():
            check(classes.get(name, {}).get("n") == len(some), f"failures {key}: {name}", classes)
    composites = [50 * sum(r["checks"].values()) for r in RESULTS if r["checks"]]
    near(got["composite"]["mean"], sum(composites) / len(composites), "the composite")
    group = got["by_group"][0]
    rows = by(RESULTS, group_of)[group["domain"], group["model"]]
    near(group["scores"]["outcome"]["mean"], sum(r["scores"]["outcome"] for r in rows) / len(rows), "the mean of a group")


def violations(got):
    passed = [r for r in RESULTS if r["reward"] == 1]
    for kind in got["violations"]["kinds"]:
        has = lambda r: any(f["kind"] == kind["kind"] for f in r["findings"])
        check(kind["conversations"] == sum(map(has, RESULTS)), f"{kind['kind']}: conversations", kind)
        check(kind["passed"] == sum(map(has, passed)), f"{kind['kind']}: of those that passed", kind)
        for part in kind["by_group"]:
            rows = by(RESULTS, group_of)[part["domain"], part["model"]]
            near(part["share"], sum(map(has, rows)) / len(rows), f"{kind['kind']}: the share of a group")
    order = [("severe", "moderate", "minor", "hint").index(k["severity"]) for k in got["violations"]["kinds"]]
    check(order == sorted(order), "the most severe kinds come first", order)
    found = sum(any(f["severity"] != "hint" for f in r["findings"]) for r in passed)
    check(got["violations"]["passed_with_finding"]["with_finding"] == found, "passed with a finding that is no hint")


def comparisons(got):
    rows = by([r for r in RESULTS if r["reward"] is not None], lambda r: (r["domain"], r["task"], r["model"]))
    means = {key: sum(r["reward"] for r in runs) / len(runs) for key, runs in rows.items()}
    tried = [c for c in got["comparisons"] if c["measure"] == "pass_rate" and c["domain"] is None]
    check(len(tried) == 6, "every pair of models", len(tried))
    for c in tried:
        tasks = [key[:2] for key in means if key[2] == c["a"] and (*key[:2], c["b"]) in means]
        near(c["difference"], sum(means[(*t, c["a"])] - means[(*t, c["b"])] for t in tasks) / len(tasks), "a difference")
        check(c["low"] <= c["difference"] <= c["high"], "the interval of a difference", c)
    highest = 0
    for i, c in enumerate(sorted(tried, key=lambda c: c["p"])):
        highest = max(highest, min(1, c["p"] * (len(tried) - i)))
        near(c["p_holm"], highest, "Holm's correction")


def runs(got):
    rows = by(RESULTS, lambda r: (r["domain"], r["task"]))
    others = {}
    for some in rows.values():
        total = sum(r["scores"]["outcome"] for r in some)
        for r in some:
            others[r["id"]] = (total - r["scores"]["outcome"]) / (len(some) - 1)
    rewarded = [r for r in RESULTS if r["reward"] is not None]
    got = got["roc_auc_runs"]["outcome"]
    areas(got["own"], rewarded, lambda r: r["scores"]["outcome"], "runs: own")
    for name, sign in (("blend", 1), ("difference", -1)):
        value = lambda r: round(r["scores"]["outcome"] + sign * others[r["id"]], 8)
        areas(got[name], rewarded, value, f"runs: {name}")
    tasks = by(rewarded, lambda r: (r["domain"], r["task"])).values()
    within = [auc([(r["scores"]["outcome"], r["reward"]) for r in some]) for some in tasks]
    within = [a for a in within if a is not None]
    near(got["within_tasks"]["auc"], sum(within) / len(within), "runs: within tasks")


def figures(folder):
    folder.write("all/results.jsonl", audit_results.lines(RESULTS) + '{"summary": {}}\n')
    got = stats(folder, "--runs", "all")
    check(got["results"] == len(RESULTS) and got["input"]["other_lines"] == 1, "all are counted", got["input"])
    for part in (roc, counts, violations, comparisons, runs):
        part(got)
    pass_k(got["pass_k"], RESULTS, "pass^k")
    needed = needs_write(RESULTS)
    only = stats(folder, "--writes-only", "all")
    pass_k(only["pass_k"], [r for r in RESULTS if needed[r["domain"], r["task"]]], "writes only")
    check(only["writes_only"]["tasks"] == sum(needed.values()), "tasks that need a write", only["writes_only"])
    code, out, _ = folder.run("stats", "--runs", "--writes-only", "--compare", "all", "all")
    check(code == 0 and "ROC-AUC against the reward" in out and "pass^k" in out, "for people", out[:500])
    check(all(len(line) < 140 and line == line.rstrip() for line in out.splitlines()), "its lines", max(out.splitlines(), key=len))


# --- Files ------------------------------------------------------------------------------------------


def divided(folder):
    """Of any division, in any order, the same bytes."""
    dice = random.Random(7)
    parts = [[] for _ in range(7)]
    for result in dice.sample(RESULTS, len(RESULTS)):
        dice.choice(parts).append(result)
    names = [folder.write(f"part-{i}.jsonl", audit_results.lines(p).rstrip("\n")) for i, p in enumerate(parts)]
    whole = stats(folder, "all/results.jsonl", "--runs", "--writes-only", "--compare", "all")
    merged = stats(folder, *names, "--runs", "--writes-only", "--compare", "all")
    for got in (whole, merged):
        del got["input"]
    check(whole == merged, "the parts together are the whole")
    code, out, _ = folder.run("stats", "-", "--json", stdin=audit_results.lines(RESULTS).encode())
    check(code == 0 and json.loads(out)["roc_auc"] == whole["roc_auc"], "standard input")


def twice(folder):
    got = stats(folder, "all", "part-0.jsonl")
    check(got["results"] == len(RESULTS), "a result that comes twice counts once", got["results"])
    count = sum(1 for _ in open(os.path.join(folder.path, "part-0.jsonl"), encoding="utf-8"))
    check(got["duplicates"] == count == got["input"]["duplicates"], "and is counted as such", got["input"])
    check(got["input"]["named_duplicates"][0]["line"] == 1, "and named", got["input"]["named_duplicates"][:1])
    code, _, err = folder.run("stats", "all", "part-0.jsonl")
    check(code == 0 and "part-0.jsonl:1: result " in err and "is there already" in err, "and said", err[:300])


BAD = [
    ("{", "unexpected"), ("[]", "no result"), ('{"id": "x"}', "no result"), ('"text"', "no result"),
    ('{"id": "b1", "scores": {"outcome": "high"}}', "`outcome` of a result is no number"),
    ('{"id": "b2", "scores": {}, "reward": true}', "`reward` of a result is no number"),
    ('{"id": "b3", "scores": {}, "model": 3}', "`model` of a result is no text"),
    ('{"id": "b4", "scores": {}, "findings": {}}', "`findings` of a result is no list"),
    ('{"id": "b5", "scores": {}, "findings": [{"kind": "k", "severity": "bad"}]}', "severity is none of"),
    ('{"id": "b6", "scores": {}, "version": 2}', "`version` of a result is not 1"),
    ('{"id": "b7", "scores": {}, "trial": -1}', "`trial` of a result is no number from 0"),
    ('{"id": "b8", "scores": {}, "evaluators": [{"name": "outcome", "score": 1}]}', "with the name of a score"),
    ('{"id": "b9", "scores": {}, "checks": {"db": "yes"}}', "`checks` of a result is no number"),
]


def bad_lines(folder):
    good = {"id": "g", "scores": {"outcome": 0.5}}
    folder.write("bad.jsonl", "".join(line + "\n" for line, _ in BAD) + json.dumps(good) + "\n\n")
    got = stats(folder, "bad.jsonl", codes=(2,))
    check(got["results"] == 1 and got["input"]["bad_lines"] == len(BAD), "bad lines are counted, the rest is done", got["input"])
    for number, ((line, why), problem) in enumerate(zip(BAD, got["input"]["problems"]), 1):
        check(problem["line"] == number, f"{line}: its line", problem)
        check(why in problem["message"] or why == "unexpected", f"{line}: its message", problem)
    code, out, err = folder.run("stats", "bad.jsonl", partial=True)
    check(code == 2 and out and "bad.jsonl:1:" in err, "bad lines are named", err)
    folder.refuses("no results", ("stats", folder.write("none.jsonl", '{"summary": {}}\n')), "ledgergate: there are no results in none.jsonl")
    folder.refuses("no file", ("stats", "absent.jsonl"), "ledgergate: cannot read absent.jsonl: No such file or directory")
    os.makedirs(os.path.join(folder.path, "empty"), exist_ok=True)
    folder.refuses("an empty folder", ("stats", "empty"), "ledgergate: there is no results.jsonl in empty")
    folder.refuses("nothing", ("stats",), "ledgergate stats: give at least one audit: a folder or its results.jsonl")
    long = folder.write("long.jsonl", json.dumps({**good, "file": "x" * 5000}) + "\n" + json.dumps({**good, "id": "h"}) + "\n")
    got = stats(folder, "--max-bytes", "1000", long, codes=(2,))
    check(got["results"] == 1 and "longer than 1000" in got["input"]["problems"][0]["message"], "a long line", got["input"])


def absent(folder):
    """Nothing is divided by nothing, and what is not there is null and says why."""
    empty = {"scores": {}, "evaluators": []}
    cases = {
        "one": [{"id": "1", **empty}],
        "bare": [{"id": str(i), **empty} for i in range(5)],
        "all passed": [{"id": str(i), "scores": {"outcome": i / 9}, "reward": 1, "task": str(i)} for i in range(9)],
        "one cluster": [{"id": str(i), "scores": {"outcome": i / 9}, "reward": i % 2, "task": "1"} for i in range(9)],
        "no model": [{"id": str(i), "scores": {"outcome": 1}, "reward": i % 2, "domain": str(i)} for i in range(9)],
    }
    for name, rows in cases.items():
        path = folder.write(name.replace(" ", "-") + ".jsonl", audit_results.lines(rows))
        got = stats(folder, "--runs", "--writes-only", "--compare", path, path)
        check(got["results"] == len(rows), f"{name}: results", got["results"])
        code, _, err = folder.run("stats", "--runs", "--writes-only", "--compare", path, path)
        check(code == 0, f"{name}: for people", err)
        overall = got["roc_auc"]["overall"]
        if name in ("one", "bare", "all passed"):
            check(overall["auc"] is None and overall["why"], f"{name}: no area, and why", overall)
        if name == "one cluster":
            near(overall["auc"], 0.5, f"{name}: an area")
            check(overall["low"] is None and overall["why_no_interval"], f"{name}: no interval, and why", overall)


def trend(folder):
    changed = [{**r, "scores": {**r["scores"], "outcome": r["scores"]["outcome"] + 0.1}} for r in RESULTS]
    changed = [{**r, "findings": [f for f in r["findings"] if f["kind"] != "several_calls"]} for r in changed]
    folder.write("later/results.jsonl", audit_results.lines(changed))
    got = stats(folder, "later", "--compare", "all")["trend"]
    check(got["paired_by"] == "conversation" and got["paired"] == len(RESULTS), "paired by conversation", got["paired"])
    near(got["measures"]["outcome"]["difference"], 0.1, "the difference of a score")
    near(got["measures"]["process"]["difference"], 0, "a score that is the same")
    gone = next(k for k in got["kinds"] if k["kind"] == "several_calls")
    check(gone["after"]["conversations"] == 0 and gone["before"]["conversations"] > 0, "a kind that is gone", gone)
    others = [{**r, "id": "n" + r["id"]} for r in changed]
    folder.write("others/results.jsonl", audit_results.lines(others))
    got = stats(folder, "others", "--compare", "all")["trend"]
    check(got["paired_by"] == "model_and_task" and got["paired"] == 360, "paired by model and task", got["paired"])
    near(got["measures"]["outcome"]["difference"], 0.1, "likewise")
    folder.write("renamed/results.jsonl", audit_results.lines([{**r, "model": "new " + r["model"]} for r in others]))
    got = stats(folder, "renamed", "--compare", "all")["trend"]
    check(got["paired_by"] == "task" and got["paired"] == 90, "paired by task", got["paired"])


def many(folder):
    """100,000 results: in seconds, and in memory of rows, not of lines."""
    rows = audit_results.results(100000 if not _run.is_sanitized() else 4000, tasks=2000)
    path = folder.write("many.jsonl", audit_results.lines(rows))
    began = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    got = stats(folder, path)
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - began
    print(f"{len(rows)} results in {seconds:.1f} s of a processor")
    check(got["results"] == len(rows), "all of many are counted", got["results"])
    check(seconds < 15, "many take seconds", seconds)  # two to three, but for a machine that is busy or slow


with _run.Folder() as temporary:
    for test in (figures, divided, twice, bad_lines, absent, trend, many):
        test(temporary)
_run.done()
