// A server of HTTP/2 by Node, for the tests: http2_app.js PORT. Echoes requests; resets those of /reset.
const http2 = require("http2");

const server = http2.createServer();
server.on("stream", (stream, headers) => {
  stream.on("error", () => {});
  if (headers[":path"] === "/reset") return stream.close(http2.constants.NGHTTP2_INTERNAL_ERROR);
  let body = "";
  stream.on("data", (piece) => (body += piece));
  stream.on("end", () => {
    stream.respond({ ":status": 200, "content-type": "text/plain" });
    stream.end(`${headers[":method"]} ${headers[":path"]} ${body}`);
  });
});
server.listen(Number(process.argv[2]), "127.0.0.1");
