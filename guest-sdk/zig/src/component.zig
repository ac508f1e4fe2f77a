//! Adapts a plugin's file to the interface of the C SDK.

const std = @import("std");
const c = @import("c");
const arguments = @import("arguments.zig");
const berth = @import("berth.zig");
const schema = @import("schema.zig");

fn Return(comptime function: anytype) type {
    return @typeInfo(@TypeOf(function)).@"fn".return_type.?;
}

/// Exports the plugin's name, the facts that it reads, and its functions.
pub fn Component(comptime plugin: type) type {
    return struct {
        const Args = if (@hasDecl(plugin, "Args")) plugin.Args else struct {};
        const Reads = @TypeOf(plugin.reads);
        var args: Args = undefined;

        const resident_pods = reads("resident_pods", "POD");
        const pending_pods = reads("pending_pods", "POD");

        pub const described: c.berth_plugin_t = .{
            .name = plugin.name,
            .version = if (@hasDecl(plugin, "version")) plugin.version else null,
            .arguments = schema.of(Args).ptr,
            .pod = reads("pod", "POD"),
            .node = reads("node", "NODE"),
            .resident_pods = if (@hasField(Reads, "resident_pods")) &resident_pods else null,
            .pending_pods = if (@hasField(Reads, "pending_pods")) &pending_pods else null,
            .normalization = if (@hasDecl(plugin, "normalization")) plugin.normalization else 0,
            .depends_on_cycle = @hasDecl(plugin, "depends_on_cycle") and plugin.depends_on_cycle,
        };

        /// Returns what the plugin reads of pods or nodes, from `.{ .facts = .{.labels}, .label_keys = .{"app"} }`.
        fn reads(comptime kind: []const u8, comptime prefix: []const u8) c.berth_reads_t {
            var declared: c.berth_reads_t = .{};
            if (!@hasField(Reads, kind)) return declared;
            const given = @field(plugin.reads, kind);
            for (@typeInfo(@TypeOf(given)).@"struct".field_names) |list| {
                if (!@hasField(c.berth_reads_t, list)) {
                    @compileError("reads." ++ kind ++ ": expected facts, label_keys, annotation_keys or fields");
                }
                if (!std.mem.eql(u8, list, "facts")) @field(declared, list) = texts(@field(given, list));
            }
            if (@hasField(@TypeOf(given), "facts")) declared.facts = facts(given.facts, kind, prefix);
            return declared;
        }

        fn facts(comptime given: anytype, comptime kind: []const u8, comptime prefix: []const u8) comptime_int {
            var flags = 0;
            for (given) |fact| {
                var flag: []const u8 = "BERTH_" ++ prefix ++ "_FACTS_";
                for (@tagName(fact)) |letter| flag = flag ++ .{std.ascii.toUpper(letter)};
                if (!@hasDecl(c, flag)) @compileError("reads: there is no fact " ++ kind ++ "." ++ @tagName(fact));
                flags |= @field(c, flag);
            }
            return flags;
        }

        /// Converts the strings of a list. The result ends with NULL.
        fn texts(comptime given: anytype) [*c]const [*c]const u8 {
            var list: [given.len + 1][*c]const u8 = @splat(null);
            var count = 0;
            for (given) |text| {
                if (@TypeOf(text) == @EnumLiteral()) continue;
                list[count] = text;
                count += 1;
            }
            const fixed = list;
            return &fixed;
        }

        fn configure(given: *c.berth_arguments) callconv(.c) void {
            args = arguments.read(Args, given);
            inline for (.{ "pod", "node", "resident_pods", "pending_pods" }) |kind| {
                declareNamed(kind, "label_keys", c.BERTH_OF_LABEL_KEYS);
                declareNamed(kind, "annotation_keys", c.BERTH_OF_ANNOTATION_KEYS);
                declareNamed(kind, "fields", c.BERTH_OF_FIELDS);
            }
        }

        /// Declares the keys and paths that arguments name. They are enum literals in `reads`.
        fn declareNamed(comptime kind: []const u8, comptime list: []const u8, of: c.berth_list_of_reads) void {
            if (!@hasField(Reads, kind) or !@hasField(@FieldType(Reads, kind), list)) return;
            inline for (@field(@field(plugin.reads, kind), list)) |name| {
                if (@TypeOf(name) == @EnumLiteral()) {
                    const text: [:0]const u8 = @field(args, @tagName(name));
                    if (text.len > 0) c.berth_read(whose(kind), of, text.ptr);
                }
            }
        }

        fn whose(comptime kind: []const u8) *const c.berth_reads_t {
            const declared = &@field(described, kind);
            return if (@TypeOf(declared.*) == c.berth_reads_t) declared else declared.*;
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
