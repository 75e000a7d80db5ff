import type { ApiKeyRecord } from '../../../shared/api-keys/api-key-record.ts'
import { printReport } from '../../command-line/report.ts'
import { UserError } from '../../command-line/user-error.ts'
import { type Audit, openAudit } from '../target/audit.ts'
import type { IssuedKey } from './issuing.ts'
import type { KeyCommand, KeyWork } from './key-command.ts'

type Place = Omit<KeyWork, 'show'>

/** Carries out a command, prints its result, and records what it has changed. */
export const carryOut = async (place: Place, command: KeyCommand): Promise<void> => {
  const advice = `"npm run keys -- check --env ${command.target.environment} --repair" settles it.`
  if (command.action !== 'check') {
    const unfinished = (await place.keys.unfinished()).map(({ keyId }) => keyId)
    const named = unfinished.length > 3 ? `${unfinished.length} keys` : unfinished.join(', ')
    if (named !== '') console.error(`Unfinished: ${named}. A command for it runs now, or was interrupted; ${advice}`)
  }
  if (command.changes === undefined) return run(place, command)
  const audit = await openAudit(command.target, command.why)
  try {
    await runWithAudit(place, command, audit)
  } catch (error) {
    // A refusal changes nothing; anything else may have come half-way.
    if (!(error instanceof UserError)) {
      console.error(`The command failed half-way. Each key works as "show" says, and ${advice}`)
    }
    throw error
  }
}

const run = async (place: Place, command: KeyCommand, note: (issued: IssuedKey) => void = () => {}): Promise<void> => {
  const show: KeyWork['show'] = (issued, report) => {
    note(issued)
    return printReport(report, command.json)
  }
  const report = await command.run({ ...place, show })
  if (report !== undefined) await printReport(report, command.json)
}

/** Records what a command has changed: of a key its id and its record, never the key or its hash. */
const runWithAudit = async (place: Place, command: KeyCommand, audit: Audit): Promise<void> => {
  const { keys } = place
  const { changes } = command
  const old = typeof changes === 'object' ? await keys.show(changes.key) : undefined
  const all = changes === 'active' ? await keys.list() : []
  const active = all.filter(({ state }) => state === 'active').map(({ keyId }) => keyId)
  let issued: ApiKeyRecord | undefined
  const record = async (more: { readonly refused?: string }): Promise<void> => {
    const now = issued ?? (old === undefined ? undefined : await keys.show(old.keyId))
    const ids = [...new Set([...active, old?.keyId, now?.keyId])].filter((id) => id !== undefined)
    await audit([{ action: `keys ${command.action}`, ids, old: auditedOf(old), new: auditedOf(now), ...more }])
  }
  try {
    await run(place, command, (made) => {
      issued = made.record
    })
  } catch (error) {
    // It may have come half-way.
    await record({ refused: error instanceof Error ? error.name : 'failed' }).catch(() => undefined)
    throw error
  }
  await record({})
}

const auditedOf = (record: ApiKeyRecord | undefined) => {
  if (record === undefined) return null
  const { keyId, owner, plan, state, minuteLimit, dayLimit, bannedUntil, expiresAt } = record
  return { keyId, owner, plan, state, minuteLimit, dayLimit, bannedUntil, expiresAt }
}
