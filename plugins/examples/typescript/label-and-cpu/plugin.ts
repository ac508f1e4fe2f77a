import { cpu, plugin, text, unresolvable, unschedulable } from "berth-guest";

/** Requires a label and free cpu on the node. */
export default plugin({
  name: "label-and-cpu",
  reads: ["pod.labels", "pod.requests", "node.labels", "node.allocatable", "node.usage"],
  args: { label: text(), value: text(""), minFreeCpu: cpu(0) },

  filter(pod, node, { label, value, minFreeCpu }) {
    const found = node.labels[label];
    const wanted = pod.labels[label] ?? (value || found);
    if (found === undefined || found !== wanted) return unresolvable(`node(s) didn't have label ${label}`);

    const free = node.allocatable.milliCpu - node.usage.milliCpu;
    if (free < pod.requests.fit.milliCpu + minFreeCpu) return unschedulable("Insufficient free cpu");
  },
});
