//! Tests of arguments of every type, and of the functions that a plugin may call.

const std = @import("std");
const berth = @import("berth");

const plugin = struct {
    pub const name = "test";
    pub const version = "1.2";
    pub const reads = .{ .node = .{ .facts = .{ .labels, .usage } } };
    pub const Args = struct {
        label: [:0]const u8 = "a \"b\" \\ \n",
        strict: bool = true,
        weights: berth.WholeMap(0, 100),
        within: struct { most_nodes: berth.Whole(-5, 5), cpu: berth.Cpu = .{ .milli = 7 } },
    };

    var seen: Args = undefined;

    pub fn filter(_: *const berth.Pod, node: *const berth.Node, args: *const Args) berth.Verdict {
        seen = args.*;
        berth.log(.debug, "asked");
        if (berth.scalar(&node.get(.usage).scalars, "example.com/gpu") > 0) return .fits;
        return berth.unschedulable("{s}", .{@as([2000]u8, @splat(120))});
    }
};

const host = berth.testing.Host(plugin);

test "arguments of every type are read" {
    try std.testing.expectEqual(null, host.configure("{\"label\": \"a\", \"within\": {\"mostNodes\": -5, \"cpu\": 2}, \"strict\": false}"));
    host.node("n", .{});
    _ = host.filter(.{}, "n");
    try std.testing.expectEqualStrings("a", plugin.seen.label);
    try std.testing.expectEqual(-5, plugin.seen.within.most_nodes.value);
    try std.testing.expectEqual(2000, plugin.seen.within.cpu.milli);
    try std.testing.expect(!plugin.seen.strict);
}

test "defaults are taken" {
    try std.testing.expectEqual(null, host.configure("{\"within\": {\"mostNodes\": 1}}"));
    _ = host.filter(.{}, "n");
    try std.testing.expectEqualStrings("a \"b\" \\ \n", plugin.seen.label);
    try std.testing.expectEqual(7, plugin.seen.within.cpu.milli);
    try std.testing.expect(plugin.seen.strict);
}

test "errors name the path of a missing or unknown field" {
    const wrong = [_][2][:0]const u8{
        .{ "{}", "within.mostNodes" },
        .{ "{\"within\": {\"mostNodes\": 6}}", "within.mostNodes" },
        .{ "{\"within\": {\"mostNodes\": 1, \"most_nodes\": 1}}", "within.most_nodes" },
        .{ "{\"within\": {\"mostNodes\": 1}, \"strict\": 1}", "strict" },
    };
    for (wrong) |case| try std.testing.expect(std.mem.find(u8, host.configure(case[0]) orelse "", case[1]) != null);
}

test "the schema describes the arguments" {
    const schema = std.mem.span(berth.Component(plugin).described.arguments);
    const expected =
        \\{"type":"object","properties":{"apiVersion":{"type":"string"},"kind":{"type":"string"},
        \\"label":{"type":"string","default":"a \"b\" \\ \u000a"},"strict":{"type":"boolean","default":true},
        \\"weights":{"type":"object","additionalProperties":{"type":"integer","minimum":0,"maximum":100}},
        \\"within":{"type":"object","properties":{"mostNodes":{"type":"integer","minimum":-5,"maximum":5},
        \\"cpu":{"type":["integer","string"],"minimum":0,"pattern":"^[0-9]{1,12}m?$",
        \\"default":"7m"}},"required":["mostNodes"],"additionalProperties":false}},
        \\"required":["within"],"additionalProperties":false}
    ;
    var lines: [1024]u8 = undefined;
    const length = std.mem.replacementSize(u8, expected, "\n", "");
    _ = std.mem.replace(u8, expected, "\n", "", &lines);
    try std.testing.expectEqualStrings(lines[0..length], schema);
    const parsed = try std.json.parseFromSlice(std.json.Value, std.testing.allocator, schema, .{});
    parsed.deinit();
}

test "a reason that is too long is cut" {
    try std.testing.expectEqual("Unschedulable: ".len + 1024, host.filter(.{}, "n").len);
}
