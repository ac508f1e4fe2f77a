# Shared by the scripts in this folder: where things are, how they speak. Sourced, never run.
# Written for bash 3.2 and the BSD tools too: `make demo` works on macOS.
# shellcheck shell=bash

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
# What is fetched or built once for the project and survives `make clean`.
export TOOLS="$ROOT/.tools"
# The plugins' components. Not under CARGO_TARGET_DIR: the host's build and the documentation name this folder.
export PLUGINS="$ROOT/target/plugins"
# Where a Go or a Node is, that was fetched for want of one.
PATH=$TOOLS/go/bin:$TOOLS/node/bin:$PATH

# One line of progress. On stderr, so that a script's stdout stays its answer.
say() { printf '==> %s\n' "$*" >&2; }

# The sentence that ends a script.
die() {
    printf 'error: %s\n' "$*" >&2
    exit 1
}

# The sentence that ends a script which can't do its work for want of a tool: no failure of what it was to test.
CANNOT=77
cannot() {
    printf 'skipped: %s\n' "$*" >&2
    exit "$CANNOT"
}

# skip WHAT WHY: names a check that this machine can't make. scripts/test lists them all at its end, and fails there if
# BERTH_STRICT is 1. BERTH_SKIPS is the file in which they are collected.
skip() {
    say "NOT TESTED: $1: $2"
    [ -z "${BERTH_SKIPS:-}" ] || printf '%s: %s\n' "$1" "$2" >>"$BERTH_SKIPS"
}

have() { command -v "$1" >/dev/null 2>&1; }

# What container images and Go call this machine's architecture.
own_arch() { case $(uname -m) in x86_64) echo amd64 ;; aarch64 | arm64) echo arm64 ;; *) uname -m ;; esac; }

# at_least WANTED VERSION: whether the version is that or a later one.
at_least() { [ "$(printf '%s\n' "$1" "$2" | sort -V | head -n 1)" = "$1" ]; }

# within SECONDS COMMAND…: runs the command, ended when it takes longer. macOS has no `timeout`, but perl.
within() {
    local seconds=$1
    shift
    if have timeout; then
        timeout "$seconds" "$@"
    elif have perl; then
        perl -e 'alarm shift; exec @ARGV or exit 127' "$seconds" "$@"
    else
        "$@"
    fi
}

# reachable URL: whether it answers within a few seconds. Networks that drop packets would otherwise stall for minutes.
reachable() {
    if have curl; then
        curl --silent --fail --location --output /dev/null --connect-timeout 5 --max-time 15 "$1"
    elif [ -z "${https_proxy:-${HTTPS_PROXY:-}}" ]; then
        local host=${1#https://}
        within 5 bash -c "exec 3<>/dev/tcp/${host%%/*}/443" 2>/dev/null
    fi # behind a proxy only trying would tell
}

# A note that something is out of reach, so that the steps of one run do not each wait for it. It counts for an hour.
is_noted() { [ -n "$(find "$TOOLS/$1" -mmin -60 2>/dev/null)" ]; }
note() {
    mkdir -p "$TOOLS"
    : >"$TOOLS/$1"
}

# install_if_changed FROM TO: an atomic replacement that leaves equal files and their times alone, so that whoever
# watches or embeds them has no work.
install_if_changed() {
    cmp -s "$1" "$2" && return
    local beside
    beside="$(dirname "$2")/.$(basename "$2").$$"
    cp "$1" "$beside"
    mv -f "$beside" "$2"
}

# served_at LOG: where a scheduler with this log serves health and metrics; nothing as long as it does not.
served_at() { sed -n 's#.*health and metrics: \(https://127.0.0.1:[0-9]*\).*#\1#p' "$1" | head -n 1; }
