/** Finding, issuing, changing and revoking keys, alone and while other commands change the same key. */
import { DeleteCommand } from '@aws-sdk/lib-dynamodb'
import { beforeEach, expect, it } from 'vitest'
import { readChanges } from '../../../../../infra/commands/audit/read-changes.ts'
import type { KeyContext } from '../../../../../infra/commands/keys/change-key.ts'
import { requireThrottle } from '../../../../../infra/commands/keys/edit-key.ts'
import { findKey } from '../../../../../infra/commands/keys/find-key.ts'
import type { IssuedKey } from '../../../../../infra/commands/keys/issue-key.ts'
import { environments } from '../../../../../infra/environments.ts'
import { formatApiKey, hashApiKey } from '../../../../../shared/api-keys/api-key.ts'
import { fixedPlans } from '../../../../../shared/api-keys/plans.ts'
import { createKeyOperator } from '../../../../fixtures/commands/key-operator.ts'
import {
  createForgetfulClient,
  createInterceptingClient,
  createWrappedClient,
} from '../../../../fixtures/database/clients.ts'
import { editItem } from '../../../../fixtures/database/edit-item.ts'
import { describeOnEachEngine, getDynalite } from '../../../../fixtures/database/engines.ts'
import { noDeadline, openService, type Service } from '../../../../fixtures/service/service.ts'

const hourSeconds = 3_600

it('a limit of a key above the throttle of a method in staging is refused, and the error says to raise the throttle', () => {
  const admittedPerMinute = environments.staging.methodThrottle.requestsPerSecond * 60
  requireThrottle('staging', admittedPerMinute)

  expect(() => requireThrottle('staging', admittedPerMinute + 1)).toThrow(
    /^staging admits [\d,]+ requests a minute to one method.* raise staging\.methodThrottle in infra\/environments\.ts/,
  )
})

/** Stands for the random part of an API key. */
const randomText = 'x'.repeat(32)
const unknownKey = formatApiKey('pet_live_', randomText)

it.each([
  { text: 'key_0mhz', sentence: 'No API key of production has the id key_0mhz. "list" shows the ids' },
  { text: unknownKey, sentence: 'The table of production does not have this API key.' },
  { text: `${unknownKey.slice(0, -1)}~`, sentence: 'This API key is mistyped or cut off' },
  {
    text: formatApiKey('pet_test_', randomText),
    sentence: 'This is a key of another environment: those of production begin with pet_live_.',
  },
  { text: randomText, sentence: 'This is neither an API key, which would begin with pet_live_, nor the id of one.' },
])('a search that finds no key says "$sentence", and repeats no text that may be a key', async ({ text, sentence }) => {
  const { client, tables } = await openService(getDynalite())

  const error = await findKey({ name: 'production', database: client, tables }, text).catch(String)

  expect(error).toContain(sentence)
  expect(error).not.toContain(randomText)
})

