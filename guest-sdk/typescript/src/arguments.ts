// Readers of a plugin's arguments. They check the values, and their errors name the wrong field. The host checks the
// arguments by the readers' JSON Schemas before the plugin reads them.

/**
 * Reads one field. A reader is an object and not a function, because TypeScript can't infer the types of arguments
 * through functions that return functions.
 */
export interface Reader<T> {
  /** Returns the value. `path` names the field in errors. `undefined` means that the field is absent. */
  read(value: unknown, path: string): T;
  /** The JSON Schema of the field. */
  readonly schema: Schema;
  /** True if the field must not be absent. */
  readonly isRequired: boolean;
}
/** A JSON Schema. */
export type Schema = { readonly [keyword: string]: unknown };
/** A reader per field. */
export type Fields = { readonly [name: string]: Reader<unknown> };
/** The values that the readers of these fields return. */
export type Arguments<F extends Fields> = { readonly [K in keyof F]: F[K] extends Reader<infer T> ? T : never };

/**
 * Returns a reader of a string. `otherwise` is the value of an absent field. Without `otherwise`, the field is required
 * and must not be empty.
 */
export function text(otherwise?: string): Reader<string> {
  return {
    ...described(otherwise === undefined ? { type: "string", minLength: 1 } : { type: "string" }, otherwise),
    read(value, path) {
      if (value === undefined && otherwise !== undefined) return otherwise;
      if (typeof value === "string" && (value !== "" || otherwise !== undefined)) return value;
      throw mismatch(value, path, otherwise === undefined ? "a string that is not empty" : "a string");
    },
  };
}

/** Returns a reader of a boolean. `otherwise` is the value of a field that is absent or null. */
export function flag(otherwise?: boolean): Reader<boolean> {
  return {
    ...described({ type: otherwise === undefined ? "boolean" : ["boolean", "null"] }, otherwise),
    read(value, path) {
      const given = value ?? otherwise;
      if (typeof given === "boolean") return given;
      throw mismatch(value, path, "true or false");
    },
  };
}

/** Returns a reader of a whole number from `least` to `most`. `otherwise` is the value of an absent field. */
export function whole(least: number, most: number, otherwise?: number): Reader<number> {
  return {
    ...described({ type: "integer", minimum: least, maximum: most }, otherwise),
    read(value, path) {
      const given = value === undefined ? otherwise : value;
      if (Number.isSafeInteger(given) && (given as number) >= least && (given as number) <= most) return given as number;
      throw mismatch(value, path, `a whole number from ${least} to ${most}`);
    },
  };
}

/**
 * Returns a reader of a cpu quantity in millicores, written as in Kubernetes: `2`, `"2"` or `"500m"`. `otherwise` is
 * the value of an absent field, in millicores.
 */
export function cpu(otherwise?: number): Reader<number> {
  const forms = { type: ["integer", "string"], minimum: 0, maximum: 10 ** 12 - 1, pattern: "^[0-9]{1,12}m?$" };
  return {
    ...described(forms, otherwise === undefined ? undefined : `${otherwise}m`),
    read(value, path) {
      if (value === undefined && otherwise !== undefined) return otherwise;
      const parts = typeof value === "string" || typeof value === "number" ? /^(\d{1,12})(m?)$/.exec(String(value)) : null;
      if (parts) return Number(parts[1]) * (parts[2] ? 1 : 1000);
      throw mismatch(value, path, 'cpu as in 2 or "500m"');
    },
  };
}

/** Returns a reader of an object with any keys. `reader` reads each value. An absent or null object is empty. */
export function mapOf<T>(reader: Reader<T>): Reader<{ readonly [key: string]: T | undefined }> {
  return {
    ...described({ type: ["object", "null"], additionalProperties: reader.schema }, {}),
    read(value, path) {
      const map: { [key: string]: T } = Object.create(null);
      for (const [key, field] of Object.entries(object(value ?? {}, path))) map[key] = reader.read(field, join(path, key));
      return map;
    },
  };
}

/** Returns a reader of an object with these fields and no others. */
export function objectOf<F extends Fields>(fields: F): Reader<Arguments<F>> {
  const properties = Object.fromEntries(Object.entries(fields).map(([name, { schema }]) => [name, schema]));
  const required = Object.keys(fields).filter((name) => fields[name]!.isRequired);
  return {
    ...described({ type: "object", properties, required, additionalProperties: false }),
    read(value, path) {
      const given = object(value, path);
      const unknown = Object.keys(given).find((name) => !Object.hasOwn(fields, name));
      if (unknown !== undefined) {
        throw new Error(`unknown field ${join(path, unknown)}; known fields: ${Object.keys(fields).join(", ") || "none"}`);
      }
      const read = ([name, reader]: [string, Reader<unknown>]) => [name, reader.read(own(given, name), join(path, name))];
      return Object.fromEntries(Object.entries(fields).map(read)) as Arguments<F>;
    },
  };
}

/** Reads a plugin's arguments from JSON. */
export function parseArguments<F extends Fields>(fields: F, json: string): Arguments<F> {
  // A KubeSchedulerConfiguration allows apiVersion and kind in the arguments of every plugin.
  const { apiVersion: _, kind: __, ...given } = object(JSON.parse(json), "");
  return objectOf(fields).read(given, "");
}

/** Returns the JSON Schema of a plugin's arguments, as JSON. */
export function schemaOf(fields: Fields): string {
  const { schema } = objectOf(fields);
  const properties = { apiVersion: { type: "string" }, kind: { type: "string" }, ...(schema.properties as Schema) };
  return JSON.stringify({ ...schema, properties });
}

function described(schema: Schema, otherwise?: unknown): { readonly schema: Schema; readonly isRequired: boolean } {
  if (otherwise === undefined) return { schema, isRequired: true };
  return { schema: { ...schema, default: otherwise }, isRequired: false };
}

function object(value: unknown, path: string): { [name: string]: unknown } {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as { [name: string]: unknown };
  throw mismatch(value, path || "arguments", "an object");
}

function own(object: { [name: string]: unknown }, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

function join(path: string, name: string): string {
  return path ? `${path}.${name}` : name;
}

function mismatch(value: unknown, path: string, expected: string): Error {
  return new Error(`${path}: expected ${expected}, got ${value === undefined ? "nothing" : JSON.stringify(value)}`);
}
