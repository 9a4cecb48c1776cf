/** US dollars per million tokens. */
export interface TokenPrices {
  readonly input: number;
  readonly output: number;
  /** Input that the provider had seen before. */
  readonly cacheRead: number;
  /** Input that the provider keeps for later. */
  readonly cacheWrite: number;
}

export interface ModelPrice extends TokenPrices {
  /** What a whole call costs whose input is longer than `inputTokens`. */
  readonly above?: TokenPrices & { readonly inputTokens: number };
}

/** What is known of a model. Unknown numbers are undefined, never guessed. */
export interface ModelCard {
  /** As the provider knows it. */
  readonly id: string;
  readonly aliases: readonly string[];
  readonly tier: 'small' | 'medium' | 'large' | undefined;
  readonly contextTokens: number | undefined;
  readonly maxOutputTokens: number | undefined;
  readonly price: ModelPrice | undefined;
  /** 0 to 1, relative to the other models of the catalogue. */
  readonly speed: number | undefined;
  /** 0 to 1, relative to the other models of the catalogue. */
  readonly intelligence: number | undefined;
  /** Whether it thinks before it answers. */
  readonly reasons: boolean;
  readonly takes: ModelFeatures;
}

/** What a request to a model may have. */
export interface ModelFeatures {
  readonly tools: boolean;
  readonly images: boolean;
  /** WAV and MP3. */
  readonly audio: boolean;
  readonly pdf: boolean;
  readonly temperature: boolean;
  /** Stop sequences, at most 4, of its own. */
  readonly stopSequences: boolean;
  /** A conversation that ends with words of the model, which it goes on with. */
  readonly prefill: boolean;
  /** The order to call some tool. */
  readonly requiredTools: boolean;
  /** Longest description of a tool, in characters; undefined without a limit. */
  readonly descriptionCharacters: number | undefined;
}
