/** Reasoning efforts, lowest first. A model accepts some of them. */
export const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
export type Effort = (typeof EFFORTS)[number];

/** Values of `toolChoice`. */
export const TOOL_CHOICES = ['auto', 'required', 'none'] as const;

/** Settings of the model calls of a run. An absent setting has the default of the model. */
export interface ModelSettings {
  /** Sampling temperature, 0 to 2. */
  readonly temperature?: number;
  /** Output tokens of one model message, including thinking. Default: the model's maximum. */
  readonly maxTokens?: number;
  readonly effort?: Effort;
  /**
   * `required`: the first message of the run must call a tool; `none`: no message may call one.
   * Default: `auto`.
   */
  readonly toolChoice?: (typeof TOOL_CHOICES)[number];
}

/** Settings of a request. Null selects the default of the model instead of an inherited value. */
export type RequestedSettings = {
  readonly [Name in keyof ModelSettings]?: ModelSettings[Name] | null;
};
