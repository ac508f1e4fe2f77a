# The control plane's released programs, fetched as setup-envtest does. Sourced after lib.sh.
# shellcheck shell=bash

# Lists every release's archives with their SHA-512 and address. The variable is for mirrors of it.
ENVTEST_INDEX=${ENVTEST_INDEX:-https://raw.githubusercontent.com/kubernetes-sigs/controller-tools/HEAD/envtest-releases.yaml}
ENVTEST_UNREACHABLE=envtest-unreachable

# envtest_has NAME…: whether an archive holds one of them.
envtest_has() {
    case " $* " in *" etcd "* | *" kube-apiserver "* | *" kubectl "*) ;; *) return 1 ;; esac
}

# envtest_reachable: remembers a no for an hour.
envtest_reachable() {
    is_noted "$ENVTEST_UNREACHABLE" && return 1
    reachable "$ENVTEST_INDEX" && return
    note "$ENVTEST_UNREACHABLE"
    return 1
}

# envtest_fetch MINOR FOLDER: unpacks the newest release of that minor version (v1.36) into the folder. A network that
# does not lead there is an answer (1), an archive that is not what the index says ends the script.
envtest_fetch() {
    local release archive hash address download
    envtest_reachable || return 1
    release=$(curl --silent --show-error --fail --location --max-time 60 "$ENVTEST_INDEX" | envtest_newest "$1") || return 1
    [ -n "$release" ] || return 1
    read -r archive hash address <<<"$release"
    say "fetching $archive"
    download=$(mktemp -d "$TOOLS/envtest.XXXXXX")
    # The index may be reached and the archives not: they are on another host.
    if ! curl --silent --show-error --fail --location --connect-timeout 10 --max-time 900 --output "$download/archive" "$address"; then
        rm -rf "$download"
        note "$ENVTEST_UNREACHABLE"
        return 1
    fi
    if [ "$(sha512sum "$download/archive" | cut -d ' ' -f 1)" != "$hash" ]; then
        rm -rf "$download"
        die "$address has not the SHA-512 that $ENVTEST_INDEX gives for it: try again, or set KUBEBUILDER_ASSETS"
    fi
    tar -xzf "$download/archive" -C "$download" --strip-components 2
    rm "$download/archive"
    mv -f "$download"/* "$2/"
    rm -rf "$download"
}

# envtest_newest MINOR: out of the index on stdin, "archive sha512 address" of the newest release for this machine.
envtest_newest() {
    awk -v archive="^envtest-$1[.][0-9]+-linux-$(own_arch)[.]tar[.]gz:\$" '
        $1 ~ archive { name = $1; sub(/:$/, "", name); next }
        NF == 1 { name = "" }
        name != "" && $1 == "hash:" { hash[name] = $2 }
        name != "" && $1 == "selfLink:" { print name, hash[name], $2 }
    ' | sort -V | tail -n 1
}
