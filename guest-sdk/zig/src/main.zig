//! The root of a component: the author's file, and what happens when it panics.

const std = @import("std");
const berth = @import("berth");

comptime {
    _ = berth.Component(@import("plugin"));
}

/// The host's log has the words for the trap that follows.
pub const panic = std.debug.FullPanic(struct {
    fn panic(message: []const u8, _: ?usize) noreturn {
        berth.c.berth_log(berth.c.BERTH_LOG_LEVEL_ERROR, "panic: %.*s", @as(c_int, @intCast(message.len)), message.ptr);
        @trap();
    }
}.panic);
