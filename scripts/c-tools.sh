# The tools that compile plugins in C and Zig: Zig, which has a C compiler and a C library for WebAssembly, and the
# contract's bindings, which berth contains. Sourced after lib.sh, python-tools.sh and berth.sh.
# shellcheck shell=bash

ZIG_PACKAGE=ziglang==0.17.1

# c_tools FOR: sets ZIG, BERTH and BERTH_CONTRACT for guest-sdk/c/build.
c_tools() {
    local bin sdk=$TOOLS/c-sdk
    bin=$(python_package "$ZIG_PACKAGE" "$1") || return
    export ZIG="$bin/python -m ziglang"
    need_berth
    rm -rf "$sdk"
    "$BERTH" plugin sdk --lang c "$sdk"
    export BERTH_CONTRACT=$sdk/guest-sdk/c/contract
}
