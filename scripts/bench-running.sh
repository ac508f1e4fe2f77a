# Measures a cluster whose pods already run: the time until the first binding, and memory. Sourced by scripts/bench,
# never run. One server is filled once, and the schedulers use it one after the other.
#   BENCH_RUNNING_SERVER=real       or embedded, which has no protobuf for kube-scheduler and no managedFields
#   BENCH_RUNNING_NODES=5000        BENCH_START_PODS=20000      BENCH_MEMORY_PODS=100000
#   BENCH_POD_BYTES=11500           size of each pod's JSON, half of which is managedFields
# shellcheck shell=bash

RUNNING_SERVER=${BENCH_RUNNING_SERVER:-real}
RUNNING_NODES=${BENCH_RUNNING_NODES:-5000}
POD_BYTES=${BENCH_POD_BYTES:-11500}

# fill PODS: starts a server with nodes and this many running pods.
fill() {
    up "$RUNNING_SERVER"
    say "filling the $RUNNING_SERVER API server with $RUNNING_NODES nodes and $1 pods"
    "$LOADGEN" -kubeconfig "$PLANE/kubeconfig" -nodes "$RUNNING_NODES" -mode nodes -running "$1" -pod-bytes "$POD_BYTES" >/dev/null
    mkdir "$PLANE/relayed"
    sleep 5 # wait until the server has processed them, which is not part of the runs
}

# run_on MODE SCHEDULER RESULTS [FLAG…]: one run on the filled server. Its figures are appended to the file RESULTS.
run_on() {
    local mode=$1 scheduler=$2 results=$3 folder=$PLANE port log=${3%.jsonl}-$2.log
    shift 3
    [ "$mode" != memory ] || folder=$PLANE/relayed
    port=$("$TOOLS/bin/freeports" 1)
    "$LOADGEN" -kubeconfig "$PLANE/kubeconfig" -nodes "$RUNNING_NODES" -running 0 -pods 1 -mode "$mode" -label "$scheduler" \
        -out "$results" -sched-cmd "$("${scheduler//-/_}_command" "$folder" "$port")" -sched-log "$log" "$@" >/dev/null ||
        die "there are no results for $scheduler. See its log: $log"
}

# measure_start FOLDER SCHEDULER…
measure_start() {
    local results=$1/start.jsonl pods=${BENCH_START_PODS:-20000} run scheduler
    shift
    fill "$pods"
    # A first round is discarded: it brings programs into the page cache and compiles Berth's components.
    for scheduler in "$@"; do run_on preload "$scheduler" "$results"; done
    rm "$results"
    for run in $(seq "$RUNS"); do
        for scheduler in "$@"; do
            run_on preload "$scheduler" "$results"
            say "start, run $run of $RUNS, $scheduler: $(tail -n 1 "$results" | figure t0_to_first_bind_s) s until the first binding"
        done
    done
    case " $* " in *" berth "*) run_on preload berth-uncompiled "$results" ;; esac
    down
}

# measure_memory FOLDER SCHEDULER…
measure_memory() {
    local results=$1/memory.jsonl pods=${BENCH_MEMORY_PODS:-100000} run scheduler
    shift
    fill "$pods"
    for run in $(seq "$RUNS"); do
        for scheduler in "$@"; do
            run_on memory "$scheduler" "$results" -timeout 25m -relay "$PLANE/relayed/kubeconfig"
            say "memory, run $run of $RUNS, $scheduler: $(tail -n 1 "$results" | figure relisted_hwm_mb) MB maximum"
        done
    done
    down
}
