import type { ComponentType } from 'react';
import type { Control } from '../model';
import { AssignmentsControl } from './AssignmentsControl';
import { CodeControl } from './CodeControl';
import { CollectionControl } from './CollectionControl';
import { CredentialControl } from './CredentialControl';
import { FilterControl } from './FilterControl';
import { FixedCollectionControl } from './FixedCollectionControl';
import { JsonControl } from './JsonControl';
import { LocatorControl } from './LocatorControl';
import { MapperControl } from './MapperControl';
import type { ControlProps } from './props';
import { MultiSelectControl, SelectControl } from './SelectControl';
import {
  ColorControl,
  DateControl,
  HiddenControl,
  NoticeControl,
  NumberControl,
  SecretControl,
  SwitchControl,
  TextAreaControl,
  TextControl,
} from './simple';
import { WorkflowControl } from './WorkflowControl';

/** The one place that knows which input shows which control. */
export const CONTROLS: Readonly<Record<Control, ComponentType<ControlProps>>> = {
  text: TextControl,
  textarea: TextAreaControl,
  code: CodeControl,
  json: JsonControl,
  secret: SecretControl,
  number: NumberControl,
  switch: SwitchControl,
  select: SelectControl,
  multiselect: MultiSelectControl,
  date: DateControl,
  color: ColorControl,
  notice: NoticeControl,
  hidden: HiddenControl,
  collection: CollectionControl,
  fixedCollection: FixedCollectionControl,
  locator: LocatorControl,
  assignments: AssignmentsControl,
  filter: FilterControl,
  mapper: MapperControl,
  credential: CredentialControl,
  workflow: WorkflowControl,
};
