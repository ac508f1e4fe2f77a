//! Write a filter or a score for Berth in Zig.
//!
//! A plugin is a file with `pub const name`, `pub const reads`, and `pub fn filter` or `pub fn score` or both. A
//! plugin with arguments also has `pub const Args`. This SDK calls the C SDK. `c` has the types of the contract and the
//! functions of the C SDK.

const std = @import("std");

pub const c = @import("c");
pub const Component = @import("component.zig").Component;
pub const testing = @import("testing.zig");

/// A pod: the pod that is being scheduled, a pod on a node, or a pending pod.
pub const Pod = extern struct {
    raw: c.berth_pod,

    /// Returns a fact, as in `pod.get(.requests).fit.milli_cpu`. wit/facts.wit describes the facts. If `reads` does not
    /// declare the fact, the result is empty, and the call fails with a message that names the fact.
    pub inline fn get(pod: *const Pod, comptime fact: @EnumLiteral()) Fact("pod", fact) {
        return convert("pod", fact, @field(c, "berth_pod_" ++ @tagName(fact))(&pod.raw));
    }

    /// Returns the value of a label; null if absent. `reads` declares the key, or all labels.
    pub fn label(pod: *const Pod, key: [:0]const u8) ?[:0]const u8 {
        return optional(c.berth_pod_label(&pod.raw, key.ptr));
    }

    /// Like `label`.
    pub fn annotation(pod: *const Pod, key: [:0]const u8) ?[:0]const u8 {
        return optional(c.berth_pod_annotation(&pod.raw, key.ptr));
    }

    /// Returns the value of a further field that `reads` declares, or of a field below it; null if absent. If the path
    /// passes through lists, it has a value for each element, and `index` selects the value.
    pub fn field(pod: *const Pod, path: [:0]const u8, index: usize) ?Json {
        return json(c.berth_pod_field_at(&pod.raw, path.ptr, index));
    }
};

/// A node.
pub const Node = extern struct {
    raw: c.berth_node,

    /// Returns a fact, as in `node.get(.allocatable).milli_cpu`. `snapshot.node` in wit/plugin.wit describes the facts.
    /// If `reads` does not declare the fact, the result is empty, and the call fails with a message that names the
    /// fact.
    pub inline fn get(node: *const Node, comptime fact: @EnumLiteral()) Fact("node", fact) {
        return convert("node", fact, @field(c, "berth_node_" ++ @tagName(fact))(&node.raw));
    }

    /// Returns the value of a label; null if absent. `reads` declares the key, or all labels.
    pub fn label(node: *const Node, key: [:0]const u8) ?[:0]const u8 {
        return optional(c.berth_node_label(&node.raw, key.ptr));
    }

    /// Like `label`.
    pub fn annotation(node: *const Node, key: [:0]const u8) ?[:0]const u8 {
        return optional(c.berth_node_annotation(&node.raw, key.ptr));
    }

    /// Like the function of `Pod`.
    pub fn field(node: *const Node, path: [:0]const u8, index: usize) ?Json {
        return json(c.berth_node_field_at(&node.raw, path.ptr, index));
    }

    /// Returns the pods on the node, assumed pods included. `reads` has `resident_pods`.
    pub fn pods(node: *const Node) []const *const Pod {
        return @ptrCast(node.get(.pods));
    }
};

/// Returns the pending pods of this scheduler's profiles. `reads` has `pending_pods`.
pub fn pendingPods() []const *const Pod {
    return @ptrCast(slice(c.berth_pending_pods().*));
}

/// The type of a fact: a slice for a list, a string, a pointer to a record, or a value.
fn Fact(comptime kind: []const u8, comptime fact: @EnumLiteral()) type {
    const function = "berth_" ++ kind ++ "_" ++ @tagName(fact);
    if (!@hasDecl(c, function)) @compileError("there is no fact " ++ @tagName(fact) ++ " of a " ++ kind);
    const Return = @typeInfo(@TypeOf(@field(c, function))).@"fn".return_type.?;
    if (@typeInfo(Return) != .pointer) return Return;
    const Child = std.meta.Child(Return);
    if (Child == u8) return [:0]const u8;
    return if (isList(Child)) []const std.meta.Child(@FieldType(Child, "ptr")) else *const Child;
}

fn isList(comptime T: type) bool {
    return @hasField(T, "ptr") and @hasField(T, "len");
}

inline fn convert(comptime kind: []const u8, comptime fact: @EnumLiteral(), given: anytype) Fact(kind, fact) {
    if (Fact(kind, fact) == [:0]const u8) return std.mem.span(given);
    if (@typeInfo(@TypeOf(given)) != .pointer) return given;
    return if (comptime isList(std.meta.Child(@TypeOf(given)))) slice(given.*) else given;
}

fn optional(given: [*c]const u8) ?[:0]const u8 {
    return if (given != null) std.mem.span(given) else null;
}

fn json(given: ?*const c.berth_json) ?Json {
    return if (given) |value| .{ .raw = value } else null;
}

/// A value in JSON.
pub const Json = struct {
    raw: *const c.berth_json,

    /// Returns a string; null for another type.
    pub fn text(value: Json) ?[:0]const u8 {
        return optional(c.berth_json_text(value.raw));
    }

    /// Returns a whole number; `otherwise` for another type.
    pub fn whole(value: Json, otherwise: i64) i64 {
        return c.berth_json_whole(value.raw, otherwise);
    }

    /// Returns a bool; `otherwise` for another type.
    pub fn flag(value: Json, otherwise: bool) bool {
        return c.berth_json_flag(value.raw, otherwise);
    }

    /// Returns a field below the value, by its path; null if absent.
    pub fn field(value: Json, path: [:0]const u8) ?Json {
        return json(c.berth_json_field(value.raw, path.ptr));
    }

    /// Returns the first element of a list or field of an object; null if there is none.
    pub fn first(value: Json) ?Json {
        return json(c.berth_json_first(value.raw));
    }

    /// Returns what follows this element or field; null after the last.
    pub fn next(value: Json) ?Json {
        return json(c.berth_json_next(value.raw));
    }

    /// Returns the name of a field; null for an element of a list.
    pub fn name(value: Json) ?[:0]const u8 {
        return optional(c.berth_json_name(value.raw));
    }
};

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

        const range = .{ least, most };
        pub const schema = std.fmt.comptimePrint("{{\"type\":\"integer\",\"minimum\":{},\"maximum\":{}}}", range);
        pub const is_required = true;

        pub fn read(object: *c.berth_arguments, field: [:0]const u8) @This() {
            return .{ .value = c.berth_whole(object, field.ptr, least, most) };
        }
    };
}

/// A type for arguments: an object whose fields are all whole numbers. An absent object is empty.
pub fn WholeMap(comptime least: i64, comptime most: i64) type {
    return struct {
        map: *const c.berth_map,

        pub const schema = "{\"type\":\"object\",\"additionalProperties\":" ++ Whole(least, most).schema ++ "}";
        pub const is_required = false;

        pub fn get(self: @This(), key: [:0]const u8) ?i64 {
            const found = c.berth_number_of(self.map, key.ptr, least - 1);
            return if (found < least) null else found;
        }

        pub fn read(object: *c.berth_arguments, field: [:0]const u8) @This() {
            return .{ .map = c.berth_whole_map(object, field.ptr, least, most).? };
        }
    };
}
