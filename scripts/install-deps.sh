#!/bin/sh
# Installs what LedgerGate needs on Debian 12: the one place that names packages.
#
# Usage: scripts/install-deps.sh [build] [test] [peers] [load]     (none: build and test)
#
# Asks dpkg first, and only fetches what is missing: with everything in place it takes a moment and
# touches neither the network nor the system. Works as root or through sudo.
set -eu

# group | package | reason
list() {
    cat <<'LIST'
build | cmake              | configures the build (CMakePresets.json)
build | ninja-build        | runs it
build | gcc                | compiles the release
build | libc6-dev          | headers of the C library
build | pkg-config         | finds the libraries
build | libyaml-dev        | room pack: reads policy packs
build | libpcre2-dev       | rooms schema and cel: regular expressions with hard limits
build | libsodium-dev      | room base: hashes and signatures
build | libmicrohttpd-dev  | room net: HTTP in
build | libcurl4-openssl-dev | room net: HTTP out
build | libsqlite3-dev     | room store: the log of decisions
build | zlib1g-dev         | room page: conversations in the HTML page are compressed
build | libz3-dev          | room symbolic: proofs about packs; loaded by `prove` alone, libz3-4 is enough to run it
build | tzdata             | room cel: time zones by name in rules
test  | python3            | runs the checks: structure tests, end-to-end tests, make check
test  | clang              | second compiler, and libFuzzer
test  | libclang-rt-14-dev | libFuzzer and the sanitizers for clang
test  | clang-format       | the format check
test  | libjansson-dev     | oracle: our JSON parser is compared with it
peers | nodejs             | runs the clients of npm: make check-peers
peers | npm                | installs them
peers | python3-venv       | installs those of PyPI
peers | openjdk-17-jre-headless | runs Spark, which runs us
peers | chromium           | opens the HTML page: tests/browser
load  | nginx-light        | make bench-load: a plain reverse proxy, beside which ours is measured
load  | python3-venv       | LiteLLM's proxy, likewise
load  | wrk                | make bench-simulate: asks both programs
LIST
}

groups="${*:-build test}"
for group in $groups; do
    case "$group" in
    build | test | peers | load) ;;
    *) echo "install-deps: unknown group '$group' (build, test, peers, load)" >&2 && exit 2 ;;
    esac
done

if ! command -v dpkg-query >/dev/null 2>&1; then
    echo "install-deps: this is no Debian; please see docs/dependencies.md for what is needed"
    exit 0
fi

# shellcheck disable=SC2086 # the groups are words
wanted() {
    for group in $groups; do
        list | sed -n "s/^$group *| *\([^ ]*\) *|.*/\1/p"
    done
}

packages=$(wanted)
missing=""
# shellcheck disable=SC2086
present=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' $packages 2>/dev/null || true)
for package in $packages; do
    # A program of its name may have come some other way: npm comes with many builds of Node.
    echo "$present" | grep -qx "$package installed" || command -v "$package" >/dev/null || missing="$missing $package"
done

if [ -z "$missing" ]; then
    echo "install-deps: everything for $groups is here"
    exit 0
fi

echo "install-deps: installing"
for package in $missing; do
    list | sed -n "s/^[a-z]* *| *$package *| */    $package: /p"
done

as_root=""
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null 2>&1; then
        echo "install-deps: neither root nor sudo; please run: apt-get install$missing" >&2
        exit 1
    fi
    as_root="sudo"
fi

# An update that fails in part (one mirror of several) must not stop what can still be installed.
quiet="-qq -o Acquire::Retries=3 -o DPkg::Lock::Timeout=120"
# shellcheck disable=SC2086
$as_root apt-get $quiet update || echo "install-deps: apt-get update failed; trying with the lists as they are" >&2
# shellcheck disable=SC2086
$as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get $quiet install -y --no-install-recommends $missing
echo "install-deps: done"
