import { RunStream } from '../agent/run-stream.ts';
import { startAgent } from '../agent/service.ts';
import { ECHO_SERVER, TURNS, type BackendOptions, type RunningBackend } from './backend.ts';

/** Starts the service as it ships. Each run is a request whose response is the stream of its events. */
export async function startSignalbox({
  folder,
  modelUrl,
}: BackendOptions): Promise<RunningBackend> {
  const agent = await startAgent({
    folder,
    env: { OPENAI_API_KEY: 'k' },
    config: {
      llm: {
        provider: 'openai',
        wire: 'chat',
        model: 'fake',
        base_url: modelUrl,
      },
      mcpServers: {
        echo: {
          command: process.execPath,
          args: [ECHO_SERVER],
          signalbox: { trust: true, approval: 'auto' },
        },
      },
    },
  });
  return {
    pid: agent.pid,
    async run(prompt) {
      const seen = Promise.withResolvers<string>();
      let last = '';
      const { stream } = await RunStream.start(
        agent.url,
        { prompt, limits: { turns: TURNS + 1, tool_calls: TURNS } },
        {
          onEvent: (type) => {
            last = type;
          },
        },
      );
      stream.ended.then(() => seen.resolve(last), seen.reject);
      const type = await seen.promise;
      if (type !== 'run.completed') throw new Error(`${prompt} ended with ${type}`);
    },
    stop: (signal) => agent.stop(signal),
  };
}
