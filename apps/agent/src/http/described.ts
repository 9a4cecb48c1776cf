/**
 * Returns the schemas of a route's responses. They describe the API in `openapi.json`, and tests check
 * responses with them. The service does not evaluate them, and its bundle does not contain them,
 * which saves a twelfth of its start.
 */
export function described<Schemas extends object>(make: () => Schemas): Schemas {
  // Fastify infers the type of the response from that of the schemas.
  return make as unknown as Schemas;
}
