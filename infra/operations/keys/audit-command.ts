import { openAudit } from '../target/audit.ts'
import type { KeyAdministration } from './administration.ts'
import type { IssuedKey } from './issuing.ts'
import type { KeyCommand } from './key-command.ts'

type Shown = Awaited<ReturnType<KeyAdministration['show']>>

/** Runs a command, and records what it has changed: of a key its id and its record, never the key or its hash. */
export const withAudit = async <Result>(
  keys: KeyAdministration,
  command: KeyCommand,
  run: (note: (issued: IssuedKey) => void) => Promise<Result>,
): Promise<Result> => {
  const audit = await openAudit(command, command.why)
  const old = 'key' in command ? await keys.show(command.key) : undefined
  const all = command.action === 'revoke all' ? await keys.list() : []
  const active = all.filter(({ state }) => state === 'active').map(({ keyId }) => keyId)
  let issued: IssuedKey | undefined
  const record = async (more: { readonly refused?: string }): Promise<void> => {
    const now = issued?.record ?? (old === undefined ? undefined : await keys.show(old.keyId))
    const ids = [...new Set([...active, old?.keyId, now?.keyId])].filter((id) => id !== undefined)
    const change = { action: `keys ${command.action}`, ids, old: recordOf(old), new: recordOf(now) }
    await audit([{ ...change, ...more }])
  }
  let result: Result
  try {
    result = await run((made) => {
      issued = made
    })
  } catch (error) {
    // It may have come half-way.
    await record({ refused: error instanceof Error ? error.name : 'failed' }).catch(() => undefined)
    throw error
  }
  await record({})
  return result
}

const recordOf = (record: IssuedKey['record'] | Shown | undefined) => {
  if (record === undefined) return null
  const { keyId, owner, plan, state, minuteLimit, dayLimit, bannedUntil, expiresAt } = record
  return { keyId, owner, plan, state, minuteLimit, dayLimit, bannedUntil, expiresAt }
}
