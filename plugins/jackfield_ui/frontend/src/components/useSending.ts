import { type UseFormReturnType, useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { ApiError } from '../api/errors';

export interface Sending<Values> {
  form: UseFormReturnType<Values>;
  /** Of the last try. */
  error: Error | null;
  busy: boolean;
  /** What is sent is checked first. */
  submit: (event?: FormEvent<HTMLFormElement>) => void;
}

/**
 * An ordinary form: what the daemon refuses stands at its field until the field is changed.
 * namedAs: the form's name of a field, where it is not the daemon's.
 */
export function useSending<Values extends Record<string, unknown>, Answer>({
  initial,
  validate = {},
  send,
  onSent,
  namedAs = {},
}: {
  initial: Values;
  validate?: { [Name in keyof Values]?: (value: Values[Name], values: Values) => string | null };
  send: (values: Values) => Promise<Answer>;
  onSent: (answer: Answer, sent: Values) => unknown;
  namedAs?: Readonly<Record<string, string>>;
}): Sending<Values> {
  const form = useForm<Values>({ initialValues: initial, validate: validate as never });
  const { mutate, error, isPending } = useMutation({
    mutationFn: send,
    onSuccess: onSent,
    onError: (reason) => {
      if (!(reason instanceof ApiError)) return;
      form.setErrors(
        Object.fromEntries(Object.entries(reason.fields).map(([name, why]) => [namedAs[name] ?? name, why])),
      );
    },
  });
  return { form, error, busy: isPending, submit: form.onSubmit((values) => mutate(values)) };
}
