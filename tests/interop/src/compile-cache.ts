/** Environment in which the processes of the tests share their compiled modules. */
export const compileCache = { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '' };
