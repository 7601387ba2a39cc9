#!/usr/bin/env bash
# All benchmarks of the main path in one run, one JSON line each. Needs the shared data.
set -euo pipefail
cd "$(dirname "$0")/.."
data=${LEDGERGATE_DATA:-../shared}/data
bin=build/release
[ -d "$data/tau2" ] || { echo "bench: there is no shared data at $data" >&2; exit 2; }

bench_gate=$(find $bin -type f -name bench_gate -perm -u+x | head -n 1)
bench_session=$(find $bin -type f -name bench_session -perm -u+x | head -n 1)
bench_turns=$(find $bin -type f -name bench_turns -perm -u+x | head -n 1)
bench_world=$(find $bin -type f -name bench_world -perm -u+x | head -n 1)
bench_simulate=$(find $bin -type f -name bench_simulate -perm -u+x | head -n 1)
bench_import=$(find $bin -type f -name bench_import -perm -u+x | head -n 1)
for domain in retail airline telecom; do
    "$bench_gate" packs/$domain "$data/tau2/$domain/gold_traces.jsonl"
done
"$bench_gate"
retail=$data/tau2/retail
"$bench_session" packs/retail "$retail/gold_traces.jsonl"
"$bench_turns"
"$bench_world" packs/retail "$retail/db.json" "$retail/gold_traces.jsonl" 2000
"$bench_simulate" packs/retail "$retail/db.json" "$retail/gold_traces.jsonl" 20000
# A larger state (3.1 MB), and few calls: whoever cancels twice is paid back twice of twice as much, and so on.
"$bench_simulate" packs/airline "$data/tau2/airline/db.json" "$data/tau2/airline/gold_traces.jsonl" 500
mapfile -t files < <(find "$data/traces" -name '*.json' -o -name '*.jsonl' | sort)
"$bench_import" "${files[@]}"
exec python3 bench/whole_process.py "$data"
