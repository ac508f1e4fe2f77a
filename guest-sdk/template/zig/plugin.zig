//! team-nodes: a filter that keeps pods with a team on their team's nodes.

const std = @import("std");
const berth = @import("berth");

pub const name = "team-nodes";
pub const reads = .{ .pod = .{.labels}, .node = .{.labels} };

pub const Args = struct {
    /// The key of the label that names the team of a pod or a node.
    label: []const u8 = "team",
};

pub fn filter(pod: *const berth.Pod, node: *const berth.Node, args: *const Args) berth.Verdict {
    const team = berth.label(&pod.labels, args.label) orelse return .fits;
    if (berth.label(&node.labels, args.label)) |owner| {
        if (std.mem.eql(u8, team, owner)) return .fits;
    }
    return berth.unresolvable("node(s) belong to another team", .{});
}
