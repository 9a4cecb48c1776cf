export { createApp } from './app.ts';
export type { App, AppOptions, TestHooks } from './app.ts';
export { runCommand } from './cli/command.ts';
export type { CommandContext } from './cli/command.ts';
export { createProcessIo } from './cli/process-io.ts';
