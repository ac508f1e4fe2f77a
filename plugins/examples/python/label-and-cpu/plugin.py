"""label-and-cpu: requires a label and free cpu on the node."""

from berth_guest import Plugin, cpu, text, unresolvable, unschedulable

plugin = Plugin(
    name="label-and-cpu",
    reads=["pod.labels", "pod.requests", "node.labels", "node.allocatable", "node.usage"],
    args=dict(label=text(), value=text(""), min_free_cpu=cpu(0)),
)


@plugin.filter
def label_and_cpu(pod, node, args):
    found = node.labels.get(args.label)
    wanted = pod.labels.get(args.label, args.value or found)
    if found is None or found != wanted:
        return unresolvable(f"node(s) didn't have label {args.label}")

    free = node.allocatable.milli_cpu - node.usage.milli_cpu
    if free < pod.requests.fit.milli_cpu + args.min_free_cpu:
        return unschedulable("Insufficient free cpu")
