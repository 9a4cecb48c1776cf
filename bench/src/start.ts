// `npm run bench -- agent` measures the service, everything else the protocol.
await import(process.argv[2] === 'agent' ? './agent/main.ts' : './main.ts');
