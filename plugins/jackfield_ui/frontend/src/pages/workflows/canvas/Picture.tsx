import {
  IconAlertOctagon,
  IconArrowBack,
  IconArrowMerge,
  IconArrowsShuffle2,
  IconArrowsSort,
  IconArrowsSplit,
  IconBolt,
  IconBraces,
  IconBrain,
  IconCalendar,
  IconClock,
  IconClockPause,
  IconCode,
  IconColumns,
  IconDatabase,
  IconFile,
  IconFileExport,
  IconFileImport,
  IconFileText,
  IconFilter,
  IconForms,
  IconGitBranch,
  IconHandClick,
  IconLock,
  IconMail,
  IconMessage,
  IconMinus,
  IconNote,
  IconPencil,
  IconPlayerTrackNext,
  IconPlugConnected,
  IconQuestionMark,
  IconRepeat,
  IconRobot,
  IconRoute,
  IconRss,
  IconSitemap,
  IconSparkles,
  IconStack2,
  IconTerminal2,
  IconTool,
  IconWebhook,
  IconWorld,
  IconZoomQuestion,
} from '../../../icons/drawn';
import type { Icon } from '../../../icons/icon';
import { type Logo, logoOf } from '../../../logos/logo';
import { kindOf } from '../model/document';
import { monogram } from '../model/kinds';
import classes from './picture.module.css';

const BY_KIND: Record<string, Icon> = {
  agent: IconRobot,
  aggregate: IconStack2,
  code: IconCode,
  compareDatasets: IconColumns,
  compression: IconFile,
  convertToFile: IconFileExport,
  cron: IconClock,
  crypto: IconLock,
  dateTime: IconCalendar,
  emailReadImap: IconMail,
  emailSend: IconMail,
  errorTrigger: IconAlertOctagon,
  executeCommand: IconTerminal2,
  executeWorkflow: IconRoute,
  executeWorkflowTrigger: IconRoute,
  extractFromFile: IconFileImport,
  filter: IconFilter,
  form: IconForms,
  formTrigger: IconForms,
  function: IconCode,
  functionItem: IconCode,
  httpRequest: IconWorld,
  if: IconArrowsSplit,
  interval: IconClock,
  manualTrigger: IconHandClick,
  markdown: IconFileText,
  merge: IconArrowMerge,
  mySql: IconDatabase,
  noOp: IconPlayerTrackNext,
  postgres: IconDatabase,
  redis: IconDatabase,
  removeDuplicates: IconMinus,
  respondToWebhook: IconArrowBack,
  rssFeedRead: IconRss,
  scheduleTrigger: IconClock,
  set: IconPencil,
  sort: IconArrowsSort,
  splitInBatches: IconRepeat,
  splitOut: IconSitemap,
  sqlite: IconDatabase,
  start: IconHandClick,
  stickyNote: IconNote,
  stopAndError: IconAlertOctagon,
  switch: IconArrowsShuffle2,
  terminalSession: IconTerminal2,
  wait: IconClockPause,
  webhook: IconWebhook,
  xml: IconCode,
};

const BY_START: readonly [RegExp, Icon][] = [
  [/^langchain\.(agent|openAiAssistant)/, IconRobot],
  [/^langchain\.lm/, IconBrain],
  [/^langchain\.(memory|vectorStore)/, IconDatabase],
  [/^langchain\.(tool|mcp)/, IconTool],
  [/^langchain\.outputParser/, IconBraces],
  [/^langchain\.(retriever|reranker)/, IconZoomQuestion],
  [/^langchain\.(document|textSplitter)/, IconFileText],
  [/^langchain\.(chat|manualChat)/, IconMessage],
  [/^langchain\.code/, IconCode],
  [/^langchain\./, IconSparkles],
];

const BY_GROUP: Record<string, Icon> = {
  trigger: IconBolt,
  flow: IconGitBranch,
  transform: IconPencil,
  code: IconCode,
  input: IconFileImport,
  output: IconFileExport,
  ai: IconSparkles,
  network: IconPlugConnected,
};

function iconOf(kind: string, group: string | undefined): Icon | undefined {
  const found = BY_KIND[kind] ?? BY_START.find(([start]) => start.test(kind))?.[1];
  if (found) return found;
  // Services and their triggers are told apart by letters.
  if (group === 'network' || group === 'trigger') return undefined;
  return group ? (BY_GROUP[group] ?? IconGitBranch) : IconQuestionMark;
}

interface Props {
  type: string;
  group?: string;
  name?: string;
  /** The one that the node's plugin names. */
  icon?: string;
  size: number;
}

/** The sign of a node type: its service's logo, a picture, or letters, in the colour of its group. */
export function Picture({ type, group, name, icon, size }: Props) {
  const kind = kindOf(type);
  const logo = logoOf(kind, icon);
  const Sign = iconOf(kind, group);
  const colour = BY_START.some(([start]) => start.test(kind)) ? 'ai' : (group ?? 'unknown');
  return (
    <span className={classes.picture} data-group={colour} style={{ fontSize: size * 0.62 }} aria-hidden="true">
      {logo ? <Mark logo={logo} size={size} /> : Sign ? <Sign size={size} stroke={1.6} /> : monogram(name ?? kind)}
    </span>
  );
}

function Mark({ logo, size }: { logo: Logo; size: number }) {
  const { address, plain } = logo;
  if (plain)
    return <span className={classes.plain} style={{ width: size, height: size, maskImage: `url(${address})` }} />;
  return (
    <img className={classes.logo} src={address} alt="" width={size} height={size} loading="lazy" draggable={false} />
  );
}
