//! Tests of what a plugin reads: the declaration, facts, further fields, and the refusal of undeclared reads.

const std = @import("std");
const berth = @import("berth");

const plugin = struct {
    pub const name = "test";
    pub const reads = .{
        .pod = .{
            .facts = .{ .limits, .scheduling_group, .containers },
            .label_keys = .{ "team", .label, "tier" },
            .fields = .{"spec.containers"},
        },
        .node = .{ .facts = .{ .capacity, .info }, .annotation_keys = .{"a/b"}, .fields = .{"spec.podCIDR"} },
        .resident_pods = .{ .label_keys = .{"app"} },
        .pending_pods = .{},
    };
    pub const Args = struct { label: [:0]const u8 = "" };

    /// What the filter does.
    var probe: *const fn (*const berth.Pod, *const berth.Node) void = undefined;

    pub fn filter(pod: *const berth.Pod, node: *const berth.Node) berth.Verdict {
        probe(pod, node);
        return .fits;
    }
};

const host = berth.testing.Host(plugin);

const red: berth.testing.Pod = .{
    .labels = &.{.{ "team", "red" }},
    .fields = "{\"spec\": {\"containers\": [{\"name\": \"a\", \"tty\": true}, {\"name\": \"b\", \"stdin\": 3}]}}",
};

fn ask(probe: *const fn (*const berth.Pod, *const berth.Node) void) []const u8 {
    host.node("n", .{ .labels = &.{.{ "zone", "x" }}, .fields = "{\"spec\": {\"podCIDR\": \"10.0.0.0/24\"}}" });
    plugin.probe = probe;
    return host.filter(red, "n");
}

test "the declaration has all reads" {
    const declared = berth.Component(plugin).described;
    try std.testing.expectEqual(berth.c.BERTH_NODE_FACTS_CAPACITY | berth.c.BERTH_NODE_FACTS_INFO, declared.node.facts);
    try std.testing.expectEqualStrings("tier", std.mem.span(declared.pod.label_keys[1]));
    try std.testing.expectEqual(null, declared.pod.label_keys[2]);
    try std.testing.expectEqualStrings("a/b", std.mem.span(declared.node.annotation_keys[0]));
    try std.testing.expectEqualStrings("spec.podCIDR", std.mem.span(declared.node.fields[0]));
    try std.testing.expectEqualStrings("app", std.mem.span(declared.resident_pods[0].label_keys[0]));
    try std.testing.expect(declared.pending_pods != null);
}

var failure: ?anyerror = null;

test "declared facts and fields are read" {
    const answer = ask(struct {
        fn probe(pod: *const berth.Pod, node: *const berth.Node) void {
            check(pod, node) catch |err| {
                failure = err;
            };
        }

        fn check(pod: *const berth.Pod, node: *const berth.Node) !void {
            try std.testing.expectEqualStrings("red", pod.label("team").?);
            try std.testing.expectEqual(null, pod.label("tier"));
            try std.testing.expectEqual(0, pod.get(.limits).milli_cpu);
            try std.testing.expectEqualStrings("", pod.get(.scheduling_group));
            try std.testing.expectEqual(0, pod.get(.containers).len);
            try std.testing.expectEqual(0, node.get(.capacity).memory);
            try std.testing.expectEqualStrings("", berth.text(node.get(.info).architecture));
            try std.testing.expectEqual(null, node.annotation("a/b"));
            try std.testing.expectEqual(0, node.pods().len);
            try std.testing.expectEqual(0, berth.pendingPods().len);
            try std.testing.expectEqualStrings("b", pod.field("spec.containers.name", 1).?.text().?);
            try std.testing.expectEqual(null, pod.field("spec.containers.name", 2));
            const first = pod.field("spec.containers", 0).?.first().?;
            try std.testing.expect(first.field("tty").?.flag(false));
            try std.testing.expectEqual(3, first.next().?.field("stdin").?.whole(0));
            try std.testing.expectEqualStrings("name", first.first().?.name().?);
            try std.testing.expectEqualStrings("10.0.0.0/24", node.field("spec.podCIDR", 0).?.text().?);
        }
    }.probe);
    if (failure) |err| return err;
    try std.testing.expectEqualStrings("fits", answer);
}

test "an argument declares a label key" {
    const crew = struct {
        fn probe(pod: *const berth.Pod, _: *const berth.Node) void {
            _ = pod.label("crew");
        }
    }.probe;
    const undeclared = "failed: test: it reads the label key \"crew\" without declaring it: add it to pod.label_keys";
    try std.testing.expectEqual(null, host.configure("{}"));
    try std.testing.expectEqualStrings(undeclared, ask(crew));
    try std.testing.expectEqual(null, host.configure("{\"label\": \"crew\"}"));
    try std.testing.expectEqualStrings("fits", ask(crew));
}

test "undeclared reads are refused" {
    const wrong = "failed: test: it reads the {s} without declaring it: add it to {s}";
    const undeclared = struct {
        fn nodeLabels(_: *const berth.Pod, node: *const berth.Node) void {
            _ = node.get(.labels);
        }
        fn nodeLabel(_: *const berth.Pod, node: *const berth.Node) void {
            _ = node.label("zone");
        }
        fn requests(pod: *const berth.Pod, _: *const berth.Node) void {
            _ = pod.get(.requests);
        }
        fn field(pod: *const berth.Pod, _: *const berth.Node) void {
            _ = pod.field("spec.volumes", 0);
        }
    };
    const expect = std.testing.expectEqualStrings;
    try expect(std.fmt.comptimePrint(wrong, .{ "fact \"labels\"", "node.facts" }), ask(undeclared.nodeLabels));
    try expect(std.fmt.comptimePrint(wrong, .{ "label key \"zone\"", "node.label_keys" }), ask(undeclared.nodeLabel));
    try expect(std.fmt.comptimePrint(wrong, .{ "fact \"requests\"", "pod.facts" }), ask(undeclared.requests));
    try expect(std.fmt.comptimePrint(wrong, .{ "field \"spec.volumes\"", "pod.fields" }), ask(undeclared.field));
}
