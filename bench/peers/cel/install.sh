#!/usr/bin/env bash
# Installs and builds the other implementations of CEL in build/peers/cel, and nowhere else. Needs
# node, python3, go and cargo; what a missing one would have built is said and left out.
#
# The versions are pinned in package.json, requirements.txt, go.mod and rust/Cargo.toml. cargo works on
# a copy, so that its lock file, which would name a host, stays out of this folder.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
to=$(cd "$here/../../.." && pwd)/build/peers/cel
mkdir -p "$to/bin"
"$here/../install.sh" cel
if command -v go >/dev/null; then
    for name in go differential; do
        (cd "$here" && go build -o "$to/bin/cel-$name" "./$name")
    done
else
    echo "peers: cel-go is left out: there is no go" >&2
fi
if command -v cargo >/dev/null; then
    mkdir -p "$to/rust/src"
    cp "$here/rust/Cargo.toml" "$to/rust/"
    cp "$here"/rust/src/*.rs "$to/rust/src/"
    (cd "$to/rust" && cargo build --quiet --release)
    cp "$to/rust/target/release/cel-rust" "$to/bin/"
else
    echo "peers: the crate cel is left out: there is no cargo" >&2
fi
