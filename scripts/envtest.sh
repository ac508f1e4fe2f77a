# The released programs of the control plane, fetched as setup-envtest does. Sourced after lib.sh.
# shellcheck shell=bash

# The index of all releases' archives, with their SHA-512 and address. Set the variable to use a mirror.
ENVTEST_INDEX=${ENVTEST_INDEX:-https://raw.githubusercontent.com/kubernetes-sigs/controller-tools/HEAD/envtest-releases.yaml}
ENVTEST_UNREACHABLE=envtest-unreachable

# envtest_has NAME…: whether the archives hold one of these programs.
envtest_has() {
    case " $* " in *" etcd "* | *" kube-apiserver "* | *" kubectl "*) ;; *) return 1 ;; esac
}

# envtest_reachable: whether the index is reachable. A negative result is remembered for an hour.
envtest_reachable() {
    is_noted "$ENVTEST_UNREACHABLE" && return 1
    reachable "$ENVTEST_INDEX" && return
    note "$ENVTEST_UNREACHABLE"
    return 1
}

# envtest_fetch MINOR FOLDER: unpacks the newest release of this minor version (v1.36) into the folder. Returns 1 if
# the release can't be downloaded. Ends the script if an archive does not match the index.
envtest_fetch() {
    local release archive hash address download
    envtest_reachable || return 1
    release=$(curl --silent --show-error --fail --location --max-time 60 "$ENVTEST_INDEX" | envtest_newest "$1") || return 1
    [ -n "$release" ] || return 1
    read -r archive hash address <<<"$release"
    say "downloading $archive"
    download=$(mktemp -d "$TOOLS/envtest.XXXXXX")
    # The archives are on another host than the index, and can be unreachable although the index is not.
    if ! curl --silent --show-error --fail --location --connect-timeout 10 --max-time 900 --output "$download/archive" "$address"; then
        rm -rf "$download"
        note "$ENVTEST_UNREACHABLE"
        return 1
    fi
    if [ "$(sha512sum "$download/archive" | cut -d ' ' -f 1)" != "$hash" ]; then
        rm -rf "$download"
        die "the SHA-512 of $address differs from the one in $ENVTEST_INDEX. Try again, or set KUBEBUILDER_ASSETS"
    fi
    tar -xzf "$download/archive" -C "$download" --strip-components 2
    rm "$download/archive"
    mv -f "$download"/* "$2/"
    rm -rf "$download"
}

# envtest_newest MINOR: reads the index on stdin, and prints "archive sha512 address" of the newest release for this
# machine.
envtest_newest() {
    awk -v archive="^envtest-$1[.][0-9]+-linux-$(own_arch)[.]tar[.]gz:\$" '
        $1 ~ archive { name = $1; sub(/:$/, "", name); next }
        NF == 1 { name = "" }
        name != "" && $1 == "hash:" { hash[name] = $2 }
        name != "" && $1 == "selfLink:" { print name, hash[name], $2 }
    ' | sort -V | tail -n 1
}
