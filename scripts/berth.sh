# berth as it was built last, which the builds of plugins call. Sourced after lib.sh.
# shellcheck shell=bash

# need_berth: sets BERTH. Builds it where it is not there: whoever changed the host since knows.
need_berth() {
    [ -n "${BERTH:-}" ] && return
    BERTH=${CARGO_TARGET_DIR:-$ROOT/target}/release/berth
    [ -x "$BERTH" ] || { scripts/guests && scripts/host; }
    export BERTH
}
