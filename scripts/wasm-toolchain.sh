# Finds the rustc that compiles the guests. Sourced after lib.sh by scripts/doctor and scripts/guests.
# shellcheck shell=bash

# There are two toolchains for wasm32-unknown-unknown. The first available one is used:
#   rustup   the pinned toolchain with its target installed
#   debian   Debian's rustc (packages rustc-web and rust-web-src), which has LLVM's wasm back end and the sources
#            of its standard library: for machines that reach Debian's servers but not rustup's
WASM_TARGET=wasm32-unknown-unknown
DEBIAN_RUSTC=/usr/bin/rustc

# rust_sysroot: prints the folder of the toolchain that rust-toolchain.toml pins, or fails if it is not installed.
# Auto-install is off, because scripts/doctor installs toolchains and announces the download.
rust_sysroot() { (cd "$ROOT" && RUSTUP_AUTO_INSTALL=0 rustc --print sysroot 2>/dev/null); }

# wasm_toolchain: prints rustup or debian, or fails if neither is available. GUEST_ROAD overrides the choice.
wasm_toolchain() {
    if [ -n "${GUEST_ROAD:-}" ]; then
        echo "$GUEST_ROAD"
    elif [ -d "$(rust_sysroot)/lib/rustlib/$WASM_TARGET/lib" ]; then
        echo rustup
    elif debian_rustc_works; then
        echo debian
    else
        return 1
    fi
}

# Debian's rustc must be as new as the workspace requires, and must have the sources of its standard library, which
# are compiled.
debian_rustc_works() {
    [ -x "$DEBIAN_RUSTC" ] || return
    local minimum
    minimum=$(sed -n 's/^rust-version *= *"\(.*\)".*/\1/p' "$ROOT/Cargo.toml")
    at_least "$minimum" "$("$DEBIAN_RUSTC" --version | cut -d ' ' -f 2)" &&
        [ -f "$("$DEBIAN_RUSTC" --print sysroot)/lib/rustlib/src/rust/library/Cargo.lock" ]
}

# wasm_linker_home: prints the toolchain's folder with the linker that makes components. Every rustup toolchain has
# it.
wasm_linker_home() {
    local folder
    for folder in "$(rust_sysroot)"/lib/rustlib/*/bin; do
        [ -x "$folder/wasm-component-ld" ] && echo "$folder" && return
    done
    return 1
}
