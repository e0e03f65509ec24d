/** Short names for what the API's description calls at length. */
import type { components } from './schema';

type Schemas = components['schemas'];

export type Agent = Schemas['AgentItem'];
export type DaemonStatus = Schemas['DaemonStatus'];
export type ExecutionRow = Schemas['ExecutionRowShown'];
/** What nodes pass on. */
export type Item = Schemas['ItemShown'];
export type Profile = Schemas['ProfileItem'];
export type ProxyState = Schemas['ProxyShown'];
export type AgentSession = Schemas['AgentSessionOut'];
export type ChatMessage = Schemas['SessionMessageOut'];
export type TerminalSession = Schemas['SessionOut'];
export type Usage = Schemas['UsageStatistics'];
export type WorkflowRow = Schemas['WorkflowRowShown'];
export type { Schemas };
