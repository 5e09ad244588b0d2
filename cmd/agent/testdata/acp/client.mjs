// A turn with the official TypeScript client: client.mjs AGENT FOLDER. What asks is allowed.
import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk";

const [program, folder] = process.argv.slice(2);
const agent = spawn(program, ["acp"], { cwd: folder, stdio: ["pipe", "pipe", "inherit"] });
const stream = acp.ndJsonStream(Writable.toWeb(agent.stdin), Readable.toWeb(agent.stdout));
let text = "";
await acp
  .client({ name: "test" })
  .onRequest("session/request_permission", ({ params }) => ({
    outcome: { outcome: "selected", optionId: params.options.find((o) => o.kind === "allow_once").optionId },
  }))
  .onNotification("session/update", ({ params: { update } }) => {
    if (update.sessionUpdate === "agent_message_chunk") text += update.content.text;
  })
  .connectWith(stream, async (it) => {
    await it.request("initialize", { protocolVersion: 1, clientCapabilities: {} });
    const { sessionId } = await it.request("session/new", { cwd: folder, mcpServers: [] });
    const { stopReason } = await it.request("session/prompt", { sessionId, prompt: [{ type: "text", text: "go" }] });
    console.log(stopReason, text);
  });
agent.stdin.end();
