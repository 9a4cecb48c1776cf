import type { Effort } from './model-settings.ts';

/** US dollars per million tokens. */
export interface TokenPrices {
  readonly input: number;
  readonly output: number;
  /** Input read from the provider's cache. */
  readonly cacheRead: number;
  /** Input written to the provider's cache. */
  readonly cacheWrite: number;
}

export interface ModelPrice extends TokenPrices {
  /** Prices of a whole call whose input exceeds `inputTokens`. */
  readonly above?: TokenPrices & { readonly inputTokens: number };
}

/** Origin of a model's data. */
export type CardSource =
  | {
      readonly kind: 'catalogue';
      /** Publication whose data the card repeats. */
      readonly url: string;
      /** Date of the data, as YYYY-MM-DD. */
      readonly asOf: string;
    }
  | { readonly kind: 'configuration' }
  /** The model is unknown: its limits are assumed. */
  | { readonly kind: 'none' };

/** Properties of a model. Unknown values are undefined. */
export interface ModelCard {
  /** Provider's model id. */
  readonly id: string;
  readonly aliases: readonly string[];
  readonly tier: 'small' | 'medium' | 'large' | undefined;
  /** Tokens of a conversation with its answer. */
  readonly contextTokens: number;
  /** Output tokens of one message, including thinking. */
  readonly maxOutputTokens: number;
  /** Limits that are unknown and have a conservative default. */
  readonly assumed: readonly ('contextTokens' | 'maxOutputTokens')[];
  readonly price: ModelPrice | undefined;
  /** 0 to 1, relative to the other models of the catalogue. */
  readonly speed: number | undefined;
  /** 0 to 1, relative to the other models of the catalogue. */
  readonly intelligence: number | undefined;
  /** Whether the model thinks before it answers. */
  readonly reasons: boolean;
  readonly takes: ModelFeatures;
  readonly source: CardSource;
}

/** Features that a request to the model may use. */
export interface ModelFeatures {
  readonly tools: boolean;
  readonly images: boolean;
  /** WAV and MP3 input. */
  readonly audio: boolean;
  readonly pdf: boolean;
  readonly temperature: boolean;
  /** Highest accepted temperature. */
  readonly maxTemperature: number;
  /** Accepted reasoning efforts, lowest first. */
  readonly efforts: readonly Effort[];
  /** Custom stop sequences, at most 4. */
  readonly stopSequences: boolean;
  /** A conversation that ends with an assistant message for the model to continue. */
  readonly prefill: boolean;
  /** `toolChoice: 'required'`. */
  readonly requiredTools: boolean;
  /** Maximum length of a tool description in characters. Undefined: no limit. */
  readonly descriptionCharacters: number | undefined;
}
