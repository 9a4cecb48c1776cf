// A benchmark adapter: how a load generator that knows nothing of this library starts and drives it.
// oxlint-disable-next-line import/no-default-export -- the load generator looks for one
export default {
  name: 'signalbox',
  stdio: ['legacy', 'modern'],
  http: ['legacy-stateful', 'legacy-stateless', 'modern'],
  entries: {
    client: ['@signalbox/mcp-core/client', '@signalbox/mcp-core/stdio'],
    'client+http': ['@signalbox/mcp-core/client', '@signalbox/mcp-core/http/client'],
    server: ['@signalbox/mcp-core/server', '@signalbox/mcp-core/stdio'],
    'server+http': ['@signalbox/mcp-core/server', '@signalbox/mcp-core/http/server'],
  },
};
