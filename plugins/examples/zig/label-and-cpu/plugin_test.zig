//! The test cases of `plugins/examples/README.md`.

const std = @import("std");
const berth = @import("berth");

const host = berth.testing.Host(@import("plugin.zig"));
const Node = berth.testing.Node;
const Pod = berth.testing.Pod;

const no_label = "UnschedulableAndUnresolvable: node(s) didn't have label pool";
const no_cpu = "Unschedulable: Insufficient free cpu";
const spare = "{\"label\": \"pool\", \"minFreeCpu\": \"500m\"}";
const value = "{\"label\": \"pool\", \"value\": \"a\"}";
const a: []const [2][:0]const u8 = &.{.{ "pool", "a" }};
const b: []const [2][:0]const u8 = &.{.{ "pool", "b" }};

const Case = struct { what: []const u8, args: [:0]const u8, pod: Pod = .{}, node: Node, answer: []const u8 };

const cases = [_]Case{
    .{ .what = "more free cpu than requested", .args = spare, .pod = .{ .milli_cpu = 1000 }, .node = .{ .labels = a, .milli_cpu = 2000, .used_milli_cpu = 500 }, .answer = "fits" },
    .{ .what = "a millicore short", .args = spare, .pod = .{ .milli_cpu = 1000 }, .node = .{ .labels = a, .milli_cpu = 2000, .used_milli_cpu = 501 }, .answer = no_cpu },
    .{ .what = "no label and too little free cpu", .args = spare, .pod = .{ .milli_cpu = 1000 }, .node = .{ .milli_cpu = 1000 }, .answer = no_label },
    .{ .what = "the pod's own value", .args = spare, .pod = .{ .labels = a }, .node = .{ .labels = a, .milli_cpu = 1000 }, .answer = "fits" },
    .{ .what = "another value than the pod's", .args = spare, .pod = .{ .labels = a }, .node = .{ .labels = b, .milli_cpu = 1000 }, .answer = no_label },
    .{ .what = "the pod's value is empty", .args = spare, .pod = .{ .labels = &.{.{ "pool", "" }} }, .node = .{ .labels = a, .milli_cpu = 1000 }, .answer = no_label },
    .{ .what = "a pod that requests nothing", .args = spare, .node = .{ .labels = b, .milli_cpu = 400 }, .answer = no_cpu },
    .{ .what = "the arguments' value", .args = value, .node = .{ .labels = a }, .answer = "fits" },
    .{ .what = "another value than the arguments'", .args = value, .node = .{ .labels = b }, .answer = no_label },
    .{ .what = "the pod's value before the arguments'", .args = value, .pod = .{ .labels = b }, .node = .{ .labels = b }, .answer = "fits" },
};

test "cases" {
    for (cases) |case| {
        errdefer std.debug.print("in the case: {s}\n", .{case.what});
        try std.testing.expectEqual(null, host.configure(case.args));
        host.node("n", case.node);
        try std.testing.expectEqualStrings(case.answer, host.filter(case.pod, "n"));
    }
}

test "wrong arguments are refused" {
    const wrong = [_][2][:0]const u8{
        .{ "{}", "label" },
        .{ "{\"label\": \"\"}", "label" },
        .{ "{\"label\": \"pool\", \"lable\": \"x\"}", "lable" },
        .{ "{\"label\": \"pool\", \"minFreeCpu\": \"lots\"}", "minFreeCpu" },
        .{ "{\"label\": \"pool\", \"minFreeCpu\": \"-1\"}", "minFreeCpu" },
        .{ "{\"label\": \"pool\", \"minFreeCpu\": \"1.5\"}", "minFreeCpu" },
        .{ "{\"label\": \"pool\", \"minFreeCpu\": 1.5}", "minFreeCpu" },
        .{ "{\"label\": \"pool\", \"minFreeCpu\": \"1Gi\"}", "minFreeCpu" },
        .{ "{\"label\": \"pool\", \"minFreeCpu\": null}", "minFreeCpu" },
    };
    for (wrong) |case| try std.testing.expect(std.mem.find(u8, host.configure(case[0]) orelse "", case[1]) != null);
}
