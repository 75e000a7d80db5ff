import { editItem } from '../../../../fixtures/database/edit-item.ts'
import type { CommandRow, FaultState } from './faulty-commands.ts'

const findKey = ({ items }: FaultState, keyId: string) => items.get(`key#${keyId}`)

const hasKeyOf = ({ items }: FaultState, owner: string): boolean =>
  [...items.values()].some((item) => item['owner'] === owner)

/** The commands of `npm run keys` that change keys. */
export const keyRows: readonly CommandRow[] = [
  {
    name: 'keys issue',
    prepare: async () => ['issue', '--plan', 'pro', '--scope', 'read', '--owner', 'Umbrella'],
    isDone: (_world, state) => hasKeyOf(state, 'Umbrella'),
  },
  {
    name: 'keys rotate',
    prepare: async ({ keyId }) => ['rotate', keyId],
    isDone: ({ keyId }, state) => findKey(state, String(findKey(state, keyId)?.['successor'])) !== undefined,
  },
  {
    name: 'keys set',
    prepare: async ({ keyId }) => ['set', keyId, '--plan', 'pro', '--expires', '2999-12-31'],
    isDone: ({ keyId }, state) => findKey(state, keyId)?.['plan'] === 'pro',
  },
  {
    name: 'keys unban',
    prepare: async (world) => {
      const key = findKey(await world.readState(), world.keyId)
      const bannedUntil = Math.floor(Date.now() / 1_000) + 3_600
      await editItem(world.client, world.tables.apiKeys, { keyHash: key?.['keyHash'] }, { bannedUntil })
      return ['unban', world.keyId]
    },
    isDone: ({ keyId }, state) => findKey(state, keyId)?.['bannedUntil'] === 0,
  },
  {
    name: 'keys revoke',
    prepare: async ({ keyId }) => ['revoke', keyId],
    isDone: ({ keyId }, state) => findKey(state, keyId)?.['state'] === 'revoked',
  },
  {
    name: 'keys revoke --all',
    prepare: async () => ['revoke', '--all', '--confirm', 'local'],
    isDone: ({ keyId }, state) => findKey(state, keyId)?.['state'] === 'revoked',
  },
]
