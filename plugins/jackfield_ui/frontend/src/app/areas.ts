import {
  IconActivity,
  IconArrowsRightLeft,
  IconBooks,
  IconChartBar,
  IconCheckbox,
  IconChecklist,
  IconHelp,
  IconLayoutDashboard,
  IconListDetails,
  IconMessages,
  IconPlug,
  IconReportAnalytics,
  IconRobot,
  IconRoute,
  IconServer2,
  IconSettings,
  IconTable,
  IconTerminal2,
  IconUserCog,
  IconWebhook,
} from '../icons/drawn';
import type { Icon } from '../icons/icon';
import { t } from '../language/messages';

/** The areas of the UI, in the navigation's order. One is shown when its folder in pages/ has a routes.tsx. */
export interface Area {
  id: string;
  label: string;
  icon: Icon;
  /** The second key of its jump: g, then this. */
  jump: string;
  group: '' | 'Automation' | 'Agents' | 'System';
  /** It is offered only where several daemons share the store. */
  several?: true;
  /** It is offered only by an address that reaches agents: `[server.areas]` of the daemon. */
  ofAgents?: true;
}

export const AREAS: readonly Area[] = [
  { id: 'dashboard', label: t('Dashboard'), icon: IconLayoutDashboard, jump: 'd', group: '' },
  { id: 'approvals', label: t('Approvals'), icon: IconCheckbox, jump: 'v', group: '' },
  { id: 'workflows', label: t('Workflows'), icon: IconRoute, jump: 'w', group: 'Automation' },
  { id: 'executions', label: t('Executions'), icon: IconActivity, jump: 'e', group: 'Automation' },
  { id: 'insights', label: t('Insights'), icon: IconReportAnalytics, jump: 'n', group: 'Automation' },
  { id: 'webhooks', label: t('Webhooks'), icon: IconWebhook, jump: 'h', group: 'Automation' },
  { id: 'data-tables', label: t('Data tables'), icon: IconTable, jump: 'b', group: 'Automation' },
  { id: 'evaluations', label: t('Evaluations'), icon: IconChecklist, jump: 'y', group: 'Automation' },
  { id: 'agents', label: t('Agents'), icon: IconRobot, jump: 'a', group: 'Agents', ofAgents: true },
  { id: 'profiles', label: t('Profiles'), icon: IconUserCog, jump: 'p', group: 'Agents', ofAgents: true },
  { id: 'chats', label: t('Chats'), icon: IconMessages, jump: 'c', group: 'Agents', ofAgents: true },
  { id: 'terminals', label: t('Terminals'), icon: IconTerminal2, jump: 't', group: 'Agents', ofAgents: true },
  { id: 'proxies', label: t('Proxies'), icon: IconArrowsRightLeft, jump: 'x', group: 'Agents', ofAgents: true },
  { id: 'usage', label: t('Usage'), icon: IconChartBar, jump: 'u', group: 'Agents', ofAgents: true },
  { id: 'registry', label: t('Registry'), icon: IconBooks, jump: 'r', group: 'System', ofAgents: true },
  { id: 'hosts', label: t('Hosts'), icon: IconServer2, jump: 'o', group: 'System', several: true, ofAgents: true },
  { id: 'plugins', label: t('Plugins'), icon: IconPlug, jump: 'i', group: 'System', ofAgents: true },
  { id: 'logs', label: t('Logs'), icon: IconListDetails, jump: 'l', group: 'System', ofAgents: true },
  { id: 'settings', label: t('Settings'), icon: IconSettings, jump: 's', group: 'System' },
  { id: 'help', label: t('Help'), icon: IconHelp, jump: 'm', group: 'System' },
];

/** The address of an area's first page. */
export function areaPath(id: string): string {
  return id === 'dashboard' ? '/' : `/ui/${id}`;
}
