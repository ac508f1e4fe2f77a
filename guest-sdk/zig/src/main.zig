//! The root of a component: imports the author's file, and defines what a panic does.

const std = @import("std");
const berth = @import("berth");

comptime {
    _ = berth.Component(@import("plugin"));
}

/// Logs the panic's message in the host's log, before the call traps.
pub const panic = std.debug.FullPanic(struct {
    fn panic(message: []const u8, _: ?usize) noreturn {
        berth.c.berth_log(berth.c.BERTH_LOG_LEVEL_ERROR, "panic: %.*s", @as(c_int, @intCast(message.len)), message.ptr);
        @trap();
    }
}.panic);
