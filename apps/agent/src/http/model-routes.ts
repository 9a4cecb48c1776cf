import type * as z from 'zod';
import { type LlmProviders, ModelNameError, type ModelRef } from '../ports/llm-providers.ts';
import type { ModelCard } from '../ports/model-card.ts';
import { acceptedToolChoices } from '../run/core/model-settings.ts';
import { described } from './described.ts';
import { ModelListQuery, ModelParameters } from './model-schemas.ts';
import { Model, ModelList } from './model-response-schemas.ts';
import { pageByName } from './page-by-name.ts';
import { Problem } from './problem.ts';
import type { HttpApp, RouteDependencies } from './route.ts';
import { ProblemDetails } from './response-schemas.ts';
import { pageOf } from './views.ts';

type ModelView = z.output<typeof Model>;

/** Adds the endpoints that read the models of the configured providers. */
export function modelRoutes(app: HttpApp, { llm }: RouteDependencies): void {
  app.get(
    '/v1/models',
    {
      schema: {
        summary: 'List the models of the configured providers',
        description:
          'Lists the models of the catalogue and the configuration, by id. A run may name any other model that the provider offers.',
        querystring: ModelListQuery,
        response: described(() => ({ 200: ModelList, 400: ProblemDetails })),
      },
    },
    async (request) => {
      const { provider } = request.query;
      const models = llm.names
        .filter((name) => provider === undefined || name === provider)
        .flatMap((name) => llm.listed(name).map((card) => modelView(llm, name, card)))
        .toSorted((left, right) => (left.id < right.id ? -1 : 1));
      return pageOf(
        pageByName(models, ({ id }) => id, request.query),
        (model) => model,
      );
    },
  );

  app.get(
    '/v1/models/:name',
    {
      schema: {
        summary: 'Get a model',
        description:
          'Returns the data that a run with this name would use. A model that is unknown has a conservative context and output limit, listed in `assumed`, and no price.',
        params: ModelParameters,
        response: described(() => ({ 200: Model, 400: ProblemDetails, 404: ProblemDetails })),
      },
    },
    async (request) => {
      const { provider, model } = resolve(llm, request.params.name);
      const card = llm.get(provider)?.card(model);
      if (card === undefined)
        throw new Problem(
          'model_not_found',
          `the provider "${provider}" has no models; GET /v1/models lists the models of the others`,
        );
      return modelView(llm, provider, card);
    },
  );
}

function resolve(llm: LlmProviders, name: string): ModelRef {
  try {
    return llm.resolve(name);
  } catch (error) {
    if (!(error instanceof ModelNameError)) throw error;
    const errors = [{ path: '/path/name', message: error.message }];
    throw new Problem('invalid_model', error.message, { errors });
  }
}

function modelView(llm: LlmProviders, provider: string, card: ModelCard): ModelView {
  const { id, tier, price, takes, source } = card;
  return {
    id: `${provider}/${id}`,
    provider,
    model: id,
    aliases: [...card.aliases],
    is_default:
      provider === llm.info.provider && id === llm.get(provider)?.card(llm.info.model)?.id,
    ...(tier === undefined ? {} : { tier }),
    context_tokens: card.contextTokens,
    max_output_tokens: card.maxOutputTokens,
    assumed: card.assumed.map((field) =>
      field === 'contextTokens' ? 'context_tokens' : 'max_output_tokens',
    ),
    ...(price === undefined ? {} : { price: priceView(price) }),
    reasons: card.reasons,
    settings: {
      ...(takes.temperature ? { max_temperature: takes.maxTemperature } : {}),
      efforts: [...takes.efforts],
      tool_choices: [...acceptedToolChoices(card)],
    },
    takes: {
      tools: takes.tools,
      images: takes.images,
      audio: takes.audio,
      pdf: takes.pdf,
      stop_sequences: takes.stopSequences,
    },
    source:
      source.kind === 'catalogue'
        ? { kind: source.kind, url: source.url, as_of: source.asOf }
        : source,
  };
}

function priceView({
  above,
  ...prices
}: NonNullable<ModelCard['price']>): NonNullable<ModelView['price']> {
  const view = ({ input, output, cacheRead, cacheWrite }: typeof prices) => ({
    input,
    output,
    cache_read: cacheRead,
    cache_write: cacheWrite,
  });
  return {
    ...view(prices),
    ...(above === undefined ? {} : { above: { input_tokens: above.inputTokens, ...view(above) } }),
  };
}
