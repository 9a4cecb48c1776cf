/** Metadata that a client attached to a run, thread or agent, by name. */
export type Metadata = { readonly [name: string]: string };
