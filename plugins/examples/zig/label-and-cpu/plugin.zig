//! label-and-cpu: requires a label and free cpu on the node.

const std = @import("std");
const berth = @import("berth");

pub const name = "label-and-cpu";
pub const reads = .{
    .pod = .{ .label_keys = .{.label}, .facts = .{.requests} },
    .node = .{ .label_keys = .{.label}, .facts = .{ .allocatable, .usage } },
};
pub const Args = struct { label: [:0]const u8, value: []const u8 = "", min_free_cpu: berth.Cpu = .{} };

pub fn filter(pod: *const berth.Pod, node: *const berth.Node, args: *const Args) berth.Verdict {
    const no_label = "node(s) didn't have label {s}";
    const found = node.label(args.label) orelse return berth.unresolvable(no_label, .{args.label});
    const wanted = pod.label(args.label) orelse if (args.value.len > 0) args.value else found;
    if (!std.mem.eql(u8, found, wanted)) return berth.unresolvable(no_label, .{args.label});

    const free = node.get(.allocatable).milli_cpu - node.get(.usage).milli_cpu;
    if (free < pod.get(.requests).fit.milli_cpu + args.min_free_cpu.milli) return berth.unschedulable("Insufficient free cpu", .{});
    return .fits;
}
