/** Operators who rotate, move, revoke, unban and set keys with the real commands, and who are killed at times. */
import type { KeyAdministration } from '../../infra/operations/keys/administration.ts'
import { hashApiKey } from '../../shared/api-keys/api-key.ts'
import type { KeyTable } from '../../shared/api-keys/key-table.ts'
import { fixedPlans } from '../../shared/api-keys/plans.ts'
import type { Credential } from './callers.ts'
import { type CommandProcess, type Operators, openKeys, runCommand } from './operators.ts'
import type { Random } from './random.ts'
import { sendOnce } from './raw-callers.ts'

interface KeyCommand {
  readonly name: 'rotate' | 'move' | 'revoke' | 'unban' | 'set'
  /** The contact that `set` gives the key. */
  readonly contact: string
  /** Whether the operator does not know if there is anything to do. */
  readonly isSpeculative: boolean
}

/** The share of revocations in all commands. With more of them, no caller would be left soon. */
const revocationShare = 0.04

/** Probability that a command is killed at each of its steps. */
const killProbability = 0.02

const requestsDuringRotation = 5

/** Starts operators who change the keys of callers now and then, at times two of them the same key at once. */
export const startKeyOperators = async (operators: Operators, credentials: readonly Credential[]): Promise<void> => {
  const { random, isClosing, rest } = operators
  const own = random.fork()
  while (!isClosing()) {
    await rest(own.untilNext(200) * 1_000)
    const credential = credentials[own.integer(0, credentials.length - 1)]
    if (credential === undefined || credential.isRevoked || isClosing()) continue
    await Promise.all(drawCommands(own).map((command) => runKeyCommand(operators, own, credential, command)))
  }
}

/** Starts an operator who now and then looks for a banned key, and ends its ban. */
export const startUnbanningOperator = async (
  operators: Operators & { readonly keyTable: KeyTable },
  credentials: readonly Credential[],
): Promise<void> => {
  const { random, time, isClosing, rest, keyTable } = operators
  const own = random.fork()
  while (credentials.length > 0 && !isClosing()) {
    await rest(own.untilNext(200) * 1_000)
    if (isClosing()) continue
    const storedKeys = await keyTable.list()
    const bannedHashes = storedKeys
      .filter(({ bannedUntil }) => Number(bannedUntil) > time.now / 1_000)
      .map(({ keyHash }) => keyHash)
    const banned = credentials.find(({ apiKey }) => bannedHashes.includes(hashApiKey(apiKey)))
    if (banned === undefined) continue
    await runKeyCommand(operators, own, banned, { name: 'unban', contact: '', isSpeculative: false })
  }
}

/** Draws one command, or two that run at once and may be the same. */
const drawCommands = (random: Random): readonly KeyCommand[] => {
  const command = drawCommand(random)
  if (random.chance(0.5)) return [command]
  return [command, random.chance(0.5) ? command : drawCommand(random)]
}

const drawCommand = (random: Random): KeyCommand => {
  const name: KeyCommand['name'] = random.chance(revocationShare)
    ? 'revoke'
    : random.pick(['rotate', 'move', 'unban', 'set'])
  return {
    name,
    contact: random.pick(['a@example.org', 'b@example.org']),
    // Few keys are banned.
    isSpeculative: name === 'unban',
  }
}

const runKeyCommand = async (
  operators: Operators,
  random: Random,
  credential: Credential,
  command: KeyCommand,
): Promise<void> => {
  const { time, history } = operators
  const { apiKey } = credential
  const { name } = command
  await time.pause(random.between(0, 20))
  history.note(apiKey, `an operator runs ${name}`)

  const mayEndKey = name === 'rotate' || name === 'revoke'
  if (mayEndKey) credential.endsUnderWay += 1
  const requestsEnd = name === 'rotate' ? sendMeanwhile(operators, random, apiKey) : undefined
  const { outcome } = await runCommand(operators, {
    kind: `keys ${name}`,
    subject: apiKey,
    killProbability,
    // A key in doubt may have ended, or have a successor.
    isSpeculative: command.isSpeculative || credential.isInDoubt,
    run: (process) => change(operators, process, credential, command),
  })
  await requestsEnd
  if (mayEndKey) credential.endsUnderWay -= 1
  // Whether the key has ended is not known to its owner.
  if (mayEndKey && outcome !== 'done' && credential.apiKey === apiKey) credential.isInDoubt = true
}

/** Sends some requests with a key while a rotation runs, so that their counting can meet its transaction. */
const sendMeanwhile = async ({ time }: Operators, random: Random, apiKey: string): Promise<void> => {
  for (let sent = 0; sent < requestsDuringRotation; sent += 1) {
    // The next request does not wait for the response.
    void sendOnce(apiKey)
    await time.pause(random.between(0, 100))
  }
}

const change = async (
  operators: Operators,
  process: CommandProcess,
  credential: Credential,
  { name, contact }: KeyCommand,
): Promise<void> => {
  const { limitRules, time, random } = operators
  const keys = openKeys(operators, process)
  const { apiKey } = credential
  // The last response of the key may no longer hold.
  limitRules.expectChange(apiKey)
  switch (name) {
    case 'rotate':
      await rotateKey(operators, process, credential, random.integer(0, 1_200))
      return
    case 'move':
      await moveKey(operators, keys, apiKey, random.pick(['free', 'pro', 'business']))
      return
    case 'revoke':
      credential.isRevoked = true
      await keys.revoke(apiKey)
      limitRules.endKey(apiKey, time.now)
      return
    case 'unban':
      await keys.unban(apiKey)
      return
    case 'set':
      await keys.set(apiKey, { contact })
  }
}

/** Rotates a caller's key, and gives the caller the new one. */
export const rotateKey = async (
  operators: Operators,
  process: CommandProcess,
  credential: Credential,
  overlapSeconds: number,
): Promise<void> => {
  const { limitRules } = operators
  const { apiKey, name } = credential
  const issued = await openKeys(operators, process).rotate(apiKey, { overlapSeconds })
  // Another operator may have changed the limits just before.
  const { minuteLimit, dayLimit } = issued.record
  limitRules.addKey(issued.apiKey, `the successor of ${name}`, { perMinute: minuteLimit, perDay: dayLimit }, false)
  // The overlap is counted by the clock of the operator's machine.
  limitRules.endKey(apiKey, process.clock() + overlapSeconds * 1_000)
  credential.apiKey = issued.apiKey
  credential.isInDoubt = false
}

/** Moves a key to a plan with fixed limits. */
export const moveKey = async (
  { limitRules }: Operators,
  keys: KeyAdministration,
  apiKey: string,
  plan: keyof typeof fixedPlans,
): Promise<void> => {
  limitRules.expectLimits(apiKey, fixedPlans[plan])
  await keys.set(apiKey, { plan })
  // The last response of the key may no longer hold.
  limitRules.expectChange(apiKey)
}
