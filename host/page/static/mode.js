// Whether the page can change the cluster: only a simulated one.

import { read } from "./api.js";

/** Whether people can only look. */
export const { readOnly } = await read("mode.json").catch(() => ({ readOnly: true }));
