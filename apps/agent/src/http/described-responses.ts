import type { FastifyInstance } from 'fastify';

/** Evaluates the response schemas of the routes that are added from now on, or removes them. */
export function useResponseSchemas(app: FastifyInstance, isUsed: boolean): void {
  app.addHook('onRoute', (route) => {
    const response = route.schema?.response;
    if (typeof response === 'function')
      route.schema = {
        ...route.schema,
        response: isUsed ? (response as () => object)() : undefined,
      };
  });
}
