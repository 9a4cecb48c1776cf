/** Bytes before the header of a frame: the length of the header and of the body, little-endian. */
const PREFIX_BYTES = 8;
/** Longest frame. A chunk of an import has 256 KiB, a result at most 4 MiB. */
const MAX_FRAME_BYTES = 256 * 2 ** 20;
const NO_BODY: readonly Uint8Array[] = [];

/** A message between the server and a query process. */
export interface Frame {
  /** A JSON value. */
  readonly header: unknown;
  /** Bytes in several pieces; empty without a body. */
  readonly body: readonly Uint8Array[];
  /** Whether no other frame is in the memory of the body, which can then be freed. */
  readonly ownsMemory: boolean;
}

/** Returns the pieces of a frame, to be written one after another. */
export function encodeFrame(
  header: unknown,
  body: readonly Uint8Array[] = NO_BODY,
): readonly Uint8Array[] {
  const text = JSON.stringify(header);
  const headerBytes = Buffer.byteLength(text);
  const start = Buffer.allocUnsafe(PREFIX_BYTES + headerBytes);
  start.writeUInt32LE(headerBytes, 0);
  start.writeUInt32LE(
    body.reduce((sum, piece) => sum + piece.byteLength, 0),
    4,
  );
  start.write(text, PREFIX_BYTES);
  return [start, ...body];
}

/** Splits a stream of bytes into frames. */
export class FrameDecoder {
  readonly #receive: (frame: Frame) => void;
  #pieces: Buffer[] = [];
  #length = 0;
  /** Whether the chunks of the frame belong to no pool and hold no bytes of another frame. */
  #ownsMemory = true;
  /** Lengths of the frame whose start has arrived. */
  #awaited: { readonly header: number; readonly body: number } | undefined;

  constructor(receive: (frame: Frame) => void) {
    this.#receive = receive;
  }

  /**
   * Delivers the frames that a chunk completes, in order. Bodies refer to the chunk, which must not be
   * changed afterwards.
   * @throws Error for a frame that is too long; SyntaxError for a header that is not JSON
   */
  push(chunk: Buffer): void {
    this.#ownsMemory = (this.#length === 0 || this.#ownsMemory) && hasOwnMemory(chunk);
    this.#pieces.push(chunk);
    this.#length += chunk.length;
    for (;;) {
      if (this.#awaited === undefined && this.#length >= PREFIX_BYTES) this.#readPrefix();
      const awaited = this.#awaited;
      if (awaited === undefined || this.#length < awaited.header + awaited.body) return;
      this.#awaited = undefined;
      const header: unknown = JSON.parse(join(this.#take(awaited.header)).toString());
      const body = awaited.body === 0 ? NO_BODY : this.#take(awaited.body);
      this.#ownsMemory &&= this.#length === 0;
      this.#receive({ header, body, ownsMemory: this.#ownsMemory });
    }
  }

  #readPrefix(): void {
    const prefix = join(this.#take(PREFIX_BYTES));
    const header = prefix.readUInt32LE(0);
    const body = prefix.readUInt32LE(4);
    if (header + body > MAX_FRAME_BYTES)
      throw new Error(`A frame has ${header + body} bytes; at most ${MAX_FRAME_BYTES} are read.`);
    this.#awaited = { header, body };
  }

  /** Removes that many bytes, which have arrived. */
  #take(count: number): readonly Buffer[] {
    const taken: Buffer[] = [];
    let missing = count;
    while (missing > 0) {
      const [piece = Buffer.alloc(0)] = this.#pieces;
      if (piece.length > missing) {
        taken.push(piece.subarray(0, missing));
        this.#pieces[0] = piece.subarray(missing);
        missing = 0;
      } else {
        taken.push(piece);
        this.#pieces.shift();
        missing -= piece.length;
      }
    }
    this.#length -= count;
    return taken;
  }
}

function hasOwnMemory({ byteLength, buffer }: Buffer): boolean {
  return byteLength === buffer.byteLength;
}

function join(pieces: readonly Buffer[]): Buffer {
  const [first] = pieces;
  return first !== undefined && pieces.length === 1 ? first : Buffer.concat(pieces);
}
