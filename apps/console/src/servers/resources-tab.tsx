import { useState, type ReactNode, type SyntheticEvent } from 'react';
import { useQueryParam } from '../app/router.ts';
import { Button } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { PlainText } from '../ui/plain-text.tsx';
import { printable } from '../ui/printable.ts';
import { Spinner } from '../ui/spinner.tsx';
import { ChooseList, type ChooseEntry } from './choose-list.tsx';
import { CompletionField } from './completion-field.tsx';
import { textIn } from './mcp-object.ts';
import { ResourceView } from './resource-view.tsx';
import { useServerList, type McpObject } from './server-queries.ts';
import { expandTemplate, templateVariables } from './uri-template.ts';

/** The resources and resource templates of a server; beside them is the one of the address. */
export function ResourcesTab({ server }: { readonly server: string }): ReactNode {
  const [chosen] = useQueryParam('resource');
  const resources = useServerList(server, 'resources');
  const templates = useServerList(server, 'resource-templates');
  const error = resources.error ?? templates.error;
  if (error !== null)
    return (
      <ErrorNotice
        title="The resources could not be loaded"
        error={error}
        onRetry={() => {
          void resources.refetch();
          void templates.refetch();
        }}
      />
    );
  if (resources.data === undefined || templates.data === undefined)
    return <Spinner label="Loading the resources" />;
  const template = templates.data.find((each) => textIn(each, 'uriTemplate') === chosen);
  const entries = [
    ...templates.data.map((each) => entryOf(each, 'uriTemplate')),
    ...resources.data.map((each) => entryOf(each, 'uri')),
  ];
  if (entries.length === 0)
    return (
      <EmptyState title="No resources" icon="link">
        <p>A resource is a file, a table or another thing that a server lets a run read.</p>
      </EmptyState>
    );
  return (
    <ChooseList
      label="Resources"
      param="resource"
      entries={entries}
      hint="Choose a resource to read it, or a template to build the address of one."
    >
      {template === undefined ? (
        <ResourceView key={chosen} server={server} uri={chosen} />
      ) : (
        <TemplateForm key={chosen} server={server} template={template} />
      )}
    </ChooseList>
  );
}

function entryOf(object: McpObject, member: 'uri' | 'uriTemplate'): ChooseEntry {
  const id = textIn(object, member) ?? '';
  const title = textIn(object, 'title') ?? textIn(object, 'name') ?? id;
  return { id, title: printable(title), text: printable(id) };
}

interface TemplateFormProps {
  readonly server: string;
  readonly template: McpObject;
}

/** Builds the address of a resource from a template, and reads it. */
function TemplateForm({ server, template }: TemplateFormProps): ReactNode {
  const [values, setValues] = useState<{ readonly [name: string]: string }>({});
  const [opened, setOpened] = useState<string>();
  const uriTemplate = textIn(template, 'uriTemplate') ?? '';
  const description = textIn(template, 'description');
  const uri = expandTemplate(uriTemplate, values);
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    setOpened(uri);
  };
  return (
    <div className="tool-view">
      <form className="card call-form" onSubmit={submit} aria-labelledby="template-name">
        <h2 id="template-name">
          <PlainText text={textIn(template, 'title') ?? textIn(template, 'name') ?? uriTemplate} />
        </h2>
        <p className="mono">
          <PlainText text={uriTemplate} />
        </p>
        {description !== undefined && (
          <p>
            <PlainText text={description} />
          </p>
        )}
        {templateVariables(uriTemplate).map(({ name, isOptional }) => (
          <CompletionField
            key={name}
            server={server}
            of={{ uri_template: uriTemplate }}
            name={name}
            isRequired={!isOptional}
            values={values}
            onChange={(value) => setValues({ ...values, [name]: value })}
          />
        ))}
        <p>
          <span className="faint">Address</span>{' '}
          <code>
            <PlainText text={uri} />
          </code>
        </p>
        <div>
          <Button type="submit" kind="primary">
            Read the resource
          </Button>
        </div>
      </form>
      {opened !== undefined && <ResourceView key={opened} server={server} uri={opened} />}
    </div>
  );
}
