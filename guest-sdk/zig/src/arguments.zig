//! Reads a plugin's arguments from JSON into the author's struct. A field `min_free_cpu` is `minFreeCpu` in JSON. A
//! string without a default is required and must not be empty. A `bool` or a `Cpu` must have a default. A `Whole` is
//! always required. An absent `WholeMap` or nested struct is read as an empty object.

const std = @import("std");
const c = @import("c");
const berth = @import("berth.zig");

/// Reads the fields of `T` from `object`. If a required field is missing or a value is wrong, the C SDK refuses the
/// arguments.
pub fn read(comptime T: type, object: *c.berth_arguments) T {
    const info = @typeInfo(T).@"struct";
    var args: T = undefined;
    inline for (info.field_names, info.field_types, info.field_attrs) |name, Field, attributes| {
        const default = comptime attributes.defaultValue(Field);
        @field(args, name) = field(Field, object, comptime camel(name), default);
    }
    return args;
}

fn field(comptime T: type, object: *c.berth_arguments, name: [:0]const u8, comptime default: ?T) T {
    switch (T) {
        [:0]const u8, []const u8 => {
            const found: ?[*:0]const u8 = if (default == null)
                c.berth_text(object, name.ptr)
            else
                c.berth_text_or(object, name.ptr, null);
            return if (found) |text| std.mem.span(text) else default orelse "";
        },
        bool => return c.berth_flag_or(object, name.ptr, default orelse required("bool")),
        berth.Cpu => return .{ .milli = c.berth_cpu_or(object, name.ptr, (default orelse required("Cpu")).milli) },
        else => {
            if (@hasDecl(T, "read")) return T.read(object, name);
            return read(T, c.berth_object(object, name.ptr).?);
        },
    }
}

fn required(comptime name: []const u8) noreturn {
    @compileError("an argument of type " ++ name ++ " needs a default");
}

/// Returns the name of a field in JSON.
pub fn camel(comptime name: []const u8) [:0]const u8 {
    var json: [:0]const u8 = "";
    var upper = false;
    for (name) |letter| {
        if (letter != '_') json = json ++ .{if (upper) std.ascii.toUpper(letter) else letter};
        upper = letter == '_';
    }
    return json;
}
