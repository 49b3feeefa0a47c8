const fs = require("fs"), net = require("net");
const words = fs.readFileSync("words", "utf8").trim().split("\n");
console.log(JSON.stringify(words.map((w) => w.toUpperCase())));
const server = net.createServer((c) => c.pipe(c)).listen(0, "127.0.0.1", () => {
	const client = net.connect(server.address().port, "127.0.0.1", () => client.end("echo"));
	client.on("data", (d) => console.log(d.toString()));
	client.on("close", () => server.close(() => console.log("closed")));
});
