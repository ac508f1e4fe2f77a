//! Adapts a plugin's file to the interface of the C SDK.

const std = @import("std");
const c = @import("c");
const arguments = @import("arguments.zig");
const berth = @import("berth.zig");

fn Return(comptime function: anytype) type {
    return @typeInfo(@TypeOf(function)).@"fn".return_type.?;
}

/// Exports the plugin's name, the facts that it reads, and its functions.
pub fn Component(comptime plugin: type) type {
    return struct {
        const Args = if (@hasDecl(plugin, "Args")) plugin.Args else struct {};
        var args: Args = undefined;

        const described: c.berth_plugin_t = .{
            .name = plugin.name,
            .version = if (@hasDecl(plugin, "version")) plugin.version else null,
            .pod_facts = facts("pod", "POD"),
            .node_facts = facts("node", "NODE"),
            .resident_pod_facts = facts("resident", "POD"),
            .normalization = if (@hasDecl(plugin, "normalization")) plugin.normalization else 0,
            .depends_on_cycle = @hasDecl(plugin, "depends_on_cycle") and plugin.depends_on_cycle,
        };

        fn facts(comptime kind: []const u8, comptime prefix: []const u8) comptime_int {
            var flags = 0;
            if (!@hasField(@TypeOf(plugin.reads), kind)) return flags;
            for (@field(plugin.reads, kind)) |fact| {
                var flag: []const u8 = "BERTH_" ++ prefix ++ "_FACTS_";
                for (@tagName(fact)) |letter| flag = flag ++ .{std.ascii.toUpper(letter)};
                if (!@hasDecl(c, flag)) @compileError("reads: there is no fact " ++ kind ++ "." ++ @tagName(fact));
                flags |= @field(c, flag);
            }
            return flags;
        }

        fn configure(given: *c.berth_arguments) callconv(.c) void {
            args = arguments.read(Args, given);
        }

        fn filter(pod: *const berth.Pod, node: *const berth.Node) callconv(.c) c.berth_verdict_t {
            return @backingInt(call(plugin.filter, pod, node));
        }

        fn score(pod: *const berth.Pod, node: *const berth.Node) callconv(.c) i64 {
            return call(plugin.score, pod, node);
        }

        // The author's function may leave out its last parameter, the arguments.
        inline fn call(comptime function: anytype, pod: *const berth.Pod, node: *const berth.Node) Return(function) {
            return switch (@typeInfo(@TypeOf(function)).@"fn".param_types.len) {
                2 => function(pod, node),
                3 => function(pod, node, &args),
                else => @compileError("filter and score take a pod, a node and, optionally, the arguments"),
            };
        }

        comptime {
            @export(&described, .{ .name = "berth_plugin" });
            @export(&configure, .{ .name = "berth_configure" });
            if (@hasDecl(plugin, "filter")) @export(&filter, .{ .name = "berth_filter" });
            if (@hasDecl(plugin, "score")) @export(&score, .{ .name = "berth_score" });
        }
    };
}
