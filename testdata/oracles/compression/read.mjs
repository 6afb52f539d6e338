// Reads FILE with READER, and prints {"version", "bytes", "sha256"}, or "error" in the place of the
// last two, or nothing where the reader is not there.
// usage: node read.mjs READER FILE
import { createHash } from 'node:crypto'
import { createReadStream, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Readable } from 'node:stream'
import zlib from 'node:zlib'

const [, , reader, file] = process.argv
const require = createRequire(import.meta.url)
const data = () => new Uint8Array(readFileSync(file))
const all = async stream => {
  const parts = []
  for await (const part of stream) parts.push(part)
  return Buffer.concat(parts)
}
const of = name => ({ version: JSON.parse(readFileSync(new URL(`../node_modules/${name}/package.json`, import.meta.url))).version })
const node = { version: process.versions.node }
const readers = {
  'zlib.gunzipSync': () => [node, () => zlib.gunzipSync(data())],
  'zlib.createGunzip': () => [node, () => all(createReadStream(file).pipe(zlib.createGunzip()))],
  'DecompressionStream gzip': () => [node, () => all(Readable.toWeb(createReadStream(file)).pipeThrough(new DecompressionStream('gzip')))],
  'zlib.zstdDecompressSync': () => zlib.zstdDecompressSync && [node, () => zlib.zstdDecompressSync(data())],
  'zlib.createZstdDecompress': () => zlib.createZstdDecompress && [node, () => all(createReadStream(file).pipe(zlib.createZstdDecompress()))],
  'fflate gunzipSync': () => [of('fflate'), () => require('fflate').gunzipSync(data())],
  'fzstd decompress': () => [of('fzstd'), () => require('fzstd').decompress(data())],
}
const found = readers[reader]()
if (found) {
  const [about, read] = found
  let answer
  process.on('exit', () => console.log(JSON.stringify({ ...about, ...answer })))
  process.on('uncaughtException', error => { // of a stream that nobody reads any more
    answer = { error: String(error) }
  })
  try {
    const content = await read()
    answer ??= { bytes: content.length, sha256: createHash('sha256').update(content).digest('hex') }
  } catch (error) {
    answer = { error: String(error) }
  }
}
