export interface ModelTraits {
  /** Takes `reasoning` and gives encrypted reasoning items back. */
  readonly reasons: boolean;
  /** Takes `temperature`; reasoning models answer 400 to it. */
  readonly temperature: boolean;
}

/** What a model id tells; a name that is not a known family gets neither reasoning parameters nor a refusal of its temperature. */
export function modelTraits(model: string): ModelTraits {
  const reasons = /^(?:o\d|gpt-(?:[5-9]|\d{2,})(?:\D|$))/.test(model) && !model.includes('-chat');
  return { reasons, temperature: !reasons };
}
