// Reads URL as MEDIA-TYPE, packed, and prints the length and SHA-256 of what zlib's stream makes of it.
const http = require('http'), zlib = require('zlib'), crypto = require('crypto');

const words = process.argv.slice(2);

function next() {
    const [url, type] = words.splice(0, 2);
    if (!url) return;
    http.get(url, {headers: {Accept: type, 'Accept-Encoding': 'gzip'}}, (answer) => {
        if (answer.headers['content-encoding'] !== 'gzip') throw new Error(url + ' is not packed');
        const hash = crypto.createHash('sha256');
        let length = 0;
        answer.pipe(zlib.createGunzip())
            .on('data', (piece) => { length += piece.length; hash.update(piece); })
            .on('end', () => { console.log(length + ' ' + hash.digest('hex')); next(); });
    });
}

next();
