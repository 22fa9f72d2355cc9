// Calls every tool, resource and prompt of a docket server through the TypeScript SDK, which checks each structured result against
// the schema that the tool declares.
import assert from "node:assert/strict";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [command, db] = process.argv.slice(2);
const client = new Client({ name: "docket-check", version: "1.0.0" });
client.onerror = (err) => { throw err; };
await client.connect(new StdioClientTransport({ command, args: ["serve", "--db", db], stderr: "ignore" }));

const { tools } = await client.listTools();
const called = new Set();

// call returns a tool's structured result; the SDK has validated it.
async function call(name, args) {
  called.add(name);
  const result = await client.callTool({ name, arguments: args });
  const what = `${name} ${JSON.stringify(args)}`;
  assert.ok(!result.isError, `${what}: ${result.content?.[0]?.text}`);
  assert.equal(result.content.length, 1, `${what}: one text block`);
  if (result.content[0].text !== "The result is in structuredContent.") {
    assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent, `${what}: both copies say the same`);
  }
  return result.structuredContent;
}

// refused expects a tool error: one text block of JSON, and nothing structured.
async function refused(name, args, code) {
  const result = await client.callTool({ name, arguments: args });
  assert.ok(result.isError, `${name} ${JSON.stringify(args)} was taken`);
  assert.equal(result.structuredContent, undefined);
  const error = JSON.parse(result.content[0].text);
  assert.deepEqual(Object.keys(error), ["error", "message", "next_action", "retry_safe"]);
  assert.equal(error.error, code);
}

let hits = [];
for (const query of ["the", "and", "to", "a"]) {
  ({ hits } = await call("search_evidence", { query, limit: 5 }));
  if (hits.length > 0) break;
}
assert.ok(hits.length > 0, "the database answers none of the plainest queries; index some text into it first");
for (const mode of ["lexical", "semantic", "hybrid"]) {
  await call("search_evidence", { query: "(\"what\" AND NEAR(x)) -y:*", mode });
}
await call("search_evidence", { query: "" });
await call("search_evidence", { query: "the", include_history: true });

const ids = hits.map((hit) => hit.evidence_id);
const { outcomes } = await call("fetch_evidence", { evidence_ids: [...ids, "c_aaaaaaaaaaaaaaaaaaaaaaaaaa", "nonsense"] });
assert.equal(outcomes.length, ids.length + 2);
await call("fetch_evidence", { evidence_ids: ids, max_chars: 1 });
for (const relation of ["parent", "children", "siblings", "previous", "next", "table_context"]) {
  await call("navigate_document_tree", { evidence_id: ids[0], relation });
  await call("navigate_document_tree", { evidence_id: "nonsense", relation });
}
const { verdicts } = await call("check_citations", { evidence_ids: [...ids, "nonsense"] });
assert.equal(verdicts[0].verdict, "valid");
assert.equal(verdicts.at(-1).verdict, "invalid_id");
const words = outcomes[0].text.trim().split(/\s+/);
const quotes = [outcomes[0].text, words.join("  \n"), `${words.slice(0, 2).join(" ")} [...] ${words.at(-1)}`, "zyzzogeton zyzzogeton zyzzogeton"]
  .map((quote) => ({ evidence_id: ids[0], quote: quote.slice(0, 4000) }));
const quoted = (await call("check_citations", { evidence_ids: [ids[0]], quotes })).verdicts;
assert.equal(quoted.length, quotes.length, "a verdict for each quote");
assert.equal(quoted[0].quote_status, "exact");
assert.equal(quoted.at(-1).quote_status, "absent");
await refused("check_citations", { evidence_ids: [ids[0]], quotes: [{ evidence_id: ids[0], quote: " " }] }, "invalid_parameter");

await refused("search_evidence", { query: "x", limit: 0 }, "invalid_parameter");
await refused("search_evidence", { query: "x", nope: 1 }, "invalid_parameter");
await refused("fetch_evidence", {}, "invalid_parameter");
await assert.rejects(client.callTool({ name: "nope", arguments: {} }), /unknown tool/);

const resource = `docket://evidence/${ids[0]}`;
const { contents } = await client.readResource({ uri: resource });
assert.equal(contents[0].text, outcomes[0].text, "the resource and the fetched text are the same");
await client.readResource({ uri: `docket://document/${hits[0].document_key.split("/").map(encodeURIComponent).join("/")}` });
await assert.rejects(client.readResource({ uri: "docket://evidence/c_aaaaaaaaaaaaaaaaaaaaaaaaaa" }), /not found/i);
assert.equal((await client.listResourceTemplates()).resourceTemplates.length, 2);
const { prompts } = await client.listPrompts();
assert.ok(prompts.every((prompt) => prompt.description));
await client.getPrompt({ name: "answer_with_citations", arguments: { question: "why?" } });
await assert.rejects(client.getPrompt({ name: "answer_with_citations", arguments: {} }), /question/);

// A tool that is new needs its calls here, or its results go unchecked.
assert.deepEqual(tools.map((tool) => tool.name).filter((name) => !called.has(name)), [], "tools that were not called");
await client.close();
console.log(`typescript sdk: ${called.size} tools, their results, resources and prompts ok`);
