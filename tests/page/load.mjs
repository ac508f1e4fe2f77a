// A load for a simulated cluster: creates pods at a rate, and deletes each when it has a node.

import { Agent, request } from "node:http";

/** The largest number of pods that wait for a node. A slower machine gets fewer pods. */
const MOST_WAITING = 500;

/** The time between two rounds, in milliseconds. */
const PERIOD = 50;

const PODS = "/api/v1/namespaces/default/pods";

/** Creates and deletes pods until it is stopped. */
export class Load {
  /** The number of pods that were created, got a node, and were deleted. */
  created = 0;
  placed = 0;
  deleted = 0;

  constructor(origin, rate) {
    this.origin = origin;
    this.rate = rate;
    this.agent = new Agent({ keepAlive: true, maxSockets: 32 });
    this.errors = new Set();
    this.watchers = [];
  }

  start() {
    this.watch();
    let due = 0;
    let last = performance.now();
    this.timer = setInterval(() => {
      const now = performance.now();
      due = Math.min(due + (this.rate * (now - last)) / 1000, this.rate);
      last = now;
      while (due >= 1 && this.created - this.placed < MOST_WAITING) {
        due -= 1;
        this.create();
      }
    }, PERIOD);
  }

  /** Waits until so many pods have a node. */
  untilPlaced(count) {
    return new Promise((done) => { this.watchers.push({ count, done }); });
  }

  /** Stops, deletes the pods that are left, and returns what went wrong. */
  async stop() {
    clearInterval(this.timer);
    await this.send("DELETE", `${PODS}?labelSelector=load&gracePeriodSeconds=0`);
    this.watching?.destroy();
    this.agent.destroy();
    return [...this.errors].map((error) => `load: ${error}`);
  }

  create() {
    this.created += 1;
    const metadata = { name: `load-${this.created}`, labels: { load: "true" } };
    const containers = [{ name: "main", image: "example", resources: { requests: { cpu: "100m", memory: "64Mi" } } }];
    this.send("POST", PODS, { apiVersion: "v1", kind: "Pod", metadata, spec: { containers } });
  }

  send(method, path, body) {
    return new Promise((done) => {
      const headers = { "content-type": "application/json" };
      const sent = request(`${this.origin}${path}`, { method, agent: this.agent, headers }, (answer) => {
        if (answer.statusCode >= 400 && answer.statusCode !== 404) this.errors.add(`${method} ${path.slice(0, 60)}: ${answer.statusCode}`);
        answer.resume();
        answer.on("end", done);
      });
      sent.on("error", (error) => { this.errors.add(`${method}: ${error.message}`); done(); });
      sent.end(body && JSON.stringify(body));
    });
  }

  /** Deletes each pod of the load when it has a node. */
  watch() {
    const seen = new Set();
    let rest = "";
    this.watching = request(`${this.origin}/api/v1/pods?watch=true&labelSelector=load`, (answer) => {
      answer.setEncoding("utf8");
      answer.on("data", (part) => {
        const lines = (rest + part).split("\n");
        rest = lines.pop();
        for (const line of lines) this.see(JSON.parse(line), seen);
      });
    });
    this.watching.on("error", () => {});
    this.watching.end();
  }

  see({ type, object: { metadata: { name }, spec } }, seen) {
    if (type === "DELETED") {
      seen.delete(name);
      this.deleted += 1;
    } else if (spec.nodeName && !seen.has(name)) {
      seen.add(name);
      this.placed += 1;
      this.send("DELETE", `${PODS}/${name}?gracePeriodSeconds=0`);
      this.watchers = this.watchers.filter(({ count, done }) => this.placed < count || done());
    }
  }
}
