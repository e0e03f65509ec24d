import { ActionIcon, Checkbox, Collapse, Group, Paper, Stack, Text, TextInput, UnstyledButton } from '@mantine/core';
import { NumberField } from '../../components/numbers/NumberField';
import { IconArrowRight, IconChevronRight, IconTrash } from '../../icons/drawn';
import { t } from '../../language/messages';
import { ConditionInput } from './ConditionInput';
import { below, type Errors, type Rule, told } from './model';
import classes from './proxies.module.css';
import { TargetInput } from './TargetInput';

/** A rule in one line, and its fields when it is open. */
export function RuleRow({
  rule,
  path,
  weighted,
  opened,
  onOpen,
  kinds,
  errors,
  onChange,
  onRemove,
}: {
  rule: Rule;
  path: string;
  weighted: boolean;
  opened: boolean;
  onOpen: (open: boolean) => void;
  kinds: readonly { name: string; plugin: string | null }[];
  errors: Errors;
  /** field: which of the rule's has changed. */
  onChange: (rule: Rule, field: string) => void;
  onRemove: () => void;
}) {
  const wrong = below(errors, path);
  const open = opened || wrong;
  return (
    <Paper
      data-wrong={wrong || undefined}
      className={classes.rule}
      role="group"
      aria-label={t('Rule {name}', { name: rule.name })}
    >
      <Group gap={0} wrap="nowrap">
        <UnstyledButton className={classes.head} aria-expanded={open} onClick={() => onOpen(!opened)}>
          <IconChevronRight size={16} className={classes.arrow} data-open={open || undefined} aria-hidden="true" />
          <span className={classes.priority} title={t('Priority')}>
            {rule.priority}
          </span>
          <span className={classes.words}>
            <Text span fw={600}>
              {rule.name || t('Not named yet')}
            </Text>
            <Text span size="sm" c="dimmed">
              {told(rule.condition)}
            </Text>
          </span>
          <span className={classes.target}>
            <IconArrowRight size={12} aria-hidden /> {rule.target || t('no target yet')}
          </span>
        </UnstyledButton>
        <ActionIcon aria-label={t('Remove the rule {name}', { name: rule.name })} onClick={onRemove} mr="xs">
          <IconTrash size={16} />
        </ActionIcon>
      </Group>
      <Collapse expanded={open} keepMounted={false}>
        <Stack gap="md" className={classes.body}>
          <Group gap="md" align="flex-start" grow preventGrowOverflow={false}>
            <TextInput
              label={t('Name')}
              maxLength={128}
              value={rule.name}
              error={errors[`${path}.name`]}
              onChange={(event) => onChange({ ...rule, name: event.currentTarget.value }, 'name')}
            />
            <NumberField
              label={t('Priority')}
              description={t('Rules with a higher number come first')}
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              maw={160}
              decimals={0}
              value={rule.priority}
              error={errors[`${path}.priority`]}
              onChange={(priority) => onChange({ ...rule, priority: Number(priority) || 0 }, 'priority')}
            />
            {(weighted || rule.weight !== undefined) && (
              <NumberField
                label={t('Weight')}
                description={t('Its share under Weighted')}
                inputWrapperOrder={['label', 'input', 'description', 'error']}
                maw={160}
                min={0}
                placeholder="1"
                value={rule.weight ?? ''}
                error={errors[`${path}.weight`]}
                onChange={(weight) => onChange(weighing(rule, weight), 'weight')}
              />
            )}
          </Group>
          <ConditionInput
            label={t('When')}
            condition={rule.condition}
            path={`${path}.condition`}
            kinds={kinds}
            errors={errors}
            onChange={(condition) => onChange({ ...rule, condition }, 'condition')}
          />
          <Checkbox
            label={t('This rule serves only when no other rule fits, or those that fit have failed')}
            checked={rule.fallback === true}
            onChange={(event) => onChange(falling(rule, event.currentTarget.checked), 'fallback')}
          />
          <TargetInput
            target={rule.target}
            error={errors[`${path}.target`]}
            onChange={(target) => onChange({ ...rule, target }, 'target')}
          />
        </Stack>
      </Collapse>
    </Paper>
  );
}

function falling({ fallback: _, ...rule }: Rule, fallback: boolean): Rule {
  return fallback ? { ...rule, fallback } : rule;
}

function weighing({ weight: _, ...rule }: Rule, weight: string | number): Rule {
  return weight === '' ? rule : { ...rule, weight: Number(weight) };
}
