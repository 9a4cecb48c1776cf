import { readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join, relative } from 'node:path';

/**
 * Loads less of Node at start. An import of a module of Node evaluates all of its exports: that of node:fs loads node:readline and more, that of node:http undici.
 * So they are required instead. fastify requires node:https and node:http2, which a server of plain HTTP never uses: these are loaded with the first use of an export.
 */
export const lazyBuiltins = {
  name: 'lazy-builtins',
  setup({ onResolve, onLoad }) {
    onResolve(
      { filter: /^(?:node:)?[a-z][\w/]*$/ },
      ({ path: name, kind, namespace, importer }) => {
        if (!isBuiltin(name)) return undefined;
        const path = name.startsWith('node:') ? name : `node:${name}`;
        if (namespace !== 'file') return { path, external: true };
        // A module for each importing module: one that many share would be a file of its own, to load at start.
        if (kind === 'import-statement')
          return {
            path: `${relative('', importer)} > ${path}`,
            namespace: 'required',
            pluginData: path,
          };
        return kind === 'require-call' && /^node:http[s2]$/.test(path)
          ? { path, namespace: 'required-at-use' }
          : { path, external: true };
      },
    );
    // esbuild copies the properties of the exported object, one by one, but not those that it inherits: node:fs has more than a hundred.
    onLoad({ filter: /^/, namespace: 'required' }, ({ pluginData: name }) => ({
      contents: `const builtin = require('${name}'); module.exports = typeof builtin === 'function' ? builtin : Object.create(builtin);`,
    }));
    onLoad({ filter: /^/, namespace: 'required-at-use' }, ({ path }) => ({
      contents: `module.exports = new Proxy({}, { get: (_, name) => require('${path}')[name] });`,
    }));
  },
};

/** Packages that other packages load only for features that our programs do not use. */
const UNUSED = new Set([
  // By fastify: its own compilers, its logger and its requests without a connection.
  '@fastify/ajv-compiler',
  '@fastify/fast-json-stringify-compiler',
  'pino',
  'light-my-request',
  // By pg: the native driver. By BullMQ: the drivers of other engines than those in use.
  'pg-native',
  '@valkey/valkey-glide',
]);

/** Leaves out packages that the programs never load, and loads semver, with which fastify checks the versions of plugins, when it is used. */
export const unusedPackages = {
  name: 'unused-packages',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^[@a-z]/ }, ({ path }) =>
      UNUSED.has(path) ? { path, namespace: 'unused-package' } : undefined,
    );
    onLoad({ filter: /^/, namespace: 'unused-package' }, ({ path }) => ({
      contents: `throw new Error('the package ${path} is not part of this program');`,
    }));
    onResolve({ filter: /^semver$/ }, ({ path, resolveDir, namespace }) =>
      namespace === 'file'
        ? { path, namespace: 'package-at-use', pluginData: resolveDir }
        : undefined,
    );
    onLoad({ filter: /^/, namespace: 'package-at-use' }, ({ path, pluginData: resolveDir }) => ({
      contents: `module.exports = new Proxy({}, { get: (_, name) => require('${path}')[name] });`,
      resolveDir,
    }));
  },
};

/** Leaves the response schemas of an HTTP API out of the bundle, with the modules that contain nothing else. Only the OpenAPI document and tests use them. */
export const noResponseSchemas = {
  name: 'no-response-schemas',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\.\.?\/.*response-schemas\.js$/ }, ({ path, resolveDir }) => ({
      path: join(resolveDir, path),
      sideEffects: false,
    }));
    // esbuild ignores the references in dead code, so it drops the imports of the schemas.
    onLoad({ filter: /-routes\.js$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const contents = text.replaceAll('described(() => (', '(undefined && (');
      return /\bdescribed\(/.test(contents)
        ? { errors: [{ text: `${path}: write each response as described(() => ({ … }))` }] }
        : { contents };
    });
  },
};
