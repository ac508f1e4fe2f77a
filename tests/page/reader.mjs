// A thread that reads what the web page reads, and draws nothing. Sends a message when it has read all nodes.
// workerData: the address of the simulator

import { get } from "node:http";
import { parentPort, workerData } from "node:worker_threads";

/** The time in milliseconds after which the page reads the pending pods again. */
const PERIOD = 2000;

const read = (path, seen) => get(`${workerData}${path}`, (answer) => answer.on("data", seen));

read("/berth/v1/cluster?watch=true", () => parentPort.postMessage("reads"));
setInterval(() => read("/berth/v1/queue", () => {}), PERIOD);
