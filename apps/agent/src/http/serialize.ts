import type { FastifySerializerCompiler } from 'fastify';

/**
 * Serializes responses as they are. A schema could refuse a row that an earlier version stored, and one such row would make every list that contains it
 * unreadable; the types of the views keep responses in line with the schemas instead.
 */
export const serializeAsIs: FastifySerializerCompiler<unknown> = () => (data) =>
  JSON.stringify(data);
