import type { CommandRow, FaultState } from '../../../../fixtures/command-faults.ts'

const findKey = ({ items }: FaultState, keyId: string) => items.get(`key#${keyId}`)

const hasKeyOf = ({ items }: FaultState, owner: string): boolean =>
  [...items.values()].some((item) => item['owner'] === owner)

/** The commands of `npm run keys` that change keys. */
export const keyRows: readonly CommandRow[] = [
  {
    name: 'keys issue',
    tool: 'keys',
    words: () => ['issue', '--plan', 'pro', '--owner', 'Umbrella'],
    isDone: (_world, state) => hasKeyOf(state, 'Umbrella'),
  },
  {
    name: 'keys issue --json',
    tool: 'keys',
    words: () => ['issue', '--plan', 'pro', '--owner', 'Umbrella', '--json'],
    isDone: (_world, state) => hasKeyOf(state, 'Umbrella'),
  },
  {
    name: 'keys rotate',
    tool: 'keys',
    words: ({ keyId }) => ['rotate', keyId],
    isDone: ({ keyId }, state) => findKey(state, String(findKey(state, keyId)?.['successor'])) !== undefined,
  },
  {
    name: 'keys set',
    tool: 'keys',
    words: ({ keyId }) => ['set', keyId, '--plan', 'pro', '--expires', '2999-12-31'],
    isDone: ({ keyId }, state) => findKey(state, keyId)?.['plan'] === 'pro',
  },
  {
    name: 'keys revoke',
    tool: 'keys',
    words: ({ keyId }) => ['revoke', keyId],
    isDone: ({ keyId }, state) => findKey(state, keyId)?.['state'] === 'revoked',
  },
  {
    name: 'keys revoke --all',
    tool: 'keys',
    words: () => ['revoke', '--all', '--confirm', 'local'],
    isDone: ({ keyId }, state) => findKey(state, keyId)?.['state'] === 'revoked',
  },
]
