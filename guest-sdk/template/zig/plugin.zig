//! team-nodes: a filter that keeps pods with a team on their team's nodes.

const std = @import("std");
const berth = @import("berth");

pub const name = "team-nodes";
pub const reads = .{ .pod = .{ .label_keys = .{.label} }, .node = .{ .label_keys = .{.label} } };

pub const Args = struct {
    /// The key of the label that names the team of a pod or a node.
    label: [:0]const u8 = "team",
};

pub fn filter(pod: *const berth.Pod, node: *const berth.Node, args: *const Args) berth.Verdict {
    const team = pod.label(args.label) orelse return .fits;
    if (node.label(args.label)) |owner| {
        if (std.mem.eql(u8, team, owner)) return .fits;
    }
    return berth.unresolvable("node(s) belong to another team", .{});
}
