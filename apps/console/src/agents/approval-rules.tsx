import { useRef, type ReactNode } from 'react';
import { Button } from '../ui/button.tsx';
import { SelectField } from '../ui/select-field.tsx';
import { TextField } from '../ui/text-field.tsx';
import type { ApprovalRule } from './agent-draft.ts';
import { useRowFocus } from '../ui/use-row-focus.ts';

const POLICIES: readonly { readonly value: ApprovalRule['policy']; readonly label: string }[] = [
  { value: 'auto', label: 'auto: as the configuration says' },
  { value: 'ask', label: 'ask: a person approves' },
  { value: 'deny', label: 'deny: the call fails' },
];

interface ApprovalRulesProps {
  readonly rules: readonly ApprovalRule[];
  /** Patterns that the browser suggests. */
  readonly suggestions: readonly string[];
  readonly onChange: (rules: readonly ApprovalRule[]) => void;
  /** Returns the problem of the rule at a place. */
  readonly problem: (place: number) => string | undefined;
}

/** Approval rules in the order in which they are tried. Rules without a pattern do not count. */
export function ApprovalRules({
  rules,
  suggestions,
  onChange,
  problem,
}: ApprovalRulesProps): ReactNode {
  const list = useRef<HTMLFieldSetElement>(null);
  const moveFocus = useRowFocus(list);
  const set = (place: number, change: Partial<ApprovalRule>): void =>
    onChange(rules.map((rule, at) => (at === place ? { ...rule, ...change } : rule)));
  return (
    <fieldset ref={list} className="field">
      <legend>Approval rules</legend>
      <p className="faint">
        The first rule that matches a tool applies. It can make the policy of the configuration
        stricter, never looser.
      </p>
      {rules.length > 0 && (
        <ol className="field-rows">
          {rules.map((rule, place) => (
            // Rules have no other identity than their place.
            // oxlint-disable-next-line react/no-array-index-key
            <li key={place} className="field-row">
              <TextField
                label={`Tools of rule ${place + 1}`}
                value={rule.tools}
                limits={{ maxLength: 100 }}
                suggestions={suggestions}
                onChange={(tools) => set(place, { tools })}
                error={problem(place)}
              />
              <SelectField
                label={`Policy of rule ${place + 1}`}
                value={rule.policy}
                choices={POLICIES}
                onChange={(value) => {
                  const policy = POLICIES.find((each) => each.value === value)?.value;
                  if (policy !== undefined) set(place, { policy });
                }}
              />
              <Button
                kind="quiet"
                label={`Move rule ${place + 1} up`}
                isDisabled={place === 0}
                onClick={() => onChange(movedUp(rules, place))}
              >
                ↑
              </Button>
              <Button
                kind="quiet"
                icon="close"
                label={`Remove rule ${place + 1}`}
                onClick={() => {
                  moveFocus('add-button');
                  onChange(rules.toSpliced(place, 1));
                }}
              >
                {null}
              </Button>
            </li>
          ))}
        </ol>
      )}
      <div>
        <Button
          icon="plus"
          onClick={() => {
            moveFocus('last-row');
            onChange([...rules, { tools: '', policy: 'ask' }]);
          }}
        >
          Add a rule
        </Button>
      </div>
    </fieldset>
  );
}

function movedUp(rules: readonly ApprovalRule[], place: number): readonly ApprovalRule[] {
  const rule = rules[place];
  return rule === undefined ? rules : rules.toSpliced(place, 1).toSpliced(place - 1, 0, rule);
}
