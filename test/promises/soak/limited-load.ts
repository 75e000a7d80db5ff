import { setTimeout } from 'node:timers/promises'
import type { KeyAdministration } from '../../../infra/operations/keys/administration.ts'
import type { Findings } from './findings.ts'

const perDay = 1_000_000
const atOnce = 5

/** Sends more requests than a key may in each minute, but so few more that it is not banned. */
export const pressLimit = async (
  findings: Findings,
  keys: KeyAdministration,
  perMinute: number,
  isOver: () => boolean,
): Promise<void> => {
  const { apiKey } = await keys.issue({ owner: 'at its limit', plan: 'enterprise', allowance: { perMinute, perDay } })
  /** How many requests were let in, by the end of the minute that the response tells. */
  const admitted = new Map<string, number>()
  let everRefused = false
  while (!isOver()) {
    let refused = 0
    const press = async (): Promise<void> => {
      while (refused < 3 * atOnce && !isOver()) {
        const response = await findings.send({
          name: 'at the limit',
          target: '/pets?limit=1',
          apiKey,
          expected: [200, 429],
        })
        if (response.status === 429) {
          refused += 1
          everRefused = true
          continue
        }
        const window = response.headers.get('X-RateLimit-Reset') ?? ''
        const count = (admitted.get(window) ?? 0) + 1
        admitted.set(window, count)
        if (count > perMinute) findings.fault(`at the limit: request ${count} of ${perMinute} a minute was let in`)
      }
    }
    await Promise.all(Array.from({ length: atOnce }, press))
    const nextMinute = 60_000 - (Date.now() % 60_000) + 100
    for (const end = Date.now() + nextMinute; Date.now() < end && !isOver(); ) await setTimeout(250)
  }
  if (!everRefused) findings.fault(`at the limit: of more than ${perMinute} requests a minute none was refused`)
}

/** More than enough for a ban, also where a minute ends among them. */
const refusalsForBan = 250

/**
 * Issues a key, uses it, has it banned and freed again, rotates it and revokes both: each must be felt by the next
 * request.
 */
export const runKeyLife = async (findings: Findings, keys: KeyAdministration): Promise<void> => {
  const allowance = { perMinute: 5, perDay }
  const { apiKey, record } = await keys.issue({ owner: 'a short life', plan: 'enterprise', allowance })
  await findings.send({ name: 'new key', target: '/pets?limit=1', apiKey, expected: [200] })
  let isBanned = false
  for (let sent = 0; sent < refusalsForBan && !isBanned; sent += atOnce) {
    const request = { name: 'towards a ban', target: '/pets?limit=1', apiKey, expected: [200, 429] }
    const responses = await Promise.all(Array.from({ length: atOnce }, () => findings.send(request)))
    isBanned = responses.some(({ text }) => text.includes('"api_key_banned"'))
  }
  if (!isBanned) findings.fault('towards a ban: never banned')
  const banned = await findings.send({ name: 'banned key', target: '/pets', apiKey, expected: [429] })
  if (!banned.text.includes('"api_key_banned"')) findings.fault(`banned key: ${banned.text}`)
  await keys.unban(record.keyId)
  // An instance that refused the key remembers the ban for two seconds.
  await setTimeout(2_100)
  const freed = await findings.send({ name: 'unbanned key', target: '/pets?limit=1', apiKey, expected: [200, 429] })
  if (freed.text.includes('"api_key_banned"')) findings.fault('unbanned key: still banned')

  const successor = await keys.rotate(record.keyId, { overlapSeconds: 3_600 })
  await findings.send({ name: 'successor', target: '/pets?limit=1', apiKey: successor.apiKey, expected: [200] })
  for (const { keyId, gone } of [
    { keyId: record.keyId, gone: apiKey },
    { keyId: successor.record.keyId, gone: successor.apiKey },
  ]) {
    await keys.revoke(keyId)
    await findings.send({ name: 'revoked key', target: '/pets', apiKey: gone, expected: [401] })
  }
}
