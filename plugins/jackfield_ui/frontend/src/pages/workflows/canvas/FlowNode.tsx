import { Handle, type NodeProps, Position } from '@xyflow/react';
import { memo } from 'react';
import { IconAlertTriangle, IconCheck, IconHistory, IconPinFilled, IconPlus, IconX } from '../../../icons/drawn';
import { t } from '../../../language/messages';
import type { NodeState } from '../live/progress';
import { partLabel, subtitleOf } from '../model/shape';
import { useActions } from './actions';
import classes from './canvas.module.css';
import { type FlowNode as Flow, inputHandle, outputHandle, placeOf } from './flow';
import marks from './mark.module.css';
import { NodeMark } from './NodeMark';
import { Picture } from './Picture';

/** A node as people know it: square, triggers round on the left, parts as circles, nodes with parts wide. */
export const FlowNode = memo(function FlowNode({ data, selected }: NodeProps<Flow>) {
  const { node, shape, kind, state, problem, pinned, mark } = data;
  const { look } = shape;
  const subtitle = subtitleOf(node);
  return (
    <div
      className={`${classes.node} ${mark ? marks.marked : ''}`}
      data-look={look}
      data-selected={selected || undefined}
      data-disabled={node.disabled || undefined}
      data-state={state?.status}
      data-mark={mark}
    >
      <Picture
        type={node.type}
        group={kind?.group ?? 'unknown'}
        name={kind?.displayName ?? node.name}
        icon={kind?.icon}
        size={36}
      />
      <Name
        name={node.name}
        subtitle={subtitle}
        disabled={node.disabled === true}
        inside={look === 'wide' || look === 'widePart'}
      />
      <span className={classes.badges}>
        {pinned && (
          <span title={t('Output pinned: manual runs use it')} className={classes.pin}>
            <IconPinFilled size={14} aria-label={t('Pinned data')} role="img" />
          </span>
        )}
        {problem && (
          <span title={problem} className={classes.warn}>
            <IconAlertTriangle size={15} aria-label={t('Problem: {problem}', { problem })} role="img" />
          </span>
        )}
        {state?.status === 'failed' && (
          <span title={state.error} className={classes.bad}>
            <IconX size={15} stroke={3} aria-label={t('Failed: {error}', { error: state.error ?? '' })} role="img" />
          </span>
        )}
        {state?.status === 'success' && (
          <span className={classes.good} title={doneText(state)}>
            {state.reused ? (
              <IconHistory size={15} stroke={2.5} aria-label={t('Data of an earlier run')} role="img" />
            ) : (
              <IconCheck size={15} stroke={3} aria-label={t('Succeeded')} role="img" />
            )}
            {state.runs > 1 && state.runs}
          </span>
        )}
      </span>
      {mark && <NodeMark name={node.name} mark={mark} />}
      <Ports data={data} />
    </div>
  );
});

function doneText({ reused, runs }: NodeState): string {
  if (reused) return t('It did not run again: this is the data of an earlier run');
  return runs > 1 ? t('Ran {runs} times', { runs }) : t('Succeeded');
}

/** Only what may not fit is cut off: fewer signs do, whatever they are. */
const isLong = (text: string) => text.length > 16 || undefined;

function Name({
  name,
  subtitle,
  disabled,
  inside,
}: {
  name: string;
  subtitle: string;
  disabled: boolean;
  inside: boolean;
}) {
  return (
    <span className={inside ? classes.inside : classes.below}>
      <span className={classes.name} data-long={isLong(name)}>
        {name}
        {disabled && ` ${t('(disabled)')}`}
      </span>
      {subtitle && (
        <span className={classes.subtitle} data-long={isLong(subtitle)}>
          {subtitle}
        </span>
      )}
    </span>
  );
}

function Ports({ data: { node, shape, free, mark } }: { data: Flow['data'] }) {
  const { editable: isEditable, follow } = useActions();
  const editable = isEditable && mark !== 'added';
  const { inputs, outputs, accepts, serves } = shape;
  const open = free === '' ? [] : free.split(',').map(Number);
  return (
    <>
      {Array.from({ length: inputs }, (_, index) => (
        <Handle
          key={index}
          id={inputHandle('main', index)}
          type="target"
          position={Position.Left}
          className={classes.input}
          style={{ top: `${placeOf(index, inputs)}%` }}
          isConnectable={editable}
        />
      ))}
      {outputs.map((label, index) => (
        <Handle
          key={index}
          id={outputHandle('main', index)}
          type="source"
          position={Position.Right}
          className={classes.output}
          style={{ top: `${placeOf(index, outputs.length)}%` }}
          isConnectable={editable}
        >
          {label && <span className={classes.label}>{label}</span>}
          {editable && open.includes(index) && (
            <button
              type="button"
              className={`${classes.plus} nodrag nopan`}
              data-labelled={label ? true : undefined}
              aria-label={
                label
                  ? t('Add a node after {name}, output {output}', { name: node.name, output: label })
                  : t('Add a node after {name}', { name: node.name })
              }
              tabIndex={-1}
              onClick={(event) => {
                event.stopPropagation();
                follow(node.name, index);
              }}
            >
              <IconPlus size={12} stroke={2.5} aria-hidden="true" />
            </button>
          )}
        </Handle>
      ))}
      {accepts.map((type, index) => (
        <Handle
          key={type}
          id={inputHandle(type, 0)}
          type="target"
          position={Position.Bottom}
          className={classes.part}
          style={{ left: `${placeOf(index, accepts.length)}%` }}
          isConnectable={editable}
        >
          <span className={classes.partLabel}>{partLabel(type)}</span>
        </Handle>
      ))}
      {serves.map((type, index) => (
        <Handle
          key={type}
          id={outputHandle(type, 0)}
          type="source"
          position={Position.Top}
          className={classes.part}
          style={{ left: `${placeOf(index, serves.length)}%` }}
          isConnectable={editable}
        />
      ))}
    </>
  );
}
