# Helm, which renders and checks deploy/chart. Sourced after lib.sh and go-toolchain.sh.
# shellcheck shell=bash

HELM_MODULE=$ROOT/tests/helm
HELM_VERSION=$(sed -n 's/^\thelm.sh\/helm\/v3 \(v[0-9.]*\).*/\1/p' "$HELM_MODULE/go.mod")
# The Kubernetes minor version that Helm assumes where there is no server to ask: that of its libraries, 1.36.
HELM_KUBERNETES=36

# helm_program: prints the path of a helm 3: the one in PATH, the one in .tools/ from an earlier run, or one that is
# built from its Go module. The build takes a minute after scripts/controlplane, and some minutes without it, once.
helm_program() {
    case $(helm version --short 2>/dev/null) in v3.*) command -v helm && return ;; esac
    local kept=$TOOLS/helm/$HELM_VERSION/helm
    [ -x "$kept" ] || helm_build "$kept"
    echo "$kept"
}

helm_build() {
    go_ready || die "helm 3 is not in PATH, and building it needs $(go_install_line). See https://helm.sh/docs/intro/install"
    say "building helm $HELM_VERSION from its Go module (takes minutes, once)"
    local flags="-s -w" package
    for package in chartutil lint/rules; do
        package=helm.sh/helm/v3/pkg/$package
        flags="$flags -X $package.k8sVersionMajor=1 -X $package.k8sVersionMinor=$HELM_KUBERNETES"
    done
    go_program "$HELM_MODULE" helm.sh/helm/v3/cmd/helm "$1" -trimpath -ldflags "$flags" >&2 ||
        die "helm could not be built. The output of Go above shows the cause"
}
