//! Tests of the plugin. They run natively, with a host that sends nodes and pods as Berth does.

const std = @import("std");
const berth = @import("berth");

const host = berth.testing.Host(@import("plugin.zig"));

const other = "UnschedulableAndUnresolvable: node(s) belong to another team";

fn begin(arguments: [:0]const u8) !void {
    try std.testing.expectEqual(null, host.configure(arguments));
    host.node("red-1", .{ .labels = &.{.{ "team", "red" }} });
    host.node("blue-1", .{ .labels = &.{ .{ "team", "blue" }, .{ "crew", "red" } } });
}

test "a team keeps to its nodes" {
    try begin("{}");
    try std.testing.expectEqualStrings("fits", host.filter(.{ .labels = &.{.{ "team", "red" }} }, "red-1"));
    try std.testing.expectEqualStrings(other, host.filter(.{ .labels = &.{.{ "team", "red" }} }, "blue-1"));
    try std.testing.expectEqualStrings("fits", host.filter(.{}, "blue-1"));
}

test "the label is an argument" {
    try begin("{\"label\": \"crew\"}");
    try std.testing.expectEqualStrings("fits", host.filter(.{ .labels = &.{.{ "crew", "red" }} }, "blue-1"));
    try std.testing.expectEqualStrings(other, host.filter(.{ .labels = &.{.{ "crew", "red" }} }, "red-1"));
}
