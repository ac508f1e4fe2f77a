//! prefer-label: scores a node by the value of one of its labels.

const berth = @import("berth");

pub const name = "prefer-label";
pub const reads = .{ .node = .{ .label_keys = .{.label} } };
pub const Args = struct { label: [:0]const u8, weights: berth.WholeMap(0, 100) };

pub fn score(_: *const berth.Pod, node: *const berth.Node, args: *const Args) i64 {
    const value = node.label(args.label) orelse return 0;
    return args.weights.get(value) orelse 0;
}
