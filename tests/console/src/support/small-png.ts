import { crc32, deflateSync, inflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** Color types of PNG. @see https://www.w3.org/TR/png-3/#6Colour-values */
const RGB = 2;
const INDEXED = 3;
const RGBA = 6;
const MAX_COLORS = 256;

interface Pixels {
  readonly width: number;
  readonly height: number;
  /** A number for each pixel: red, green and blue from the highest byte. */
  readonly colors: Uint32Array;
}

/** Returns a PNG of a browser with at most 256 colors, which has about a third of the bytes. Rare colors become the nearest frequent one. */
export function smallPng(png: Buffer): Buffer {
  const { width, height, colors } = decode(png);
  const palette = frequentColors(colors);
  const indexes = new Map(palette.map((color, index) => [color, index]));
  const rows = Buffer.alloc(height * (width + 1));
  for (const [place, color] of colors.entries()) {
    let index = indexes.get(color);
    if (index === undefined) indexes.set(color, (index = nearest(palette, color)));
    // Each row begins with the number of its filter: 0, none.
    rows[place + Math.floor(place / width) + 1] = index;
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, INDEXED], 8);
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette.flatMap(channelsOf))),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function decode(png: Buffer): Pixels {
  let width = 0;
  let height = 0;
  let channels = 0;
  const parts: Buffer[] = [];
  for (let at = SIGNATURE.length; at < png.length;) {
    const length = png.readUInt32BE(at);
    const type = png.toString('latin1', at + 4, at + 8);
    const data = png.subarray(at + 8, at + 8 + length);
    if (type === 'IHDR') {
      width = data.readUInt32BE(0);
      height = data.readUInt32BE(4);
      const colorType = data.readUInt8(9);
      if (data.readUInt8(8) !== 8 || (colorType !== RGB && colorType !== RGBA))
        throw new Error(`the picture has color type ${colorType}, not 8 bits of RGB`);
      channels = colorType === RGB ? 3 : 4;
    }
    if (type === 'IDAT') parts.push(data);
    at += length + 12;
  }
  const bytes = unfilter(inflateSync(Buffer.concat(parts)), width * channels, channels);
  const colors = new Uint32Array(width * height);
  for (let place = 0; place < colors.length; place += 1)
    colors[place] = bytes.readUIntBE(place * channels, 3);
  return { width, height, colors };
}

/** Undoes the filters of the rows. @see https://www.w3.org/TR/png-3/#9Filters */
function unfilter(filtered: Buffer, rowBytes: number, channels: number): Buffer {
  const height = filtered.length / (rowBytes + 1);
  const bytes = Buffer.alloc(height * rowBytes);
  for (let row = 0; row < height; row += 1) {
    const filter = filtered[row * (rowBytes + 1)] ?? 0;
    for (let column = 0; column < rowBytes; column += 1) {
      const at = row * rowBytes + column;
      const left = column < channels ? 0 : (bytes[at - channels] ?? 0);
      const up = row === 0 ? 0 : (bytes[at - rowBytes] ?? 0);
      const upLeft = row === 0 || column < channels ? 0 : (bytes[at - rowBytes - channels] ?? 0);
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, upLeft)][filter] ?? 0;
      bytes[at] = (filtered[row * (rowBytes + 1) + 1 + column] ?? 0) + guess;
    }
  }
  return bytes;
}

function paeth(left: number, up: number, upLeft: number): number {
  const [toLeft, toUp, toUpLeft] = [left, up, upLeft].map((value) =>
    Math.abs(left + up - upLeft - value),
  ) as [number, number, number];
  if (toLeft <= toUp && toLeft <= toUpLeft) return left;
  return toUp <= toUpLeft ? up : upLeft;
}

function frequentColors(colors: Uint32Array): readonly number[] {
  const counts = new Map<number, number>();
  for (const color of colors) counts.set(color, (counts.get(color) ?? 0) + 1);
  return [...counts]
    .toSorted(([, first], [, second]) => second - first)
    .slice(0, MAX_COLORS)
    .map(([color]) => color);
}

function nearest(palette: readonly number[], color: number): number {
  const wanted = channelsOf(color);
  const distances = palette.map((each) =>
    channelsOf(each).reduce((sum, value, index) => sum + (value - (wanted[index] ?? 0)) ** 2, 0),
  );
  return distances.indexOf(Math.min(...distances));
}

function channelsOf(color: number): readonly number[] {
  return [(color >> 16) & 255, (color >> 8) & 255, color & 255];
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const frame = Buffer.alloc(body.length + 8);
  frame.writeUInt32BE(data.length, 0);
  frame.set(body, 4);
  frame.writeUInt32BE(crc32(body), body.length + 4);
  return frame;
}