describeOnEachEngine('changes of keys', (engine) => {
  let service: Service
  let keys: Service['keys']
  let issued: IssuedKey
  let keyId: string
  let nowSeconds: number

  beforeEach(async () => {
    service = await openService(engine)
    keys = service.keys
    issued = await keys.issue({ owner: 'Acme', contact: 'a@example.org', plan: 'pro', limits: fixedPlans.pro })
    keyId = issued.record.keyId
    nowSeconds = service.time.clock() / 1_000
  })

  /** Asks the limiter about a request. @returns the kind of its decision, such as `admitted` */
  const decide = async ({ apiKey } = issued) =>
    (await service.createLimiter().decide(hashApiKey(apiKey), noDeadline)).kind

  /** Opens the keys for a second operator, whose calls to DynamoDB go through a client that the test gives. */
  const openKeys = (database: Service['client'], options: Partial<KeyContext> = {}) =>
    createKeyOperator({ name: 'local', database, tables: service.tables }, { clock: service.time.clock, ...options })

  /**
   * Opens the keys for an operator whom another command overtakes.
   *
   * @param writeNumber which of the operator's writes of keys it is, from 1 on, before which `meanwhile` runs
   */
  const openSlowKeys = (writeNumber: number, meanwhile: () => Promise<unknown>) => {
    let writes = 0
    const database = createInterceptingClient(engine, 'UpdateItem', async () => {
      writes += 1
      if (writes === writeNumber) await meanwhile()
    })
    return openKeys(database)
  }

  /** Reads each change of the key from the audit, as its command with its outcome. */
  const readOutcomes = async (): Promise<readonly string[]> => {
    const access = { database: service.client, tables: service.tables }
    const sinceTheBeginning = '0'
    const pages = await Array.fromAsync(readChanges(access, { target: `key#${keyId}` }, sinceTheBeginning))
    // Changes of the same millisecond have no order.
    return pages
      .flat()
      .map(({ action, outcome }) => `${action}: ${outcome}`)
      .toSorted()
  }

  // An announcement shows the operator the id of a key that is about to be issued.
  it('a new key is announced before anything is written', async () => {
    const announced: string[] = []
    const database = createInterceptingClient(engine, 'PutItem', async () => {
      expect(announced).toHaveLength(1)
    })
    const announcing = openKeys(database, { announce: (id) => announced.push(id) })

    const { record } = await announcing.issue({ owner: 'Acme', plan: 'free', limits: fixedPlans.free })

    expect(announced).toEqual([record.keyId])
  })

  it('a rotation gives the successor the terms of the replaced key, and another API Gateway key', async () => {
    const { record } = await keys.rotate(keyId)

    const { owner, contact, plan, scope, minuteLimit, dayLimit, idempotencyScope } = issued.record
    expect(record).toMatchObject({ owner, contact, plan, scope, minuteLimit, dayLimit, idempotencyScope })
    expect(record.predecessor).toBe(keyId)
    expect(record.gatewayKey).not.toBe(issued.record.gatewayKey)
  })

  it('a rotation lets both keys work until the overlap ends', async () => {
    const successor = await keys.rotate(keyId, hourSeconds)
    expect([await decide(issued), await decide(successor)]).toEqual(['admitted', 'admitted'])

    service.time.advanceSeconds(hourSeconds)

    expect([await decide(issued), await decide(successor)]).toEqual(['invalid', 'admitted'])
  })

  it('a repeated rotation makes another successor, and keeps the end of the first overlap', async () => {
    const first = await keys.rotate(keyId, hourSeconds)

    const second = await keys.rotate(keyId, 9 * hourSeconds)

    expect(second.earlierSuccessor).toBe(first.record.keyId)
    expect(second.replacedEndsAt).toBe(first.replacedEndsAt)
    expect(await keys.show(keyId)).toMatchObject({
      successor: second.record.keyId,
      overlapEndsAt: nowSeconds + hourSeconds,
    })
    expect([await decide(first), await decide(second)]).toEqual(['admitted', 'admitted'])
  })

  it('a rotation that meets another command leaves the key as it is, and says which new key to revoke', async () => {
    // The first write of a rotation stores the successor, the second one changes the key.
    const { rotate } = openSlowKeys(2, () => keys.set(keyId, { plan: 'business' }))

    const error = await rotate(keyId).catch((thrown: unknown) => thrown)

    const successor = (await keys.list()).keys.find(({ predecessor }) => predecessor === keyId)
    const message = `^Another command has changed.* nobody has seen it: "revoke ${successor?.keyId}".$`
    expect(error).toMatchObject({ message: expect.stringMatching(message), exitCode: 3 })
    expect(await keys.show(keyId)).toMatchObject({ plan: 'business' })
    expect(await keys.show(keyId)).not.toHaveProperty('successor')
  })

  it.each([
    { state: 'revoked', end: () => keys.revoke(keyId), advice: 'is revoked. Issue a new one.' },
    {
      state: 'expired',
      end: () => keys.set(keyId, { expiresAt: nowSeconds }),
      advice: 'To renew it, "set" its --valid-until',
    },
    { state: 'replaced', end: () => keys.rotate(keyId, 0), advice: 'Its successor is key_' },
  ])('keys rotate, set and unban refuse a key that is $state, and say "$advice"', async ({ end, advice }) => {
    await end()

    await expect(keys.rotate(keyId)).rejects.toThrow(advice)
    await expect(keys.set(keyId, { owner: 'x' })).rejects.toThrow(advice)
    await expect(keys.unban(keyId)).rejects.toThrow(advice)
  })

  it('keys set within a plan keeps the API Gateway key', async () => {
    await keys.set(keyId, { owner: 'Umbrella', plan: 'pro' })

    expect(await keys.show(keyId)).toMatchObject({ owner: 'Umbrella', gatewayKey: issued.record.gatewayKey })
  })

  // The present API Gateway key counts on the old plan, or may be about to be deleted (edit-key.ts). `meteredFrom` is
  // the time from which API Gateway has a key, so the new one has none yet.
  it.each([
    { term: 'plan', settings: { plan: 'business' as const } },
    { term: 'end', settings: { expiresAt: Date.UTC(2099, 0, 1) / 1_000 } },
  ])('keys set to another $term gives the key another API Gateway key', async ({ settings }) => {
    await service.keyTable.change(await keys.find(keyId), { meteredFrom: nowSeconds })

    const changed = await keys.set(keyId, settings)

    expect(changed).not.toHaveProperty('meteredFrom')
    expect(changed['gatewayKey']).not.toBe(issued.record.gatewayKey)
  })

  it('keys set gives an enterprise key one of its two limits, and leaves the other', async () => {
    await keys.set(keyId, { plan: 'enterprise', perMinute: 10, perDay: 500 })

    await keys.set(keyId, { perMinute: 20 })

    expect(await keys.show(keyId)).toMatchObject({ minuteLimit: 20, dayLimit: 500 })
  })

  it('keys set lets a key that has expired work again', async () => {
    await keys.set(keyId, { expiresAt: nowSeconds + 1 })
    service.time.advanceSeconds(1)
    expect(await decide()).toBe('invalid')

    await keys.set(keyId, { expiresAt: 'never' })

    expect(await decide()).toBe('admitted')
  })

  it('keys set ends an overlap at once, and refuses one of a key without a successor', async () => {
    await expect(keys.set(keyId, { overlapSeconds: 0 })).rejects.toThrow('has no successor, and so no overlap')
    await keys.rotate(keyId)

    await keys.set(keyId, { overlapSeconds: 0 })

    expect(await decide()).toBe('invalid')
  })

  it('keys set to the present terms, and unban of a key that is not banned, write nothing', async () => {
    const database = createInterceptingClient(engine, 'UpdateItem', () => Promise.reject(new Error('a write')))
    const reader = openKeys(database)
    const before = await keys.find(keyId)

    expect(await reader.set(keyId, { owner: 'Acme' })).toEqual(before)
    expect(await reader.unban(keyId)).toEqual(before)
  })

  it('keys unban ends a ban, and resets the counts that would make the next one longer', async () => {
    const ban = { bannedUntil: nowSeconds + 3_600, banCount: 3, refusalCount: 9 }
    await service.keyTable.change(await keys.find(keyId), ban)

    await keys.unban(keyId)

    expect(await keys.show(keyId)).toMatchObject({ bannedUntil: 0, banCount: 0, refusalCount: 0 })
  })

  it('a revocation is made whatever another command changes meanwhile', async () => {
    await openSlowKeys(1, () => keys.set(keyId, { owner: 'Umbrella' })).revoke(keyId)

    expect(await keys.show(keyId)).toMatchObject({ state: 'revoked', owner: 'Umbrella' })
    expect(await decide()).toBe('invalid')
  })

  it('a second revocation leaves the key as it is', async () => {
    const revoked = await keys.revoke(keyId)
    service.time.advanceSeconds(60)

    expect(await keys.revoke(keyId)).toEqual(revoked)
  })

  it('a revocation of all keys revokes also a key that is issued meanwhile', async () => {
    const slow = openSlowKeys(1, () => keys.issue({ owner: 'late', plan: 'free', limits: fixedPlans.free }))

    expect(await slow.revokeAll()).toBe(2)

    expect((await keys.list()).keys.map(({ state }) => state)).toEqual(['revoked', 'revoked'])
  })

  it('a key that cannot be read is named, can be revoked, and nothing else works on it', async () => {
    await editItem(service.client, service.tables.apiKeys, { keyHash: issued.keyHash }, { plan: 'gold' })
    const sentence = `The API key ${keyId} cannot be read: its item has no valid plan. "revoke ${keyId}" ends it;`
    await expect(keys.rotate(keyId)).rejects.toThrow(sentence)
    await expect(keys.set(keyId, { plan: 'pro' })).rejects.toThrow(sentence)
    await expect(keys.unban(keyId)).rejects.toThrow(sentence)

    await keys.revoke(keyId)

    expect(await decide()).toBe('invalid')
    expect((await keys.list()).malformedKeys).toMatchObject([{ attribute: 'plan', item: { state: 'revoked' } }])
  })

  it('a damaged key is revoked by its hash: it has no id, and the id of its last change is a number', async () => {
    const { keyHash } = issued
    await editItem(service.client, service.tables.apiKeys, { keyHash }, { keyId: undefined, changeId: 7 })

    await keys.revoke(keyHash)

    expect(await decide()).toBe('invalid')
  })

  it('a change whose response is lost is made once, and is no conflict', async () => {
    await openKeys(createForgetfulClient(engine)).set(keyId, { owner: 'Umbrella' })

    expect(await readOutcomes()).toEqual(['keys issue: made', 'keys set: made'])
  })

  it('a change whose response is lost was made if the record of a later change names it as the previous one', async () => {
    let sent = 0
    // Sends the update, loses its response, and sends it again, as the SDK does. Meanwhile somebody changes the key.
    const database = createWrappedClient(engine, async (operation, send) => {
      if (operation !== 'UpdateItem') return send()
      sent += 1
      await send()
      await keys.set(keyId, { contact: 'b@example.org' })
      return send()
    })

    const key = await openKeys(database).set(keyId, { owner: 'Umbrella' })

    expect(sent).toBe(1)
    expect(key).toMatchObject({ owner: 'Umbrella', contact: 'b@example.org' })
    expect(await readOutcomes()).toEqual(['keys issue: made', 'keys set: made', 'keys set: made'])
  })

  it('a change of a key that somebody has deleted adds no item', async () => {
    const deletion = new DeleteCommand({ TableName: service.tables.apiKeys, Key: { keyHash: issued.keyHash } })

    const revocation = openSlowKeys(1, () => service.client.send(deletion)).revoke(keyId)

    await expect(revocation).rejects.toThrow(`The API key ${keyId} is not in the table any more.`)
    expect((await keys.list()).keys).toEqual([])
  })

  // An error of the SDK has the number of its attempts. `$fault: 'client'` is a refusal by AWS.
  it.each([
    { failure: 'is not answered', error: { $metadata: { attempts: 8 } } },
    { failure: 'is refused after a lost response', error: { $fault: 'client', $metadata: { attempts: 2 } } },
  ])('a change of which the write $failure has an unknown outcome', async ({ error }) => {
    const failure = Object.assign(new Error('socket hang up'), error)
    const database = createInterceptingClient(engine, 'UpdateItem', () => Promise.reject(failure))

    await expect(openKeys(database).set(keyId, { owner: 'Umbrella' })).rejects.toThrow(
      `Whether the change was made is not known, see "npm run audit -- ${keyId}".`,
    )
  })

  it('a change whose write AWS refuses at once fails with the error of AWS', async () => {
    const refusal = Object.assign(new Error('expired'), { $fault: 'client', $metadata: { attempts: 1 } })
    const database = createInterceptingClient(engine, 'UpdateItem', () => Promise.reject(refusal))

    await expect(openKeys(database).set(keyId, { owner: 'Umbrella' })).rejects.toBe(refusal)
  })
})
