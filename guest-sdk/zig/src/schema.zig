//! Makes the JSON Schema of a plugin's arguments from the author's struct. arguments.zig reads the same types.

const std = @import("std");
const arguments = @import("arguments.zig");
const berth = @import("berth.zig");

/// Returns the schema of `Args`.
pub fn of(comptime Args: type) [:0]const u8 {
    // A KubeSchedulerConfiguration allows these in every kind of arguments.
    const names = "\"apiVersion\":{\"type\":\"string\"},\"kind\":{\"type\":\"string\"}";
    return comptime object(Args, names) ++ "";
}

fn object(comptime T: type, comptime first_properties: []const u8) [:0]const u8 {
    @setEvalBranchQuota(100_000);
    const info = @typeInfo(T).@"struct";
    var properties: []const u8 = first_properties;
    var required: []const u8 = "";
    for (info.field_names, info.field_types, info.field_attrs) |name, Field, attributes| {
        const default = attributes.defaultValue(Field);
        const quoted = "\"" ++ arguments.camel(name) ++ "\"";
        properties = properties ++ (if (properties.len > 0) "," else "") ++ quoted ++ ":" ++ value(Field, default);
        if (isRequired(Field, default)) required = required ++ (if (required.len > 0) "," else "") ++ quoted;
    }
    return "{\"type\":\"object\",\"properties\":{" ++ properties ++ "},\"required\":[" ++ required ++
        "],\"additionalProperties\":false}";
}

fn value(comptime T: type, comptime default: ?T) []const u8 {
    switch (T) {
        [:0]const u8, []const u8 => {
            const text = default orelse return "{\"type\":\"string\",\"minLength\":1}";
            return "{\"type\":\"string\",\"default\":" ++ string(text) ++ "}";
        },
        bool => {
            const flag = default orelse return "{\"type\":\"boolean\"}";
            return "{\"type\":\"boolean\",\"default\":" ++ (if (flag) "true" else "false") ++ "}";
        },
        berth.Cpu => {
            const form = "\"type\":[\"integer\",\"string\"],\"minimum\":0,\"pattern\":\"^[0-9]{1,12}m?$\"";
            const cpu = default orelse return "{" ++ form ++ "}";
            return "{" ++ form ++ ",\"default\":\"" ++ std.fmt.comptimePrint("{}", .{cpu.milli}) ++ "m\"}";
        },
        else => {
            if (@hasDecl(T, "schema")) return T.schema;
            return if (@hasDecl(T, "read")) "{}" else object(T, "");
        },
    }
}

fn isRequired(comptime T: type, comptime default: ?T) bool {
    switch (T) {
        [:0]const u8, []const u8 => return default == null,
        bool, berth.Cpu => return false,
        else => {
            if (@hasDecl(T, "is_required")) return T.is_required;
            if (@hasDecl(T, "read")) return false;
            const info = @typeInfo(T).@"struct";
            for (info.field_types, info.field_attrs) |Field, attributes| {
                if (isRequired(Field, attributes.defaultValue(Field))) return true;
            }
            return false;
        },
    }
}

/// Returns a string in JSON.
fn string(comptime text: []const u8) []const u8 {
    var json: []const u8 = "\"";
    for (text) |byte| {
        json = json ++ switch (byte) {
            '"' => "\\\"",
            '\\' => "\\\\",
            0...0x1f => std.fmt.comptimePrint("\\u{x:0>4}", .{byte}),
            else => &[_]u8{byte},
        };
    }
    return json ++ "\"";
}
