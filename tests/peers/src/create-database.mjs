// node create-database.mjs URL: creates the database of the address unless it exists, on a server that trusts everybody.
import { connect } from 'node:net';

const url = new URL(process.argv[2] ?? '');
const name = url.pathname.slice(1);
if (!/^\w+$/.test(name)) throw new Error(`${name} is not a simple name`);
const socket = connect(Number(url.port), url.hostname);

/**
 * Returns a message of the protocol: https://www.postgresql.org/docs/current/protocol-message-formats.html
 * @param {string} type
 * @param {...string} texts
 */
const message = (type, ...texts) => {
  const body = Buffer.concat(texts.map((text) => Buffer.from(`${text}\0`)));
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), length, body]);
};
const startup = message('', '\0\x03\0\0user', url.username, 'database', 'postgres', '');
socket.write(startup);
let answer = Buffer.alloc(0);
let isAsked = false;
socket.on('data', (data) => {
  answer = Buffer.concat([answer, data]);
  // ReadyForQuery, whose last byte is the state of the transaction.
  if (!answer.subarray(-6).equals(Buffer.from('Z\0\0\0\x05I'))) return;
  if (isAsked) {
    socket.end(message('X'));
    return;
  }
  isAsked = true;
  answer = Buffer.alloc(0);
  socket.write(message('Q', `create database ${name}`));
});
