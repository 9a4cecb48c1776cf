import { describe } from 'vitest';
import { toolPinsContract } from '../ports/tool-pins.contract.ts';
import { memoryToolPins } from './memory-tool-pins.ts';

describe('pins in memory', () => {
  toolPinsContract(() => Promise.resolve(memoryToolPins()));
});
