import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A proxy on a free port of this machine, whose connections a test can drop and stall. */
export class TcpProxy {
  readonly #server: Server;
  readonly #target: () => number | undefined;
  readonly #pairs = new Set<readonly [client: Socket, upstream: Socket]>();
  readonly #waiting = new Set<Socket>();
  #isStalled = false;
  #lostResponses = 0;

  /** `target` returns the port of a new connection, or undefined to refuse it. */
  static async start(target: () => number | undefined): Promise<TcpProxy> {
    const proxy = new TcpProxy(target);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  private constructor(target: () => number | undefined) {
    this.#target = target;
    this.#server = createServer((client) => this.#accept(client));
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Resets every connection. */
  drop(): void {
    for (const [client, upstream] of this.#pairs) {
      client.resetAndDestroy();
      upstream.resetAndDestroy();
    }
    for (const client of this.#waiting) client.resetAndDestroy();
  }

  /** Passes nothing on and opens no connection until `resume`. Nothing is lost. */
  stall(): void {
    this.#isStalled = true;
    for (const [client, upstream] of this.#pairs) {
      client.pause();
      upstream.pause();
    }
  }

  resume(): void {
    this.#isStalled = false;
    for (const [client, upstream] of this.#pairs) {
      client.resume();
      upstream.resume();
    }
    for (const client of this.#waiting) this.#connect(client);
    this.#waiting.clear();
  }

  /** Resets the connections of the next HTTP requests with a body when their response begins. */
  loseResponses(count: number): void {
    this.#lostResponses = count;
  }

  async close(): Promise<void> {
    this.drop();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #accept(client: Socket): void {
    client.on('error', () => undefined);
    client.once('close', () => this.#waiting.delete(client));
    if (!this.#isStalled) return this.#connect(client);
    client.pause();
    this.#waiting.add(client);
  }

  #connect(client: Socket): void {
    const port = this.#target();
    if (port === undefined) return void client.destroy();
    const upstream = connect(port, '127.0.0.1');
    const pair = [client, upstream] as const;
    this.#pairs.add(pair);
    upstream.on('error', () => undefined);
    let losesResponse = false;
    client.on('data', (data: Buffer) => {
      if (this.#lostResponses > 0 && data.subarray(0, 5).equals(POST)) {
        this.#lostResponses -= 1;
        losesResponse = true;
      }
      this.#pass(data, client, upstream);
    });
    upstream.on('data', (data: Buffer) => {
      if (!losesResponse) return this.#pass(data, upstream, client);
      client.resetAndDestroy();
      upstream.destroy();
    });
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      to.on('drain', () => {
        if (!this.#isStalled) from.resume();
      });
      from.once('close', () => {
        this.#pairs.delete(pair);
        to.destroySoon();
      });
    }
    client.resume();
  }

  #pass(data: Buffer, from: Socket, to: Socket): void {
    if (!to.write(data)) from.pause();
  }
}

const POST = Buffer.from('POST ');
