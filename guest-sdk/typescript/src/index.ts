// The exports for plugins.
export { cpu, flag, mapOf, objectOf, text, whole, type Arguments, type Fields, type Reader } from "./arguments.ts";
export type { Context, Cycle, Fact, Image, Labels, Node, Pod, Scalars, Usage } from "./facts.ts";
export { plugin, type Plugin } from "./plugin.ts";
export { pending, Rejection, unresolvable, unschedulable, type Verdict } from "./verdict.ts";
