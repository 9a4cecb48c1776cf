import type { FastifyInstance } from 'fastify';

/**
 * Collects the app's routes and returns a function with the methods of a path, sorted. To be called
 * before the routes are added.
 */
export function collectMethods(app: FastifyInstance): (path: string) => readonly string[] {
  const routes: { readonly pattern: RegExp; readonly methods: readonly string[] }[] = [];
  app.addHook('onRoute', ({ url, method }) => {
    const pattern = url
      .split('/')
      .map((segment) => {
        if (segment === '*') return '.*';
        return segment.startsWith(':') ? '[^/]+' : segment.replaceAll('.', String.raw`\.`);
      })
      .join('/');
    routes.push({ pattern: new RegExp(`^${pattern}$`), methods: [method].flat() });
  });
  return (path) =>
    [
      ...new Set(routes.flatMap(({ pattern, methods }) => (pattern.test(path) ? methods : []))),
    ].toSorted();
}
