#!/usr/bin/env bash
# Installs the peers that we are compared with into build/peers, and nowhere else.
#
#     bench/peers/install.sh           all of them: runs NAME/install.sh where there is one
#     bench/peers/install.sh NAME...   the packages of npm and PyPI for these
#
# bench/peers/NAME/package.json goes to build/peers/NAME/node_modules, requirements.txt to the
# virtual environment build/peers/NAME/venv. Versions are pinned in those two files; no lock file is
# written, since it would name the host a package came from.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)

if [ $# -eq 0 ]; then
    for folder in "$here"/*/; do
        if [ -x "$folder/install.sh" ]; then
            "$folder/install.sh" # builds more, and comes back here with its name
        else
            set -- "$@" "$(basename "$folder")"
        fi
    done
fi
for name in "$@"; do
    from=$here/$name
    to=$root/build/peers/$name
    mkdir -p "$to"
    if [ -f "$from/package.json" ] && ! cmp -s "$from/package.json" "$to/package.json"; then
        cp "$from/package.json" "$to/package.json"
        # The copy stays only if npm succeeds: a failure is tried again.
        npm install --prefix "$to" --no-package-lock --no-audit --no-fund --ignore-scripts \
            --loglevel=error || { rm -f "$to/package.json" && exit 1; }
        cp "$from/package.json" "$to/package.json" # npm rewrites the file it is given
    fi
    if [ -f "$from/requirements.txt" ] && ! cmp -s "$from/requirements.txt" "$to/requirements.txt"; then
        python3 -m venv "$to/venv"
        "$to/venv/bin/pip" install --quiet --disable-pip-version-check -r "$from/requirements.txt"
        cp "$from/requirements.txt" "$to/requirements.txt"
    fi
    echo "peers: $name is in build/peers/$name"
done
