const fs = require('fs'), crypto = require('crypto'), zlib = require('zlib');
console.log(JSON.parse(fs.readFileSync('data.json')).numbers.sort());
console.log(crypto.createHash('sha256').update('x').digest('hex'));
console.log(zlib.gunzipSync(zlib.gzipSync('squeezed')).toString(), 2n ** 100n, /(\d+)-(?<b>\d+)/.exec('12-34').groups.b);
(async () => {
	for await (const part of fs.createReadStream('words')) console.log(part.length);
	console.error('an error');
	process.exitCode = 9;
})();
