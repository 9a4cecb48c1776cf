import { defineResource, defineResourceTemplate } from '@signalbox/mcp-core/server';
import { PNG } from './media.ts';

export const RESOURCES = [
  defineResource({
    uri: 'test://static-text',
    name: 'static-text',
    description: 'A text that stays',
    mimeType: 'text/plain',
    read: () => 'This is the content of the static text resource.',
  }),
  defineResource({
    uri: 'test://static-binary',
    name: 'static-binary',
    description: 'An image that stays',
    mimeType: 'image/png',
    read: () => Buffer.from(PNG, 'base64'),
  }),
  defineResource({
    uri: 'test://watched-resource',
    name: 'watched-resource',
    description: 'A text that can be watched',
    mimeType: 'text/plain',
    read: () => 'This resource can be watched.',
  }),
];

export const TEMPLATES = [
  defineResourceTemplate({
    uriTemplate: 'test://template/{id}/data',
    name: 'template',
    description: 'Data by its id',
    mimeType: 'application/json',
    read: ({ id }) => JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
  }),
];
