// Says whether exchanges with a server keep to its OpenAPI description. The first line of the input is the description,
// each later one an exchange: {method, path, status, headers, body, sent}, where `body` is the answer's text and `sent`
// the request's, or null. For each it prints one line: the list of what is not as described.
import { createInterface } from "node:readline";
import addFormats from "ajv-formats";
import Ajv2020 from "ajv/dist/2020.js";

// Headers that an answer may have only where the description names them.
const TOLD = ["ETag", "Link", "Location", "Retry-After", "WWW-Authenticate"];
const METHODS = ["get", "post", "put", "patch", "delete"];

// Every value in a JSON document that is an object.
function* objects(json) {
  if (json === null || typeof json !== "object") return;
  if (!Array.isArray(json)) yield json;
  for (const value of Object.values(json)) yield* objects(value);
}

// A description by which a field that it does not name is wrong: what is answered has to be told. Schemas that others are
// made of by `allOf` stay open, and those made of them are closed as a whole.
function closed(description) {
  const copy = structuredClone(description);
  const parts = new Set();
  for (const schema of objects(copy)) {
    if (!Array.isArray(schema.allOf)) continue;
    for (const part of schema.allOf) parts.add(resolve(copy, part));
    schema.unevaluatedProperties = false;
  }
  for (const schema of objects(copy)) {
    const isSchema = schema.type !== undefined && schema.properties !== undefined && !Array.isArray(schema.allOf);
    if (isSchema && !parts.has(schema)) schema.additionalProperties ??= false;
  }
  return copy;
}

// What a reference within the document leads to; anything else is itself.
function resolve(document, value) {
  if (typeof value?.$ref !== "string") return value;
  const steps = value.$ref.slice(2).split("/");
  return steps.reduce((json, step) => json[step.replaceAll("~1", "/").replaceAll("~0", "~")], document);
}

class Schemas {
  constructor(id, description) {
    this.id = id;
    this.ajv = new Ajv2020({ allErrors: true, strict: false });
    addFormats(this.ajv);
    this.ajv.addSchema({ $id: id, components: description.components });
    this.compiled = new Map();
  }

  complaints(schema, value, what) {
    let validate = this.compiled.get(schema);
    if (!validate) {
      const text = JSON.stringify(schema).replaceAll('"$ref":"#', `"$ref":"${this.id}#`);
      validate = this.ajv.compile(JSON.parse(text));
      this.compiled.set(schema, validate);
    }
    if (validate(value)) return [];
    const told = (error) => `${what}${error.instancePath}: ${error.message} ${JSON.stringify(error.params)}`;
    return validate.errors.map(told);
  }
}

class Description {
  constructor(document) {
    this.document = closed(document);
    this.answers = new Schemas("urn:g1t:answers", this.document);
    this.requests = new Schemas("urn:g1t:requests", document);
    this.routes = Object.entries(this.document.paths).flatMap(([path, item]) =>
      METHODS.filter((method) => item[method]).map((method) => ({
        method,
        operation: item[method],
        sent: document.paths[path][method].requestBody,
        pattern: this.pattern(path, item[method]),
        // Literal segments come before parameters: `/queue/entries` before `/queue/{branch}`.
        order: path.split("/").map((segment) => (segment.startsWith("{") ? "1" : "0")).join(""),
      })),
    );
    this.routes.sort((a, b) => (a.order < b.order ? -1 : 1));
  }

  pattern(path, operation) {
    const rest = new Set();
    for (const one of operation.parameters ?? []) {
      const parameter = resolve(this.document, one);
      if (parameter.in === "path" && parameter["x-g1t-rest"]) rest.add(parameter.name);
    }
    const segments = path.split("/").map((segment) => {
      const name = segment.match(/^\{(.+)\}$/)?.[1];
      if (name === undefined) return segment.replaceAll(".", "\\.");
      return rest.has(name) ? ".+" : "[^/]+";
    });
    return new RegExp(`^${segments.join("/")}$`);
  }

  complaints(exchange) {
    const method = exchange.method === "HEAD" ? "get" : exchange.method.toLowerCase();
    const path = exchange.path.replace(/^\/api\/v3(?=\/)/, "");
    const route = this.routes.find((one) => one.method === method && one.pattern.test(path));
    if (!route) return this.noRoute(exchange);
    const named = route.operation.responses[String(exchange.status)];
    if (!named) return [`the status ${exchange.status} is not named`];
    const response = resolve(this.document, named);
    const complaints = [...this.headers(response, exchange), ...this.body(response, exchange)];
    if (route.sent && exchange.sent && exchange.status < 300) {
      const schema = route.sent.content["application/json"].schema;
      complaints.push(...this.requests.complaints(schema, JSON.parse(exchange.sent), "request"));
    }
    return complaints;
  }

  noRoute(exchange) {
    if (exchange.status !== 404 && exchange.status !== 405) return ["no path and method is described for it"];
    if (exchange.method === "HEAD") return [];
    const schema = this.document.components.schemas.Problem;
    return this.answers.complaints(schema, JSON.parse(exchange.body), "answer");
  }

  headers(response, exchange) {
    const described = response.headers ?? {};
    const value = (name) => exchange.headers[name.toLowerCase()];
    const complaints = TOLD.filter((name) => value(name) !== undefined && !described[name]).map(
      (name) => `the header ${name} is not named`,
    );
    for (const [name, one] of Object.entries(described)) {
      const header = resolve(this.document, one);
      if (value(name) !== undefined) {
        complaints.push(...this.answers.complaints(header.schema, value(name), `header ${name}`));
      } else if (header.required) {
        complaints.push(`the header ${name} is missing`);
      }
    }
    return complaints;
  }

  body(response, exchange) {
    if (exchange.method === "HEAD") return [];
    if (!response.content) return exchange.body === "" ? [] : ["there is a body"];
    const kind = (exchange.headers["content-type"] ?? "").split(";")[0];
    const content = response.content[kind];
    if (!content) return [`the type ${kind} is not named`];
    const value = kind.endsWith("json") ? JSON.parse(exchange.body) : exchange.body;
    return this.answers.complaints(content.schema, value, "answer");
  }
}

let description;
for await (const line of createInterface({ input: process.stdin })) {
  if (description) console.log(JSON.stringify(description.complaints(JSON.parse(line))));
  else description = new Description(JSON.parse(line));
}
