/**
 * Name of the tool for reading a server's resources, unless the server has a tool with this name.
 */
export const READ_RESOURCE = 'read_resource';

/**
 * Name of the tool for following a server's resources, unless the server has a tool with this name.
 */
export const WATCH_RESOURCE = 'watch_resource';
