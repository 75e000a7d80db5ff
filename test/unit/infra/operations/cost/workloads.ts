import type { Workload } from '../../../../../infra/operations/cost/cost-command.ts'
import type { Inventory } from '../../../../../infra/operations/cost/inventory.ts'

/** A million requests that are easy to calculate with: half lists of one status, half reads of one pet. */
export const workload = (change: Partial<Workload> = {}): Workload => ({
  requests: 1_000_000,
  mix: { list: 0.5, get: 0.5, create: 0, refused: 0, unauthorized: 0 },
  unfiltered: 0,
  page: 20,
  idempotent: 0,
  unknownKeys: 0,
  // So few that next to no request opens a new minute.
  keys: 1e-9,
  pets: 0,
  authorizerMilliseconds: 10,
  operationMilliseconds: 30,
  ...change,
})

export const inventory = (change: Partial<Inventory> = {}): Inventory => ({
  functionMegabytes: 1_024,
  isTraced: false,
  hasAccessLog: false,
  logDays: 0,
  alarmMetrics: 0,
  customMetrics: 0,
  dashboards: 0,
  firewallLists: 0,
  firewallRules: 0,
  hasPointInTimeRecovery: false,
  ...change,
})
