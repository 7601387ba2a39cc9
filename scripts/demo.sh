#!/usr/bin/env bash
# The main job on real input: two recorded conversations of our own, with the ledger as it grows,
# and then, where the shared data lies beside the checkout, the gold conversations of three domains;
# last, what is proved of a pack.
set -euo pipefail
cd "$(dirname "$0")/.."
gate=build/ledgergate
data=${LEDGERGATE_DATA:-../shared}/data/tau2

bold='' plain=''
if [ -t 1 ]; then
    bold=$'\033[1m' plain=$'\033[0m'
fi
say() { printf '\n%s%s%s\n' "$bold" "$*" "$plain"; }
run() {
    local code=0
    printf '$ %s\n' "$*"
    "$@" || code=$?
    # 1 means that calls were refused, which is what is to be seen here.
    if [ "$code" -gt 1 ]; then
        exit "$code"
    fi
}

say "1. A cancellation that no rule permits: blocked, although the customer insists"
run $gate replay --pack packs/airline --reads --ledger examples/conversations/airline-cancel-blocked.json

say "2. A refund to the wrong card: to be revised; then, to the gift card: allowed"
run $gate replay --pack packs/retail --reads --ledger examples/conversations/retail-refund-revised.json

prove() {
    say "$1. What is proved of a pack, in states of any size: a file system that no allowed call breaks"
    run $gate prove examples/repository
}

if [ ! -d "$data" ]; then
    say "3. Gold conversations: skipped, there is no shared data at $data"
    prove 4
    exit 0
fi
say "3. The gold conversations: every call that the benchmark expects, judged"
for domain in airline retail telecom telehealth; do
    run $gate replay --pack packs/$domain --quiet "$data/$domain/gold_traces.jsonl"
done
say "4. And calls that break one clause of the policy each: all are to be refused"
for domain in airline retail telecom; do
    run $gate replay --pack packs/$domain --quiet --probe "$data/$domain/violating_calls.jsonl" \
        "$data/$domain/gold_traces.jsonl"
done
say "5. What the tools do, as the packs say it: the recorded states and results are reached"
for domain in airline retail telecom; do
    state=$data/$domain/db.json
    [ "$domain" = telecom ] && state=$data/$domain/initial_states.jsonl
    run $gate apply --pack packs/$domain --state "$state" --check "$data/$domain/gold_traces.jsonl" |
        sed -n '1p; / of [0-9]* /p'
done
prove 6
