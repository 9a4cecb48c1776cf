import { expect } from 'vitest';
import { ANSWERS } from '../client-face.ts';
import type { Feature } from './feature.ts';

/** Input requests of a running tool: as requests (legacy), or as results (modern). */
export const inputRequests = {
  'requests a form': async ({ face }) => {
    expect(await face.callTool('ask')).toMatchObject({ content: [{ text: 'accept Ada' }] });
  },
  'requests a visit to a URL': async ({ face }) => {
    expect(await face.callTool('visit')).toMatchObject({ content: [{ text: 'accept' }] });
  },
  'requests sampling': async ({ face }) => {
    expect(await face.callTool('think')).toMatchObject({
      content: [{ text: 'mock {"type":"text","text":"forty-two"}' }],
    });
  },
  'requests the roots': async ({ face }) => {
    expect(await face.callTool('where')).toMatchObject({
      content: [{ text: JSON.stringify(ANSWERS.roots) }],
    });
  },
  'sends three input requests at once': async ({ face }) => {
    const { content } = await face.callTool('ask_all');
    const [block] = content as readonly { readonly text: string }[];
    expect(JSON.parse(String(block?.text))).toMatchObject({
      who: ANSWERS.elicit,
      answer: ANSWERS.sample,
      roots: ANSWERS.roots,
    });
  },
} as const satisfies { readonly [name: string]: Feature };
