//! A host for tests. The host sends nodes and pods to a plugin as Berth does. A test file has one plugin and one
//! cluster.

const std = @import("std");
const berth = @import("berth.zig");
const c = @import("c");

/// A node for tests, with at most 16 labels (keys and values). Missing facts are empty. `used_milli_cpu` is the sum of
/// the requests of the node's pods, in millicores. `fields` is JSON.
pub const Node = struct {
    labels: []const [2][:0]const u8 = &.{},
    milli_cpu: i64 = 0,
    used_milli_cpu: i64 = 0,
    fields: ?[:0]const u8 = null,
};
pub const Pod = struct { labels: []const [2][:0]const u8 = &.{}, milli_cpu: i64 = 0, fields: ?[:0]const u8 = null };

/// Runs the plugin of a file natively, as in `Host(@import("plugin.zig"))`.
pub fn Host(comptime plugin: type) type {
    return struct {
        comptime {
            _ = berth.Component(plugin);
        }

        /// Configures the plugin with arguments in JSON. Returns the plugin's message if the plugin refuses the
        /// arguments, and null otherwise.
        pub fn configure(json: [:0]const u8) ?[]const u8 {
            const message: ?[*:0]const u8 = c.berth_test_configure(json.ptr);
            return if (message) |pointer| std.mem.span(pointer) else null;
        }

        /// Adds a node, or replaces the node of this name.
        pub fn node(name: [:0]const u8, given: Node) void {
            var labels: Labels = undefined;
            c.berth_test_node(.{
                .name = name.ptr,
                .labels = pairs(&labels, given.labels),
                .milli_cpu = given.milli_cpu,
                .used_milli_cpu = given.used_milli_cpu,
                .fields = if (given.fields) |json| json.ptr else null,
            });
        }

        /// Returns the filter's answer about a node: "fits", or the code and the first reason, as in
        /// "Unschedulable: Insufficient cpu". For a failed call, returns "failed: " and the message.
        pub fn filter(pod: Pod, name: [:0]const u8) []const u8 {
            var labels: Labels = undefined;
            return std.mem.span(c.berth_test_filter(testPod(&labels, pod), name.ptr));
        }

        /// Returns the raw score of a node.
        pub fn score(pod: Pod, name: [:0]const u8) i64 {
            var labels: Labels = undefined;
            return c.berth_test_score(testPod(&labels, pod), name.ptr);
        }
    };
}

fn testPod(labels: *Labels, pod: Pod) c.berth_test_pod_t {
    const fields = if (pod.fields) |json| json.ptr else null;
    return .{ .labels = pairs(labels, pod.labels), .milli_cpu = pod.milli_cpu, .fields = fields };
}

const Labels = [33][*c]const u8;

fn pairs(to: *Labels, labels: []const [2][:0]const u8) [*c]const [*c]const u8 {
    for (labels, 0..) |entry, at| {
        to[2 * at] = entry[0].ptr;
        to[2 * at + 1] = entry[1].ptr;
    }
    to[2 * labels.len] = null;
    return to;
}
