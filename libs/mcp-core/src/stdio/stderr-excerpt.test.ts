import { expect, test } from 'vitest';
import { stderrExcerpt } from './stderr-excerpt.ts';

const excerpt = (text: string): readonly string[] => stderrExcerpt(text.split('\n'));

test('an uncaught error of Node is its message, without the source line, the stack and the version', () => {
  const crash =
    "[eval]:1\nnode:internal/modules/cjs/loader:1424\n  throw err;\n  ^\n\nError: Cannot find module '/nowhere.js'\n    at node:internal/main {\n  code: 'MODULE_NOT_FOUND',\n  requireStack: []\n}\n\nNode.js v24.21.0";
  expect(excerpt(crash)[0]).toBe("Error: Cannot find module '/nowhere.js'");
  expect(excerpt(crash)).toContain("code: 'MODULE_NOT_FOUND',");
  expect(excerpt(crash)).not.toContain('}');
});

test('an error with a cause keeps both messages', () => {
  const text = [
    'Starting server',
    'TypeError: fetch failed',
    '    at node:internal/deps/undici/undici:13510:13',
    '    at async main (file:///srv/index.js:3:1) {',
    '  [cause]: Error: getaddrinfo ENOTFOUND api.example',
    '      at GetAddrInfoReqWrap.onlookupall [as oncomplete] (node:dns:122:26) {',
    '    errno: -3008,',
    "    code: 'ENOTFOUND'",
    '  }',
    '}',
  ].join('\n');
  expect(excerpt(text)).toEqual([
    'TypeError: fetch failed',
    '[cause]: Error: getaddrinfo ENOTFOUND api.example',
    'errno: -3008,',
    "code: 'ENOTFOUND'",
  ]);
});

test('a traceback of Python is its last line', () => {
  const text =
    'Traceback (most recent call last):\n  File "/srv/main.py", line 1, in <module>\n    import mcp\nModuleNotFoundError: No module named \'mcp\'';
  expect(excerpt(text)).toEqual(["ModuleNotFoundError: No module named 'mcp'"]);
});

test('errors of npm are kept as a block', () => {
  const text =
    'npm warn old\nnpm error code E404\nnpm error 404 Not Found - GET https://packages.example/nope\nnpm error 404\nnpm error A complete log of this run can be found in: /home/me/x';
  expect(excerpt(text)[0]).toBe('npm error code E404');
  expect(excerpt(text)).toContain('npm error 404 Not Found - GET https://packages.example/nope');
});

test('an error before a usage text is kept without the usage text', () => {
  const options = Array.from(
    { length: 20 },
    (_, index) => `      --log-${index} string   file of the error log`,
  );
  expect(
    excerpt(
      ['Error: no current context is set', 'Set one first.', 'Usage:', ...options].join('\n'),
    ),
  ).toEqual(['Error: no current context is set', 'Set one first.']);
  expect(
    excerpt(['flag provided but not defined: -port', 'Usage of server:', ...options].join('\n')),
  ).toEqual(['flag provided but not defined: -port']);
});

test('an error after a usage text is kept', () => {
  expect(
    excerpt(
      'Starting\nusage: server [-h] DIR\nserver: error: the following arguments are required: DIR',
    ),
  ).toEqual(['server: error: the following arguments are required: DIR']);
});

test('without an error the last lines are kept, at most five, each at most 400 characters', () => {
  expect(excerpt('Usage: server DIR')).toEqual(['Usage: server DIR']);
  expect(excerpt('1\n2\n3\n4\n5\n6\n\n')).toEqual(['2', '3', '4', '5', '6']);
  expect(excerpt('x'.repeat(1000))).toEqual([`${'x'.repeat(400)}…`]);
  expect(excerpt('}\n\n')).toEqual([]);
});

test('an early error is not reported as the reason', () => {
  expect(excerpt(`Error: handled\n${'working\n'.repeat(30)}closing`)).toEqual([
    'working',
    'working',
    'working',
    'working',
    'closing',
  ]);
});
