# Starts the schedulers and API servers of the benchmark. Sourced by scripts/bench, after lib.sh, never run.
# shellcheck shell=bash

# The running server: its kind, its folder, and the ids of its processes.
SERVER=""
PLANE=""
export PIDS=""

# The schedulers' command lines. kube-scheduler limits its own requests by default, Berth does not.
berth_command() {
    echo "$BERTH run --kubeconfig $1/kubeconfig --leader-elect=false --secure-port=$2 $OPEN_PATHS"
}
kube_scheduler_command() { kube_scheduler_command_with "$1" "$2" ""; }
# kube-scheduler that scores every node, as Berth does.
kube_scheduler_all_command() { kube_scheduler_command_with "$1" "$2" "percentageOfNodesToScore: 100"; }
kube_scheduler_command_with() {
    cat >"$1/scheduler.yaml" <<EOT
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
leaderElection: {leaderElect: false}
clientConnection: {kubeconfig: "$1/kubeconfig", qps: 5000, burst: 5000}
$3
EOT
    echo "$PROGRAMS/kube-scheduler --config=$1/scheduler.yaml --bind-address=127.0.0.1 --secure-port=$2" \
        "--cert-dir=$1/scheduler-certs $OPEN_PATHS"
}
binder_command() { echo "$LOADGEN -mode bind -kubeconfig $1/kubeconfig"; }
# Berth without compiled components in its cache.
berth_uncompiled_command() { echo "env XDG_CACHE_HOME=$(mktemp -d "$1/compiled.XXXX") $(berth_command "$@")"; }
OPEN_PATHS=--authorization-always-allow-paths=/healthz,/livez,/readyz,/metrics

# up KIND: starts a server of this kind, and sets PIDS to the ids of its processes.
up() {
    SERVER=$1
    PLANE=$(mktemp -d)/plane
    "up_$1" "$PLANE"
}
up_real() {
    scripts/controlplane-up "$1"
    PIDS=etcd=$(cat "$1/etcd.pid"),apiserver=$(cat "$1/apiserver.pid")
}
up_embedded() {
    mkdir -p "$1"
    "$BERTH" sim --empty --no-scheduler --no-controllers --kubeconfig "$1/kubeconfig" >"$1/sim.log" 2>&1 &
    EMBEDDED=$!
    PIDS=apiserver=$EMBEDDED
    for _ in $(seq 1200); do
        [ ! -s "$1/kubeconfig" ] || return 0
        sleep 0.05
    done
    die "berth sim is not ready after 60 s. Its log: $(cat "$1/sim.log")"
}

down() {
    [ -n "$PLANE" ] || return 0
    case $SERVER in
    real) scripts/controlplane-down "$PLANE" ;;
    embedded)
        kill "$EMBEDDED" 2>/dev/null || true # it may have ended already, or not have started
        wait "$EMBEDDED" || true
        ;;
    esac
    rm -rf "$(dirname "$PLANE")"
    PLANE=""
}
