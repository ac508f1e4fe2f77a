//! Write a filter or a score for Berth in Zig.
//!
//! A plugin is a file with `pub const name`, `pub const reads` and `pub fn filter` or `pub fn score` or both, and with
//! `pub const Args` where it takes arguments. The rest is the C SDK, whose types are those of the contract (`c`).

const std = @import("std");

pub const c = @import("c");
pub const Component = @import("component.zig").Component;
pub const testing = @import("testing.zig");

/// The pod to be placed. Fields that the plugin does not read are empty.
pub const Pod = c.berth_pod_t;
/// A node. Fields that the plugin does not read are empty.
pub const Node = c.berth_node_t;

/// What a filter says about a node: `.fits`, or what the functions below return.
pub const Verdict = enum(c.berth_verdict_t) { fits = 0, _ };

/// Not on this node as things are, and why; taking pods away might help.
pub fn unschedulable(comptime format: []const u8, values: anytype) Verdict {
    return reject(c.BERTH_CODE_UNSCHEDULABLE, format, values);
}

/// Not on this node whatever pods are taken away (UnschedulableAndUnresolvable).
pub fn unresolvable(comptime format: []const u8, values: anytype) Verdict {
    return reject(c.BERTH_CODE_UNSCHEDULABLE_AND_UNRESOLVABLE, format, values);
}

fn reject(code: c.berth_code_t, comptime format: []const u8, values: anytype) Verdict {
    // The host keeps no more than this of a reason.
    var buffer: [1025]u8 = undefined;
    const reason = std.fmt.bufPrintSentinel(&buffer, format, values, 0) catch cut: {
        buffer[buffer.len - 1] = 0;
        break :cut buffer[0 .. buffer.len - 1 :0];
    };
    return @fromBackingInt(@intCast(c.berth_reject(code, reason.ptr)));
}

/// The value of a label or an annotation.
pub fn label(labels: *const c.berth_list_label_t, key: []const u8) ?[:0]const u8 {
    for (slice(labels)) |entry| {
        if (std.mem.eql(u8, text(entry.key), key)) return text(entry.value);
    }
    return null;
}

/// The quantity of an extended resource such as nvidia.com/gpu; 0 where there is none.
pub fn scalar(scalars: *const c.berth_list_scalar_t, name: []const u8) i64 {
    for (slice(scalars)) |entry| {
        if (std.mem.eql(u8, text(entry.name), name)) return entry.quantity;
    }
    return 0;
}

/// A text of the contract. It ends with a NUL as well.
pub fn text(given: c.berth_string_t) [:0]const u8 {
    return if (given.len > 0) given.ptr[0..given.len :0] else "";
}

/// A list of the contract. An empty one may point nowhere.
pub fn slice(list: anytype) []const std.meta.Child(@TypeOf(list.ptr)) {
    return if (list.len > 0) list.ptr[0..list.len] else &.{};
}

/// A line in the host's log.
pub fn log(level: enum(u8) { err, warn, info, debug }, message: [:0]const u8) void {
    c.berth_log(@backingInt(level), "%s", message.ptr);
}

/// An argument: cpu in millicores, written as in Kubernetes: 2, "2" or "500m".
pub const Cpu = struct { milli: i64 = 0 };

/// An argument: a whole number from `least` to `most`.
pub fn Whole(comptime least: i64, comptime most: i64) type {
    return struct {
        value: i64,

        pub fn read(object: *c.berth_arguments, field: [:0]const u8) @This() {
            return .{ .value = c.berth_whole(object, field.ptr, least, most) };
        }
    };
}

/// An argument: an object whose fields are all whole numbers; empty where it is absent.
pub fn WholeMap(comptime least: i64, comptime most: i64) type {
    return struct {
        map: *const c.berth_map,

        pub fn get(self: @This(), key: [:0]const u8) ?i64 {
            const found = c.berth_number_of(self.map, key.ptr, least - 1);
            return if (found < least) null else found;
        }

        pub fn read(object: *c.berth_arguments, field: [:0]const u8) @This() {
            return .{ .map = c.berth_whole_map(object, field.ptr, least, most).? };
        }
    };
}
