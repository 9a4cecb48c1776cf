import type { FastifyInstance } from 'fastify';

/**
 * Marks the schemas of a route's responses, which only `openapi.json` and tests need. Returns the
 * function itself, which `evaluateResponseSchemas` calls and `removeResponseSchemas` removes. Must be
 * written as `described(() => ({ … }))`: `tools/bundle-plugins.mjs` removes exactly this text from the
 * bundle.
 */
export function described<Schemas extends object>(make: () => Schemas): Schemas {
  // Fastify infers the type of the response from the type of the schemas.
  return make as unknown as Schemas;
}

/** Evaluates the response schemas of the routes that are added after this call. */
export function evaluateResponseSchemas(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    const response = route.schema?.response;
    if (typeof response === 'function')
      route.schema = { ...route.schema, response: (response as () => object)() };
  });
}

/** Removes the response schemas of the routes that are added after this call. */
export function removeResponseSchemas(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    if (typeof route.schema?.response === 'function')
      route.schema = { ...route.schema, response: undefined };
  });
}
