/** The parts that all operators share. */
import type { ResourceNames } from '../../infra/operations/environment/local-environment-record.ts'
import type { Environment } from '../../infra/operations/environment/open-environment.ts'
import { KeyAdministration } from '../../infra/operations/keys/administration.ts'
import type { IssuedKey, KeyOrder } from '../../infra/operations/keys/key.ts'
import type { AuditLines } from './audit-lines.ts'
import type { Callers } from './callers.ts'
import { type Process, runningProcess, type SimulatedDatabase } from './database.ts'
import type { KeyAuditRules } from './key-audit-rules.ts'
import type { LimitRules } from './limit-rules.ts'
import type { PetAuditRules } from './pet-audit-rules.ts'

export interface Operators extends Callers {
  readonly database: SimulatedDatabase
  readonly tables: ResourceNames['tables']
  readonly limitRules: LimitRules
  readonly audit: AuditLines
  readonly keyAuditRules: KeyAuditRules
  readonly petAuditRules: PetAuditRules
}

/** Opens the keys for an operator at a process. */
export const openKeys = (operators: Operators, process: Process): KeyAdministration => {
  const { database, tables, time, audit: lines, keyAuditRules } = operators
  const { audit, who } = lines.open(process)
  const observed = database.connect(process, (write) => keyAuditRules.check(who, write))
  return new KeyAdministration({ name: 'local', database: observed, tables }, { clock: () => time.now, audit })
}

/** Opens the environment, as commands on animals need it, for an operator at a process. */
export const openEnvironmentAt = ({ database, tables }: Operators, process: Process): Environment => ({
  name: 'local',
  baseUrl: '',
  auditTrail: { file: '' },
  database: database.connect(process),
  tables,
  [Symbol.dispose]: () => {},
})

/** A process that is killed at one of its next steps, or never. */
export interface MortalProcess extends Process {
  /** Resolves when the process is killed. */
  readonly killed: Promise<'killed'>
}

/** @param probability of the end at each step, while processes can be killed */
export const createMortalProcess = ({ random, faults }: Operators, probability: number): MortalProcess => {
  const { promise: killed, resolve } = Promise.withResolvers<'killed'>()
  let isKilled = false
  return {
    killed,
    getDeadline: () => Number.POSITIVE_INFINITY,
    waitUntilRunning: async () => {
      isKilled ||= random.chance(probability) && faults.canOccur('kills')
      if (!isKilled) return
      resolve('killed')
      await new Promise(() => {})
    },
  }
}

/** Issues a key, as often as it needs to succeed. */
export const issueKey = async (operators: Operators, order: KeyOrder): Promise<IssuedKey> => {
  while (true) {
    try {
      return await openKeys(operators, runningProcess).issue(order)
    } catch {
      await operators.time.pause(1_000)
    }
  }
}
