// Reads an OpenAPI description from the standard input and checks it against OpenAPI's own schema. Prints "openapi: fine",
// or what is wrong.
import { text } from "node:stream/consumers";
import { Validator } from "@seriousme/openapi-schema-validator";

const validator = new Validator();
const result = await validator.validate(JSON.parse(await text(process.stdin)));
if (result.valid && validator.version === "3.1") console.log("openapi: fine");
else console.log(JSON.stringify(result.errors ?? validator.version, null, 2));
