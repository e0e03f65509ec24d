import { Input } from '@mantine/core';
import { type ComponentType, useEffect, useEffectEvent, useRef, useState } from 'react';
import { messageOf } from '../../../../api/errors';
import { failedTitle, useHost } from '../../../../app/extensionHost';
import {
  type ControlMount,
  type ControlState,
  ended,
  type MountedControl,
  useExtension,
} from '../../../../app/extensions';
import { useFormState } from '../context';
import type { NodeField } from '../model';
import { helpOf } from './help';
import type { ControlProps } from './props';

/** The extension and the control that a field names in `options.extension`, such as `kilns/heat`. */
export function extensionOf({ options }: NodeField): [string, string] | undefined {
  const named = options?.extension;
  const parts = typeof named === 'string' ? named.split('/') : [];
  return parts.length === 2 ? (parts as [string, string]) : undefined;
}

/** A control that a plugin draws. Until it is there, and where it is missing, the one that the field names itself. */
export function ExtensionControl({
  named: [extension, control],
  Otherwise,
  ...props
}: ControlProps & { named: [string, string]; Otherwise: ComponentType<ControlProps> }) {
  const { module } = useExtension(extension);
  const mount = module?.controls?.[control];
  if (!mount) return <Otherwise {...props} />;
  return <Mounted {...props} mount={mount} extension={extension} Otherwise={Otherwise} />;
}

interface MountedProps extends ControlProps {
  mount: ControlMount;
  extension: string;
  Otherwise: ComponentType<ControlProps>;
}

function Mounted({ mount, extension, Otherwise, ...props }: MountedProps) {
  const { field, value, onChange, error } = props;
  const { editable } = useFormState();
  const host = useHost(extension);
  const [failed, setFailed] = useState<string>();
  const place = useRef<HTMLDivElement>(null);
  const mounted = useRef<MountedControl>(undefined);
  const change = useEffectEvent((next: unknown) => onChange(next));
  const state = useEffectEvent(
    (): ControlState => ({
      label: field.label,
      value,
      change: (next) => change(next),
      readOnly: !editable,
      error,
      options: field.options ?? {},
    }),
  );
  useEffect(() => {
    if (!place.current) return;
    let control: MountedControl | undefined;
    try {
      control = mount(place.current, state(), host);
    } catch (reason) {
      setFailed(messageOf(reason));
    }
    mounted.current = control;
    return () => ended(() => control?.unmount?.());
  }, [mount, host]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what a control shows
  useEffect(() => {
    try {
      mounted.current?.update(state());
    } catch (reason) {
      setFailed(messageOf(reason));
    }
  }, [value, editable, error]);
  if (failed !== undefined) {
    return <Otherwise {...props} error={error ?? `${failedTitle(extension)}: ${failed}`} />;
  }
  return (
    <Input.Wrapper
      label={field.label}
      labelElement="div"
      description={helpOf(field)}
      withAsterisk={field.required === true}
      error={error}
    >
      <div ref={place} role="group" aria-label={field.label} />
    </Input.Wrapper>
  );
}
