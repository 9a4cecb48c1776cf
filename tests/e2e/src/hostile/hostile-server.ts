// A hostile server over stdio: node hostile-server.ts FILE. The file contains the name of a behavior. While it is empty, or names a behavior of another moment, the server is ordinary.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { callBehaviors } from './call-behaviors.ts';
import { connectBehaviors, ordinaryInitialize, ordinaryList } from './connect-behaviors.ts';
import { rawHost } from './wire.ts';

const file = process.argv[2] ?? '';
const wanted = (): string => readFileSync(file, 'utf8');
const connecting = connectBehaviors[wanted()] ?? {};

interface Received {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: { readonly cursor?: string; readonly [member: string]: unknown };
}

function progressTokenOf({ params }: Received): unknown {
  return (params?.['_meta'] as { readonly progressToken?: unknown } | undefined)?.progressToken;
}

async function serve(received: Received): Promise<void> {
  const { id, method, params } = received;
  switch (method) {
    case 'initialize': {
      const answer =
        connecting.initialize === undefined ? ordinaryInitialize : connecting.initialize(id);
      return answer === undefined ? undefined : rawHost.answer(id, answer);
    }
    case 'tools/list': {
      const answer = connecting.list === undefined ? ordinaryList : connecting.list(params?.cursor);
      return answer === undefined ? undefined : rawHost.answer(id, answer);
    }
    case 'tools/call': {
      const behave = callBehaviors[wanted()];
      if (behave === undefined)
        return rawHost.answer(id, '{"content":[{"type":"text","text":"ordinary"}]}');
      return behave(rawHost, {
        id,
        progressToken: JSON.stringify(progressTokenOf(received) ?? 'none'),
      });
    }
    case 'ping':
      return rawHost.answer(id, '{}');
    default:
      if (id === undefined || method === undefined) return undefined;
      return rawHost.write(
        `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"error":{"code":-32601,"message":"no such method"}}\n`,
      );
  }
}

process.stdout.on('error', () => process.exit(0));
createInterface({ input: process.stdin })
  .on('line', (line) => void serve(JSON.parse(line) as Received))
  .on('close', () => process.exit(0));
await connecting.start?.(rawHost);
