#!/usr/bin/env bash
# Installs the clients of `make check-peers` into build/peers-clients, and nowhere else: requirements.txt into `venv`,
# requirements-spark.txt into `venv-spark`, requirements-mcp.txt into `venv-mcp`, requirements-rest.txt into `venv-rest`,
# package-lock.json into `node_modules`, all with hashes. Does nothing where that was done already.
#
# What cannot be had is said; run.py counts its clients as skipped. Exit codes: 0 all are there, 1 some are not.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
to=$(cd "$here/../.." && pwd)/build/peers-clients

from_pypi() {
    cmp -s "$here/requirements.txt" "$to/requirements.txt" && return
    rm -rf "$to/venv" "$to/requirements.txt"
    python3 -m venv "$to/venv" || { echo "peers: python3 makes no virtual environment" >&2 && return 1; }
    "$to/venv/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: --require-hashes \
        -r "$here/requirements.txt" || { echo "peers: pip cannot install what requirements.txt names" >&2 && return 1; }
    cp "$here/requirements.txt" "$to/requirements.txt"
}

# PyPI has Spark as a source archive alone: Python around the same jars.
spark() {
    cmp -s "$here/requirements-spark.txt" "$to/requirements-spark.txt" && return
    command -v java >/dev/null || { echo "peers: there is no java" >&2 && return 1; }
    rm -rf "$to/venv-spark" "$to/requirements-spark.txt"
    python3 -m venv "$to/venv-spark" || { echo "peers: python3 makes no virtual environment" >&2 && return 1; }
    if ! "$to/venv-spark/bin/pip" install --quiet --disable-pip-version-check --require-hashes -r "$here/requirements-spark.txt"; then
        rm -rf "$to/venv-spark"
        echo "peers: pip cannot install what requirements-spark.txt names" >&2
        return 1
    fi
    cp "$here/requirements-spark.txt" "$to/requirements-spark.txt"
}

schemathesis() {
    cmp -s "$here/requirements-rest.txt" "$to/requirements-rest.txt" && return
    rm -rf "$to/venv-rest" "$to/requirements-rest.txt"
    python3 -m venv "$to/venv-rest" || { echo "peers: python3 makes no virtual environment" >&2 && return 1; }
    if ! "$to/venv-rest/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: --require-hashes \
        -r "$here/requirements-rest.txt"; then
        rm -rf "$to/venv-rest"
        echo "peers: pip cannot install what requirements-rest.txt names" >&2
        return 1
    fi
    cp "$here/requirements-rest.txt" "$to/requirements-rest.txt"
}

mcp() {
    cmp -s "$here/requirements-mcp.txt" "$to/requirements-mcp.txt" && return
    rm -rf "$to/venv-mcp" "$to/requirements-mcp.txt"
    python3 -m venv "$to/venv-mcp" || { echo "peers: python3 makes no virtual environment" >&2 && return 1; }
    "$to/venv-mcp/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: --require-hashes \
        -r "$here/requirements-mcp.txt" || { echo "peers: pip cannot install what requirements-mcp.txt names" >&2 && return 1; }
    cp "$here/requirements-mcp.txt" "$to/requirements-mcp.txt"
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
from_pypi
pypi=$?
spark
spark=$?
schemathesis
rest=$?
mcp
mcp=$?
from_npm && [ $pypi -eq 0 ] && [ $spark -eq 0 ] && [ $mcp -eq 0 ] && [ $rest -eq 0 ] &&
    echo "peers: the clients are in build/peers-clients"
