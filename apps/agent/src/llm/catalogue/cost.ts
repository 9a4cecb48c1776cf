import type { Usage } from '../../ports/llm-provider.ts';
import type { ModelPrice } from '../../ports/model-card.ts';

const MILLION = 1_000_000;

/** Returns the usage with its cost in US dollars, if the price is known. */
export function withCost(usage: Usage, price: ModelPrice | undefined): Usage {
  if (price === undefined) return usage;
  const { input, output, cacheRead, cacheWrite } =
    price.above !== undefined && usage.input > price.above.inputTokens ? price.above : price;
  const uncached = usage.input - usage.cacheRead - usage.cacheWrite;
  const dollars =
    uncached * input +
    usage.cacheRead * cacheRead +
    usage.cacheWrite * cacheWrite +
    usage.output * output;
  return { ...usage, costUsd: dollars / MILLION };
}
