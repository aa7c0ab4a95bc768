// An SQS-protocol server for the tests, on a free loopback port, which it prints as its first line.
// It ends when its input ends: whoever started it holds the other side, so it cannot outlive them.
import { buildApp } from "fauxqs";

const app = buildApp({ logger: false });
await app.listen({ port: 0, host: "127.0.0.1" });
console.log(`http://127.0.0.1:${app.server.address().port}`);

process.stdin.resume();
process.stdin.on("end", () => process.exit(0));
