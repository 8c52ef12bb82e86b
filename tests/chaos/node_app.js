// Node's HTTP/2 in the clear: node_app.js NAME. Takes /fast, /slow, /big and /echo as app.py does; everything else gets 200 after 300 ms.
const fs = require("fs");
const http2 = require("http2");

const notes = fs.openSync(process.env.NOTES, "a", 0o600);

function answer(stream, what, number, ident, length) {
  if (stream.destroyed) return;
  stream.respond({ ":status": 200 });
  if (what === "big") stream.end(`${ident}.`.repeat(number / ident.length + 1).slice(0, number));
  else stream.end(`${ident} ${length}`);
}

const server = http2.createServer();
server.on("session", (session) => session.on("error", () => {}));
server.on("stream", (stream, headers) => {
  stream.on("error", () => {});
  const [, what, number, ident] = headers[":path"].split("/");
  if (ident) fs.writeSync(notes, `${headers[":method"]} ${ident}\n`);
  if (what === "echo") {
    stream.respond({ ":status": 200 });
    stream.pipe(stream);
    return;
  }
  let length = 0;
  stream.on("data", (piece) => (length += piece.length));
  stream.on("end", () => {
    const wait = what === "slow" ? Number(number) : ident ? 0 : 300;
    setTimeout(() => answer(stream, what, Number(number), ident || "late", length), wait);
  });
});
process.on("SIGTERM", () => process.exit(0));
server.listen(Number(process.env.PORT), "127.0.0.1", 512);
