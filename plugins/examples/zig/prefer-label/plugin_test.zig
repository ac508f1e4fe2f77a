//! The test cases of `plugins/examples/README.md`.

const std = @import("std");
const berth = @import("berth");

const host = berth.testing.Host(@import("plugin.zig"));

test "a node scores the weight of its value" {
    try std.testing.expectEqual(null, host.configure("{\"label\": \"tier\", \"weights\": {\"gold\": 100, \"silver\": 50, \"\": 7}}"));
    host.node("gold", .{ .labels = &.{.{ "tier", "gold" }} });
    host.node("silver", .{ .labels = &.{.{ "tier", "silver" }} });
    host.node("bronze", .{ .labels = &.{.{ "tier", "bronze" }} });
    host.node("none", .{});
    try std.testing.expectEqual(100, host.score(.{}, "gold"));
    try std.testing.expectEqual(50, host.score(.{}, "silver"));
    try std.testing.expectEqual(0, host.score(.{}, "bronze"));
    try std.testing.expectEqual(0, host.score(.{}, "none"));
    try std.testing.expectEqual(null, host.configure("{\"apiVersion\": \"v1\", \"kind\": \"PreferLabelArgs\", \"label\": \"tier\"}"));
    try std.testing.expectEqual(0, host.score(.{}, "gold"));
}

test "wrong arguments are refused" {
    const wrong = [_][2][:0]const u8{
        .{ "{}", "label" },
        .{ "{\"label\": \"tier\", \"wieghts\": {}}", "wieghts" },
        .{ "{\"label\": \"tier\", \"weights\": {\"gold\": 101}}", "weights.gold" },
        .{ "{\"label\": \"tier\", \"weights\": {\"gold\": -1}}", "weights.gold" },
        .{ "{\"label\": \"tier\", \"weights\": {\"gold\": 1.5}}", "weights.gold" },
        .{ "{\"label\": \"tier\", \"weights\": {\"gold\": \"1\"}}", "weights.gold" },
    };
    for (wrong) |case| try std.testing.expect(std.mem.find(u8, host.configure(case[0]) orelse "", case[1]) != null);
}
