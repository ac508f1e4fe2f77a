# Helm, which renders and checks deploy/chart. Sourced after lib.sh.
# shellcheck shell=bash

HELM_VERSION=v3.22.0
# The Kubernetes minor version that Helm assumes where there is no server to ask: that of its libraries, 1.37.
HELM_KUBERNETES=37

# helm_program: prints the path of a helm 3: the one in PATH, the one in .tools/ from an earlier run, or one that is
# built from its Go module, which takes some minutes, once.
helm_program() {
    case $(helm version --short 2>/dev/null) in v3.*) command -v helm && return ;; esac
    local kept=$TOOLS/helm/$HELM_VERSION/helm
    [ -x "$kept" ] || helm_build "$(dirname "$kept")"
    echo "$kept"
}

helm_build() {
    have go || die "helm 3 is not in PATH, and Go, which could build it, is missing. See https://helm.sh/docs/intro/install"
    say "building helm $HELM_VERSION from its Go module (takes minutes, once)"
    local flags="-s -w" package
    for package in chartutil lint/rules; do
        package=helm.sh/helm/v3/pkg/$package
        flags="$flags -X $package.k8sVersionMajor=1 -X $package.k8sVersionMinor=$HELM_KUBERNETES"
    done
    mkdir -p "$1"
    # Outside of the folder's modules, because helm has its own.
    (cd "$1" && GOWORK=off GOFLAGS=-buildvcs=false GOBIN=$1 CGO_ENABLED=0 \
        go install -trimpath -ldflags "$flags" "helm.sh/helm/v3/cmd/helm@$HELM_VERSION" >&2) ||
        die "helm could not be built. The output of Go above shows the cause"
}
