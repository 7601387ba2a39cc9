"""What refusals say, on the calls that break the policies: what decided, each read once, and no choice.

Needs the shared data ($LEDGERGATE_DATA, else ../shared beside the source).
"""

import json
import os
import re
import subprocess
import sys

import _run
from _run import BIN, SOURCE, check

DATA = os.environ.get("LEDGERGATE_DATA") or os.path.join(SOURCE, "..", "shared")
# Rules about whose a record is, and what their messages must not name.
ALONE = {"airline_acting_user_observed", "airline_reservation_owner", "retail_user_authenticated", "retail_order_owner",
         "retail_profile_owner", "retail_one_customer", "telecom_line_owner", "telecom_bill_owner",
         "telecom_customer_identified"}
# What identifies: only for these another value may be offered.
OFFERED = re.compile(r"args\.(payment_id|payment_method_id|payment_methods\[\d+\]\.payment_id)$")
# What a message of the rule says, beside that it is refused.
SAYS = {
    "airline_book_total_matches": r"(They sum to \d+, the price is \d+: \d+ (more|less) is to be paid|With nonfree_baggages \d+ they do)\.",
    "airline_update_gift_card_balance": r"It holds \d+; the difference is \d+",
    "airline_book_baggage_fee": r"nonfree_baggages must be \d+, not \d+",
    "airline_departed_segment_status_known": r'get_flight_status\(flight_number: "\w+", date: "[\d-]+"\)',
    "airline_book_seats_available": r"\w+ on [\d-]+ has \d+",
    "airline_book_payment_in_profile": r"is not in the profile of \w+: \w+\. There are: ",
    "retail_new_item_available": r"not available: \d{10} for \d{10}\..*Available variants of ",
    "retail_new_item_same_product": r"not a variant of the same product: \w+ for \d{10}\.|Evidence is missing",
    "retail_items_in_order": r"\): \w+(, \w+)*\. The order holds \d{10}|Evidence is missing",
    "retail_gift_card_covers_difference": r"It holds \d+\.\d\d; the difference is \d+\.\d\d",
    "telecom_resume_bills_observed": r'get_details_by_id\(id: "B\d+"\)',
    "telecom_line_matches_phone": r"The number given is .*; its line is L\d+\.",
}


def probes(domain):
    folder = os.path.join(DATA, "data", "tau2", domain)
    run = subprocess.run(
        [BIN, "replay", "--json", "--all", "--pack", os.path.join(SOURCE, "packs", domain), "--probe",
         os.path.join(folder, "violating_calls.jsonl"), os.path.join(folder, "gold_traces.jsonl")],
        capture_output=True, timeout=120, check=False)
    with open(os.path.join(folder, "violating_calls.jsonl"), encoding="utf-8") as file:
        asked = [json.loads(line) for line in file]
    lines = [json.loads(line) for line in run.stdout.splitlines()]
    return [(asked[line["probe"] - 1], line["decision"]) for line in lines if "probe" in line]


def each_read_once(where, decision):
    calls = re.findall(r"^Call (.*) first, then try again\.$", decision["message"], re.M)
    check(len(calls) <= 1, f"{where}: the reads stand in one line", decision["message"])
    reads = re.findall(r"\w+\([^)]*\)", calls[0]) if calls else []
    check(len(reads) == len(set(reads)), f"{where}: each read is named once", reads)
    return reads


def plain(text):
    return " ".join(text.replace("*", "").split()).lower()


def quotes(domain):
    """`because` quotes the policy, or says which other text."""
    with open(os.path.join(SOURCE, "packs", domain, "pack.yaml"), encoding="utf-8") as file:
        reasons = re.findall(r"^ +because: (?:>-\n((?: {6,}.*\n)+)|(.*)\n)", file.read(), re.M)
    with open(os.path.join(DATA, "data", "tau2", domain, "policy.md"), encoding="utf-8") as file:
        policy = plain(file.read())
    found = 0
    for folded, line in reasons:
        source, _, quote = (folded or line).strip().strip('"').partition(": ")
        check(source in (f"{domain} policy", "tool description", f"{domain} manual"), f"{domain}: what is quoted", source)
        if source == f"{domain} policy":
            found += 1
            for part in quote.split("..."):
                check(plain(part).strip(" .") in policy, f"{domain}: stands in the policy", part)
    return found


def main():
    if not os.path.exists(os.path.join(DATA, "data", "tau2", "airline", "gold_traces.jsonl")):
        print("skipped: words (no shared data)")
        sys.exit(77)
    said = set()
    named = alone = hidden = 0
    for domain in ("airline", "retail", "telecom"):
        for probe, decision in probes(domain):
            where = f"{domain}, {probe['mutation']}"
            message, args = decision["message"], probe["call"]["arguments"]
            for read in each_read_once(where, decision):
                named += 1
                check(not re.search(r'order_id: "(?!#W\d{7}")', read), f"{where}: no read of a refused form", read)
                unknown = re.findall(r"(\w+): \.\.\.", read)
                check(not any(name in args for name in unknown), f"{where}: an argument of the call is known", read)
            check("policy: " + domain not in message.replace(f"[{domain} policy: ", ""), f"{where}: a policy is named once", message)
            for hint in decision["hints"]:
                check(OFFERED.match(hint["path"]), f"{where}: what is offered identifies", hint)
            violated = {f["rule"] for f in decision["findings"] if f["cause"] == "violated"}
            if violated & ALONE:
                alone += 1
                others = [f["message"] for f in decision["findings"] if f["rule"] not in violated & ALONE]
                hidden += len(others)
                check(not any(text in message for text in others), f"{where}: nothing else of the record is told", message)
                check(not decision["hints"], f"{where}: and nothing is offered", decision["hints"])
                owners = [e["value"].strip('"') for f in decision["findings"] for e in f["evidence"]
                          if re.match(r"ledger\.(reservations|orders).*\.user_id$", e["path"])]
                read = [e["value"].strip('"') for f in decision["findings"] for e in f["evidence"]
                        if e["path"] in ("ledger.user.user_id", "ledger.auth.user_id")]
                check(not any(owner in message for owner in owners if owner not in read),
                      f"{where}: no other customer is named", message)
                continue
            for rule in violated & SAYS.keys():
                said.add(rule)
                check(re.search(SAYS[rule], message), f"{where}: {rule} says what decided", message)
        check(quotes(domain) > 10, f"{domain}: there are quotes")
    check(said == SAYS.keys(), "all these rules were asked", SAYS.keys() - said)
    check(named > 50 and alone > 30 and hidden > 0, "there was something to look at", (named, alone, hidden))
    _run.done()


main()
