import { createApp } from './app/all.ts';
import type { AppOptions, Service } from './app/app-options.ts';

export type { App } from './app/all.ts';
export type { AppOptions, Service, TestHooks } from './app/app-options.ts';
export { createApp };

/** Creates the process for the configured role. @throws StoreError, ConfigError */
export async function createService(options: AppOptions): Promise<Service> {
  switch (options.config.role ?? 'all') {
    case 'all':
      return createApp(options);
    case 'api':
      return (await import('./app/api.ts')).createApi(options);
    case 'worker':
      return (await import('./app/worker.ts')).createWorker(options);
  }
}
