//! Write a filter or a score for Berth in Zig.
//!
//! A plugin is a file with `pub const name`, `pub const reads`, and `pub fn filter` or `pub fn score` or both. A
//! plugin with arguments also has `pub const Args`. This SDK calls the C SDK. `c` has the types of the contract and the
//! functions of the C SDK.

const std = @import("std");

pub const c = @import("c");
pub const Component = @import("component.zig").Component;
pub const testing = @import("testing.zig");

/// The pod that is being scheduled. Fields of facts that the plugin does not read are empty.
pub const Pod = c.berth_pod_t;
/// A node. Fields of facts that the plugin does not read are empty.
pub const Node = c.berth_node_t;

/// The answer of a filter about a node: `.fits`, or the result of `unschedulable` or `unresolvable`.
pub const Verdict = enum(c.berth_verdict_t) { fits = 0, _ };

/// Rejects the node: the pod does not fit now, but may fit if pods are removed from the node.
pub fn unschedulable(comptime format: []const u8, values: anytype) Verdict {
    return reject(c.BERTH_CODE_UNSCHEDULABLE, format, values);
}

/// Rejects the node: the pod does not fit, whatever pods are removed from the node (UnschedulableAndUnresolvable).
pub fn unresolvable(comptime format: []const u8, values: anytype) Verdict {
    return reject(c.BERTH_CODE_UNSCHEDULABLE_AND_UNRESOLVABLE, format, values);
}

fn reject(code: c.berth_code_t, comptime format: []const u8, values: anytype) Verdict {
    // The host also cuts a reason to 1024 bytes. The last byte of the buffer is for the NUL.
    var buffer: [1025]u8 = undefined;
    const reason = std.fmt.bufPrintSentinel(&buffer, format, values, 0) catch cut: {
        buffer[buffer.len - 1] = 0;
        break :cut buffer[0 .. buffer.len - 1 :0];
    };
    return @fromBackingInt(@intCast(c.berth_reject(code, reason.ptr)));
}

/// Returns the value of a label or an annotation; null if absent.
pub fn label(labels: *const c.berth_list_label_t, key: []const u8) ?[:0]const u8 {
    for (slice(labels)) |entry| {
        if (std.mem.eql(u8, text(entry.key), key)) return text(entry.value);
    }
    return null;
}

/// Returns the quantity of a scalar resource such as nvidia.com/gpu, in whole units; 0 if absent.
pub fn scalar(scalars: *const c.berth_list_scalar_t, name: []const u8) i64 {
    for (slice(scalars)) |entry| {
        if (std.mem.eql(u8, text(entry.name), name)) return entry.quantity;
    }
    return 0;
}

/// Converts a string of the contract. After its last byte, the result has a NUL.
pub fn text(given: c.berth_string_t) [:0]const u8 {
    return if (given.len > 0) given.ptr[0..given.len :0] else "";
}

/// Converts a list of the contract. Does not use the pointer of an empty list, because that pointer may be invalid.
pub fn slice(list: anytype) []const std.meta.Child(@TypeOf(list.ptr)) {
    return if (list.len > 0) list.ptr[0..list.len] else &.{};
}

/// Writes a line to the host's log.
pub fn log(level: enum(u8) { err, warn, info, debug }, message: [:0]const u8) void {
    c.berth_log(@backingInt(level), "%s", message.ptr);
}

/// A type for arguments: a cpu quantity, written as in Kubernetes: 2, "2" or "500m". `milli` is in millicores.
pub const Cpu = struct { milli: i64 = 0 };

/// A type for arguments: a whole number from `least` to `most`.
pub fn Whole(comptime least: i64, comptime most: i64) type {
    return struct {
        value: i64,

        pub fn read(object: *c.berth_arguments, field: [:0]const u8) @This() {
            return .{ .value = c.berth_whole(object, field.ptr, least, most) };
        }
    };
}

/// A type for arguments: an object whose fields are all whole numbers. An absent object is empty.
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
