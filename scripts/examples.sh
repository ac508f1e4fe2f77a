# Builds the examples of one language. Sourced after lib.sh by scripts/guests-LANGUAGE, which define
#   test_sdk              tests the language's SDK
#   test_plugin           tests the plugin in the current folder
#   build_plugin OUTPUT   builds it
# shellcheck shell=bash

# build_examples LANGUAGE SOURCE [--test] [NAME…]: builds the components target/plugins/LANGUAGE/NAME.wasm. Without names,
# builds each folder of plugins/examples/LANGUAGE that contains the file SOURCE.
build_examples() {
    local language=$1 source=$2 test='' name folder built sdk=("$ROOT/guest-sdk/$1")
    # The folders that the SDK depends on.
    case $language in
    zig) sdk+=("$ROOT/guest-sdk/c") ;;
    go) sdk+=("$ROOT/guest-sdk/componentize") ;;
    esac
    shift 2
    if [ "${1:-}" = --test ]; then test=1 && shift; fi
    if [ $# -eq 0 ]; then
        for folder in "$ROOT/plugins/examples/$language"/*/; do
            [ ! -f "$folder/$source" ] || set -- "$@" "$(basename "$folder")"
        done
        [ $# -gt 0 ] || die "no folder of plugins/examples/$language contains $source"
    fi
    if [ -n "$test" ]; then (test_sdk); fi
    for name in "$@"; do
        folder=$ROOT/plugins/examples/$language/$name
        built=$PLUGINS/$language/$name.wasm
        [ -f "$folder/$source" ] || die "$folder/$source does not exist"
        if [ -n "$test" ]; then (cd "$folder" && test_plugin); fi
        is_fresh "$built" "$folder" "${sdk[@]}" "$ROOT/wit" && continue
        say "building the plugin $name of plugins/examples/$language"
        mkdir -p "$PLUGINS/$language"
        (cd "$folder" && build_plugin "$built.new")
        # The file is replaced in one step, because the folder may be watched. It is replaced even if the content
        # might be equal, because some languages' builds differ each time.
        mv -f "$built.new" "$built"
    done
}

# is_fresh FILE FOLDER…: whether the file is newer than all files in the folders.
is_fresh() {
    local file=$1
    shift
    [ -f "$file" ] || return
    [ -z "$(find "$@" \( -name __pycache__ -o -name node_modules -o -name generated \) -prune -o -newer "$file" -type f -print)" ]
}
