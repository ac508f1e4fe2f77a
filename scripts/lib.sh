# Shared by the scripts in this folder: paths, messages and helper functions. Sourced, never run. Also works with
# bash 3.2 and BSD tools: `make demo` runs on macOS.
# shellcheck shell=bash

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
# The folder for tools that are downloaded or built once for the project. It survives `make clean`.
export TOOLS="$ROOT/.tools"
# The plugins' components. Not under CARGO_TARGET_DIR, because the host's build and the documentation name this
# folder.
export PLUGINS="$ROOT/target/plugins"
# A Go or Node that was downloaded because the machine has none.
PATH=$TOOLS/go/bin:$TOOLS/node/bin:$PATH
# The profile that cargo builds berth in: `release`, which is shipped and measured, or `dev`, which make test sets.
export BERTH_PROFILE=${BERTH_PROFILE:-release}
# The folder with the programs of this profile.
BUILT=${CARGO_TARGET_DIR:-$ROOT/target}/$([ "$BERTH_PROFILE" = dev ] && echo debug || echo "$BERTH_PROFILE")
case $BUILT in /*) ;; *) BUILT=$ROOT/$BUILT ;; esac

# Prints a line of progress to stderr, so that stdout contains only a script's result.
say() { printf '==> %s\n' "$*" >&2; }

# Prints an error and ends the script.
die() {
    printf 'error: %s\n' "$*" >&2
    exit 1
}

# Ends a script that can't do its work because a tool is missing. This is not a failure of the code under test.
CANNOT=77
cannot() {
    printf 'skipped: %s\n' "$*" >&2
    exit "$CANNOT"
}

# skip CHECK REASON: reports a check that this machine can't make. BERTH_SKIPS names the file that collects these
# checks. scripts/test lists them at its end, and fails if BERTH_STRICT is 1.
skip() {
    say "NOT TESTED: $1: $2"
    [ -z "${BERTH_SKIPS:-}" ] || printf '%s: %s\n' "$1" "$2" >>"$BERTH_SKIPS"
}

have() { command -v "$1" >/dev/null 2>&1; }

# Prints this machine's architecture as container images and Go name it.
own_arch() { case $(uname -m) in x86_64) echo amd64 ;; aarch64 | arm64) echo arm64 ;; *) uname -m ;; esac; }

# at_least MINIMUM VERSION: whether the version is at least MINIMUM.
at_least() { [ "$(printf '%s\n' "$1" "$2" | sort -V | head -n 1)" = "$1" ]; }

# within SECONDS COMMAND…: runs the command, and ends it if it takes longer. macOS has no `timeout`, but has perl.
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

# reachable URL: whether the URL answers within a few seconds. In networks that drop packets, other commands would
# wait for minutes.
reachable() {
    if have curl; then
        curl --silent --fail --location --output /dev/null --connect-timeout 5 --max-time 15 "$1"
    elif [ -z "${https_proxy:-${HTTPS_PROXY:-}}" ]; then
        local host=${1#https://}
        within 5 bash -c "exec 3<>/dev/tcp/${host%%/*}/443" 2>/dev/null
    fi # behind a proxy and without curl, the script can't tell
}

# Remembers for an hour that a server is unreachable, so that not every step of a run waits for it.
is_noted() { [ -n "$(find "$TOOLS/$1" -mmin -60 2>/dev/null)" ]; }
note() {
    mkdir -p "$TOOLS"
    : >"$TOOLS/$1"
}

# install_if_changed FROM TO: replaces the file atomically. Equal files and their times stay unchanged, so that
# watchers and builds that use them do nothing.
install_if_changed() {
    cmp -s "$1" "$2" && return
    local temporary
    temporary="$(dirname "$2")/.$(basename "$2").$$"
    cp "$1" "$temporary"
    mv -f "$temporary" "$2"
}

# served_at LOG: prints the address at which the scheduler with this log serves health and metrics; nothing if it
# does not serve yet.
served_at() { sed -n 's#.*serving health and metrics.*\(https://127.0.0.1:[0-9]*\).*#\1#p' "$1" | head -n 1; }
