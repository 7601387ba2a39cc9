#!/usr/bin/env bash
# Installs the clients of `make check-peers` into build/peers-clients, and nowhere else: requirements.txt into `venv`,
# requirements-NAME.txt into `venv-NAME`, package-lock.json into `node_modules`, all with hashes. Does nothing where that was
# done already.
#
# What cannot be had is said; run.py counts its clients as skipped. Exit codes: 0 all are there, 1 some are not.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
to=$(cd "$here/../.." && pwd)/build/peers-clients

# from_pypi LIST VENV [OPTION...]: what LIST names into VENV.
from_pypi() {
    local list=$1 venv=$to/$2
    shift 2
    cmp -s "$here/$list" "$to/$list" && return
    rm -rf "$venv" "${to:?}/$list"
    python3 -m venv "$venv" || { echo "peers: python3 makes no virtual environment" >&2 && return 1; }
    if ! "$venv/bin/pip" install --quiet --disable-pip-version-check --require-hashes "$@" -r "$here/$list"; then
        rm -rf "$venv"
        echo "peers: pip cannot install what $list names" >&2
        return 1
    fi
    cp "$here/$list" "$to/$list"
}

# PyPI has Spark as a source archive alone: Python around the same jars.
spark() {
    command -v java >/dev/null || { echo "peers: there is no java" >&2 && return 1; }
    from_pypi requirements-spark.txt venv-spark
}

from_npm() {
    cmp -s "$here/package-lock.json" "$to/installed.json" && return
    command -v npm >/dev/null || { echo "peers: there is no npm" >&2 && return 1; }
    rm -rf "$to/node_modules" "$to/installed.json"
    cp "$here/package.json" "$here/package-lock.json" "$to/"
    npm ci --prefix "$to" --no-audit --no-fund --ignore-scripts --loglevel=error ||
        { echo "peers: npm cannot install what package-lock.json names" >&2 && return 1; }
    cp "$here/package-lock.json" "$to/installed.json"
}

mkdir -p "$to"
all=0
from_pypi requirements.txt venv --only-binary :all: || all=1
spark || all=1
from_pypi requirements-mcp.txt venv-mcp --only-binary :all: || all=1
from_pypi requirements-rest.txt venv-rest --only-binary :all: || all=1
from_npm || all=1
[ $all -eq 0 ] && echo "peers: the clients are in build/peers-clients"
exit $all
