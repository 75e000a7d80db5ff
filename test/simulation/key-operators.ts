/** Operators who rotate, move, revoke, unban and edit keys with the real commands, and who are killed at times. */
import type { KeyAdministration } from '../../infra/operations/keys/administration.ts'
import { fixedPlans } from '../../shared/api-keys/plans.ts'
import type { Credential } from './callers.ts'
import { createMortalProcess, type Operators, openKeys } from './operators.ts'
import type { Random } from './random.ts'

const commandNames = ['rotate', 'move', 'revoke', 'unban', 'edit'] as const

interface Command {
  readonly name: (typeof commandNames)[number]
  /** The contact that an edit gives the key. */
  readonly contact: string
}

/** Starts operators who change the keys of callers now and then, at times two of them the same key at once. */
export const startKeyOperators = async (operators: Operators, credentials: readonly Credential[]): Promise<void> => {
  const { time, random, mustSucceed } = operators
  const own = random.fork()
  while (!mustSucceed()) {
    await time.pause(own.untilNext(200) * 1_000)
    const credential = credentials[own.integer(0, credentials.length - 1)]
    if (credential === undefined || credential.isRevoked || mustSucceed()) continue
    await Promise.all(drawCommands(own).map((command) => runCommand(operators, own, credential, command)))
  }
}

/** Draws one command, or two that run at once and may be the same. */
const drawCommands = (random: Random): readonly Command[] => {
  const command = drawCommand(random)
  if (random.chance(0.5)) return [command]
  return [command, random.chance(0.5) ? command : drawCommand(random)]
}

const drawCommand = (random: Random): Command => ({
  name: random.pick(commandNames),
  contact: random.pick(['a@example.org', 'b@example.org']),
})

const runCommand = async (
  operators: Operators,
  random: Random,
  credential: Credential,
  command: Command,
): Promise<void> => {
  const { time, history } = operators
  const { apiKey } = credential
  const { name } = command
  await time.pause(random.between(0, 20))
  history.count('commands')
  history.note(apiKey, `an operator runs ${name}`)

  const process = createMortalProcess(operators, 0.02)
  const keys = openKeys(operators, process)
  const commandEnds = runCommandOn(keys, operators, credential, command)
  try {
    const end = await Promise.race([commandEnds, process.killed])
    if (end !== 'killed') return
    history.note(apiKey, `${name} was killed`)
  } catch (error) {
    history.note(apiKey, `${name} failed: ${error}`)
    if (!(error instanceof Error)) throw error
  }
  // Whether the key has ended is not known to its owner.
  if (name === 'rotate' || name === 'revoke') credential.isInDoubt = true
}

const runCommandOn = async (
  keys: KeyAdministration,
  operators: Operators,
  credential: Credential,
  { name, contact }: Command,
): Promise<void> => {
  const { limitRules, time, random } = operators
  const { apiKey } = credential
  // The last response of the key may no longer hold.
  limitRules.expectChange(apiKey)
  switch (name) {
    case 'rotate': {
      const overlapSeconds = random.integer(0, 1_200)
      const issued = await keys.rotate(apiKey, { overlapSeconds })
      // Another operator may have changed the limits just before.
      const { minuteLimit, dayLimit } = issued.record
      const allowance = { perMinute: minuteLimit, perDay: dayLimit }
      limitRules.addKey(issued.apiKey, `the successor of ${credential.name}`, allowance, false)
      limitRules.endKey(apiKey, time.now + overlapSeconds * 1_000)
      credential.apiKey = issued.apiKey
      return
    }
    case 'move': {
      await moveKey(operators, keys, apiKey, random.pick(['free', 'pro', 'business']))
      return
    }
    case 'revoke':
      // One in five: otherwise no caller is left soon.
      if (!random.chance(0.2)) return
      credential.isRevoked = true
      await keys.revoke(apiKey)
      limitRules.endKey(apiKey, time.now)
      return
    case 'unban':
      await keys.unban(apiKey)
      return
    case 'edit':
      await keys.edit(apiKey, { contact })
  }
}

/** Moves a key to a plan with fixed limits. */
export const moveKey = async (
  { limitRules }: Operators,
  keys: KeyAdministration,
  apiKey: string,
  plan: keyof typeof fixedPlans,
): Promise<void> => {
  const confirm = limitRules.expectAllowance(apiKey, fixedPlans[plan])
  await keys.move(apiKey, plan, fixedPlans[plan])
  confirm()
}
