# Which rustc compiles the guests. Sourced after lib.sh by the look-around and by the guests' build.
# shellcheck shell=bash

# There are two roads to wasm32-unknown-unknown, and the first that is open is taken:
#   rustup   the pinned toolchain with its target installed
#   debian   Debian's rustc (packages rustc-web and rust-web-src), which brings LLVM's wasm back end and the sources
#            of its standard library: for machines that reach Debian's servers and not rustup's
WASM_TARGET=wasm32-unknown-unknown
DEBIAN_RUSTC=/usr/bin/rustc

# rust_sysroot: prints the folder of the toolchain that rust-toolchain.toml pins, or fails where it is not installed.
# Without auto-install: a toolchain's download is the look-around's to announce.
rust_sysroot() { (cd "$ROOT" && RUSTUP_AUTO_INSTALL=0 rustc --print sysroot 2>/dev/null); }

# wasm_road: prints rustup or debian, or fails where neither is open. GUEST_ROAD chooses one by hand.
wasm_road() {
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

# It has to be as new as the workspace asks for, and to have its standard library's sources, which are what is built.
debian_rustc_works() {
    [ -x "$DEBIAN_RUSTC" ] || return
    local wanted
    wanted=$(sed -n 's/^rust-version *= *"\(.*\)".*/\1/p' "$ROOT/Cargo.toml")
    at_least "$wanted" "$("$DEBIAN_RUSTC" --version | cut -d ' ' -f 2)" &&
        [ -f "$("$DEBIAN_RUSTC" --print sysroot)/lib/rustlib/src/rust/library/Cargo.lock" ]
}

# wasm_linker_home: prints where the toolchain keeps the linker that makes components; rustup ships it with every one.
wasm_linker_home() {
    local folder
    for folder in "$(rust_sysroot)"/lib/rustlib/*/bin; do
        [ -x "$folder/wasm-component-ld" ] && echo "$folder" && return
    done
    return 1
}
