import { describe, expect, test } from 'vitest';
import { serverNames } from './server-names.ts';

describe('the names of a server', () => {
  test('follow from its name', () => {
    expect(serverNames({ name: 'release-notes-2' })).toEqual({
      name: 'release-notes-2',
      description: 'MCP server release-notes-2',
      folder: 'servers/release-notes-2',
      packageName: '@signalbox/server-release-notes-2',
      command: 'signalbox-release-notes-2',
      className: 'ReleaseNotes2',
      envPrefix: 'MCP_RELEASE_NOTES_2',
      mcpName: 'dev.signalbox/release-notes-2',
    });
  });

  test.each(['acme', '@acme'])('take the scope %s', (scope) => {
    expect(serverNames({ name: 'trips', scope, description: ' All my trips ' })).toMatchObject({
      packageName: '@acme/server-trips',
      command: 'acme-trips',
      mcpName: 'io.github.acme/trips',
      description: 'All my trips',
    });
  });

  test.each([
    '',
    'Trips',
    'trip_notes',
    'trip notes',
    '2trips',
    '-trips',
    'trips-',
    'trip--notes',
    '../trips',
    'trips/x',
    'a.b',
    'é',
    'constructor\n',
    'x'.repeat(41),
  ])('cannot be made of %j', (name) => {
    expect(() => serverNames({ name })).toThrow(
      `${JSON.stringify(name)} cannot be the name of a server. Use at most 40 lower-case letters, digits and single hyphens, with a letter first`,
    );
  });

  test.each([
    ['con', 'Windows has a device of that name'],
    ['lpt1', 'Windows has a device of that name'],
    ['https', 'URIs of the scheme https:'],
    ['fs', 'MCP_FS_'],
    ['state', 'MCP_STATE_KEY'],
  ])('cannot be the reserved %s', (name, reason) => {
    expect(() => serverNames({ name })).toThrow(reason);
    expect(() => serverNames({ name })).toThrow('Choose another one.');
  });

  test.each(['', '@', 'Acme', 'a/b', '..', '@@acme'])('cannot have the scope %j', (scope) => {
    expect(() => serverNames({ name: 'trips', scope })).toThrow(
      `${JSON.stringify(scope)} cannot be the scope of a package`,
    );
  });

  test.each(['', '  ', 'two\nlines', 'x'.repeat(201)])(
    'cannot have the description %j',
    (description) => {
      expect(() => serverNames({ name: 'trips', description })).toThrow(
        'The description must be one line of 1 to 200 characters.',
      );
    },
  );
});
