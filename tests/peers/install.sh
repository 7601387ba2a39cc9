#!/usr/bin/env bash
# Installs the clients of `make check-peers` into build/peers-clients, and nowhere else: requirements.txt into `venv`,
# package-lock.json into `node_modules`, both with hashes. Does nothing where that was done already.
#
# Exit codes: 0 they are there, 75 they could not be had (no registry, no Node).
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
to=$(cd "$here/../.." && pwd)/build/peers-clients
lacking() { echo "peers: $*" >&2; exit 75; }

mkdir -p "$to"
if ! cmp -s "$here/requirements.txt" "$to/requirements.txt"; then
    rm -rf "$to/venv" "$to/requirements.txt"
    python3 -m venv "$to/venv" || lacking "python3 makes no virtual environment: apt-get install python3-venv"
    "$to/venv/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: --require-hashes \
        -r "$here/requirements.txt" || lacking "pip could not install what requirements.txt names"
    cp "$here/requirements.txt" "$to/requirements.txt"
fi
if ! cmp -s "$here/package-lock.json" "$to/installed.json"; then
    command -v npm >/dev/null || lacking "npm is missing: apt-get install nodejs npm"
    rm -rf "$to/node_modules" "$to/installed.json"
    cp "$here/package.json" "$here/package-lock.json" "$to/"
    npm ci --prefix "$to" --no-audit --no-fund --ignore-scripts --loglevel=error ||
        lacking "npm could not install what package-lock.json names"
    cp "$here/package-lock.json" "$to/installed.json"
fi
echo "peers: the clients are in build/peers-clients"
