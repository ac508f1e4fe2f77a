# The last build of berth, which the builds of plugins use. Sourced after lib.sh.
# shellcheck shell=bash

# need_berth: sets BERTH. Builds berth only if it does not exist. Rebuild it yourself after a change of the host.
need_berth() {
    [ -n "${BERTH:-}" ] && return
    BERTH=$BUILT/berth
    [ -x "$BERTH" ] || { scripts/guests && scripts/host; }
    export BERTH
}
