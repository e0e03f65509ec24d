// A minimal terminal server over node-pty and ws: one shell, whose output goes to every client.
// node node_pty_server.js PORT ; node-pty and ws are found through NODE_PATH.
const { WebSocketServer } = require("ws");
const pty = require("node-pty");

const shells = new Map();

function shell(name) {
  if (!shells.has(name)) {
    const made = { clients: new Set(), pty: pty.spawn("/bin/sh", [], { cols: 80, rows: 24, encoding: null }) };
    made.pty.onData((data) => made.clients.forEach((client) => client.send(data)));
    shells.set(name, made);
  }
  return shells.get(name);
}

const server = new WebSocketServer({ host: "127.0.0.1", port: Number(process.argv[2]), perMessageDeflate: false });
server.on("connection", (client, request) => {
  const found = shell(request.url);
  found.clients.add(client);
  client.on("message", (data) => found.pty.write(data.toString()));
  client.on("close", () => found.clients.delete(client));
});
