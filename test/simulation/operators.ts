/** Operators who issue, rotate, move and revoke keys with the real commands, and who are killed at times. */
import { UserError } from '../../infra/command-line/user-error.ts'
import { KeyAdministration } from '../../infra/operations/keys/administration.ts'
import type { IssuedKey, KeyOrder } from '../../infra/operations/keys/key.ts'
import { type Allowance, fixedPlans, type Plan } from '../../shared/api-keys/plans.ts'
import { createMemoryAudit } from '../fixtures/audit.ts'
import type { AuditRules } from './audit-rules.ts'
import type { Callers, Credential } from './callers.ts'
import type { Process, SimulatedDatabase } from './database.ts'
import type { LimitRules } from './limit-rules.ts'

export interface Operators extends Callers {
  readonly database: SimulatedDatabase
  readonly tables: { readonly apiKeys: string; readonly pets: string; readonly idempotency: string }
  readonly limitRules: LimitRules
  readonly auditRules: AuditRules
}

/** Opens the keys for an operator at a process. */
const openKeys = ({ database, tables, time }: Operators, process: Process) => {
  const audit = createMemoryAudit()
  const keys = new KeyAdministration(
    { name: 'local', database: database.connect(process), tables },
    { clock: () => time.now, audit },
  )
  return { keys, audit }
}

/** A process that is killed at one of its next steps, or never. */
export const createMortalProcess = ({ random }: Operators, probability: number): Process => {
  let isKilled = false
  return {
    waitUntilRunning: async () => {
      isKilled ||= random.chance(probability)
      if (isKilled) await new Promise(() => {})
    },
  }
}

/** Issues a key, as often as it needs to succeed. */
export const issueKey = async (operators: Operators, order: KeyOrder): Promise<IssuedKey> => {
  while (true) {
    const { keys } = openKeys(operators, createMortalProcess(operators, 0))
    try {
      return await keys.issue(order)
    } catch {
      await operators.time.pause(1_000)
    }
  }
}

/** Starts operators who change the keys of callers now and then. */
export const startOperators = async (operators: Operators, credentials: readonly Credential[]): Promise<void> => {
  const { time, random, isOver } = operators
  const own = random.fork()
  while (!isOver()) {
    await time.pause(own.untilNext(300) * 1_000)
    if (isOver() || operators.mustSucceed()) return
    const credential = credentials[own.integer(0, credentials.length - 1)]
    if (credential === undefined || credential.isRevoked) continue
    const command = own.pick(['rotate', 'move', 'revoke', 'unban', 'edit'] as const)
    operators.history.count('commands')
    operators.history.note(credential.apiKey, `an operator runs ${command}`)
    const commandEnds = runCommand(operators, credential, command).catch((error) => {
      operators.history.note(credential.apiKey, `${command} failed: ${error}`)
      if (!(error instanceof Error)) throw error
    })
    // A killed command never ends.
    await Promise.race([commandEnds, time.pause(60_000)])
  }
}

const runCommand = async (
  operators: Operators,
  credential: Credential,
  command: 'rotate' | 'move' | 'revoke' | 'unban' | 'edit',
): Promise<void> => {
  const { limitRules, time, random } = operators
  const { keys } = openKeys(operators, createMortalProcess(operators, 0.02))
  const { apiKey } = credential
  switch (command) {
    case 'rotate': {
      limitRules.expectChange(apiKey)
      const overlapSeconds = random.integer(0, 1_200)
      const allowance = await readAllowance(keys, apiKey)
      const issued = await keys.rotate(apiKey, { overlapSeconds })
      limitRules.addKey(issued.apiKey, `the successor of ${credential.name}`, allowance, false)
      const endsAt = time.now + overlapSeconds * 1_000
      limitRules.endKey(apiKey, endsAt)
      credential.apiKey = issued.apiKey
      return
    }
    case 'move': {
      const plan: Exclude<Plan, 'enterprise'> = random.pick(['free', 'pro', 'business'])
      limitRules.expectChange(apiKey, fixedPlans[plan])
      await keys.move(apiKey, plan, fixedPlans[plan])
      limitRules.expectChange(apiKey)
      return
    }
    case 'revoke':
      // One in five: otherwise no caller is left soon.
      if (!random.chance(0.2)) return
      credential.isRevoked = true
      limitRules.expectChange(apiKey)
      await keys.revoke(apiKey)
      limitRules.endKey(apiKey, time.now)
      return
    case 'unban':
      limitRules.expectChange(apiKey)
      await keys.unban(apiKey).catch(ignoreUserError)
      return
    case 'edit':
      await keys.edit(apiKey, { contact: 'somebody@example.org' })
  }
}

const readAllowance = async (keys: KeyAdministration, apiKey: string): Promise<Allowance> => {
  const { minuteLimit, dayLimit } = await keys.show(apiKey)
  return { perMinute: minuteLimit, perDay: dayLimit }
}

const ignoreUserError = (error: unknown): void => {
  if (!(error instanceof UserError)) throw error
}
