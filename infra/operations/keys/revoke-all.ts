import type { KeyTable, StoredKey } from '../../../shared/api-keys/key-table.ts'
import { interruptedCode } from '../../command-line/interruption.ts'
import { sentenceOf } from '../../command-line/run-command.ts'
import { UserError } from '../../command-line/user-error.ts'
import { workThrough } from '../../command-line/work-through.ts'
import type { recording } from '../target/audit.ts'

export const revocation = { state: 'revoked' } as const

/** A line of the audit takes 256 KB. */
const idsOfLine = 1_000

interface Options {
  readonly recorded: ReturnType<typeof recording>
  readonly signal: AbortSignal
  /** Called with how many more are revoked. */
  readonly tell: (revoked: number) => void
}

/**
 * Revokes all keys, until it is interrupted.
 *
 * @throws UserError when it was
 * @returns how many were revoked
 */
export const revokeAll = async (table: KeyTable, { recorded, signal, tell }: Options): Promise<number> => {
  const active = (await table.list()).filter(({ record }) => record.state === 'active')
  const lines = Array.from({ length: Math.ceil(active.length / idsOfLine) }, (_, line) => ({
    action: 'keys revoke --all',
    ids: active.slice(line * idsOfLine, (line + 1) * idsOfLine).map(({ record }) => record.keyId),
    ...{ old: { state: 'active' }, new: revocation },
  }))
  return recorded(lines, async () => {
    let revoked = 0
    const revoke = async ({ keyHash }: StoredKey): Promise<void> => {
      await table.change(keyHash, revocation)
      revoked += 1
      tell(1)
    }
    const soFar = () => `${revoked} of ${active.length} keys were revoked until then. Run the same command again.`
    await workThrough(active, revoke, { signal }).catch((cause: unknown) => {
      throw new UserError(`${sentenceOf(cause)} ${soFar()}`, { cause })
    })
    if (revoked < active.length) throw new UserError(`Interrupted: ${soFar()}`, { exitCode: interruptedCode })
    return revoked
  })
}
